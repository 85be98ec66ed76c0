import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Collection, type Db, type IndexDescription, MongoClient } from "mongodb";
import { readConfig } from "../src/config.ts";
import { CHARGE_SLOT_MS, type Consumer } from "../src/consumer/consumer.ts";
import { emptyConsumer } from "../src/consumer/new-consumer.ts";
import { consumerIndexes } from "../src/consumer/store.ts";
import { startEmbeddedMongod } from "../src/mongod/start-embedded-mongod.ts";
import { percentile, timeMs } from "./percentile.ts";

/**
 * `npm run bench:indexes`: what each index of the consumers costs a write: the time of inserts and of charges with all
 * indexes, and with each of them left out, in turns in one run.
 */
const DOCUMENTS = 20_000;
const BATCH = 1_000;
const ROUNDS = 5;

const print = (line: string) => process.stdout.write(`${line}\n`);

function consumer(number: number): Consumer {
  const nowMs = 1_700_000_000_000 + number * 1_000;
  const credits = { limit: 1_000, used: 0, shadowLimit: null, overage: null, refill: null, expiresAt: null };
  return {
    ...emptyConsumer("project_1", nowMs),
    planId: `plan_${number % 5}`,
    planRevision: 1,
    name: `Name ${number}`,
    credits,
  };
}

/** Microseconds for each insert and each charge, without one of the indexes. */
async function measure(db: Db, indexes: IndexDescription[]): Promise<{ insertUs: number; chargeUs: number }> {
  const consumers: Collection<Consumer> = db.collection("consumers");
  await consumers.drop();
  await consumers.createIndexes(indexes);
  const documents = Array.from({ length: DOCUMENTS }, (_, number) => consumer(number));
  const batches = Array.from({ length: DOCUMENTS / BATCH }, (_, at) => documents.slice(at * BATCH, (at + 1) * BATCH));
  const insertMs = await timeMs(async () => {
    for (const batch of batches) await consumers.insertMany(batch, { ordered: false });
  });
  const chargeSlot = Math.floor(Date.now() / CHARGE_SLOT_MS);
  const charge = async () => {
    for (const batch of batches) {
      const operations = batch.map(({ _id }) => ({
        updateOne: { filter: { _id }, update: { $inc: { "credits.used": 1 }, $set: { chargeSlot } } },
      }));
      await consumers.bulkWrite(operations, { ordered: false });
    }
  };
  // The first charge of a slot moves the consumer in the index of the slots; all others leave it where it is.
  await charge();
  return { insertUs: (1_000 * insertMs) / DOCUMENTS, chargeUs: (1_000 * (await timeMs(charge))) / DOCUMENTS };
}

const dataDir = await mkdtemp(join(tmpdir(), "keysvc-bench-"));
const config = readConfig({ ...process.env, KEYSVC_DATA_DIR: dataDir });
const mongod = await startEmbeddedMongod({ ...config, report: print });
const client = await MongoClient.connect(mongod.uri, { writeConcern: { w: "majority" } });
try {
  const variants = [
    { name: "all indexes", indexes: consumerIndexes.indexes },
    ...consumerIndexes.indexes.map((left) => ({
      name: `without ${left.name}`,
      indexes: consumerIndexes.indexes.filter((index) => index !== left),
    })),
  ];
  const samples = new Map(variants.map(({ name }) => [name, { insertUs: [] as number[], chargeUs: [] as number[] }]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, indexes } of variants) {
      const { insertUs, chargeUs } = await measure(client.db("bench"), indexes);
      samples.get(name)?.insertUs.push(insertUs);
      samples.get(name)?.chargeUs.push(chargeUs);
    }
  }
  for (const [name, { insertUs, chargeUs }] of samples) {
    const medians = [insertUs, chargeUs].map((all) => percentile(all, 0.5).toFixed(1).padStart(6));
    print(`${name.padEnd(28)} insert ${medians[0]} µs   charge ${medians[1]} µs`);
  }
} finally {
  await client.close();
  await mongod.stop();
  await rm(dataDir, { recursive: true, force: true });
}
