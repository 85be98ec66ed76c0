import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";
import { createAuditStore } from "../src/audit/store.ts";
import { readConfig } from "../src/config.ts";
import type { Consumer } from "../src/consumer/consumer.ts";
import { emptyConsumer } from "../src/consumer/new-consumer.ts";
import { adoptDefaultProject } from "../src/credentials.ts";
import { emptyKey, newValue } from "../src/key/new-key.ts";
import { forEachConcurrently } from "../src/lib/for-each-concurrently.ts";
import { createId } from "../src/lib/id.ts";
import { createProgressBar } from "../src/lib/progress-bar.ts";
import type { Database } from "../src/mongo/client.ts";
import { databaseTime } from "../src/mongo/database-time.ts";
import { SessionPool } from "../src/mongo/session-pool.ts";
import { createProjectStore } from "../src/project/store.ts";
import { openKeyring } from "../src/secrets/store.ts";
import { openDatabase } from "../src/seed/open-database.ts";
import { type Batch, createSeedStore } from "../src/seed/store.ts";
import type { Population } from "./validate-cases.ts";

/** Consumers that are called, and where their keys are, one a line. */
export interface Filled {
  keysFile: string;
  keys: string[];
  consumerIds: string[];
}

export interface ValidateDatabase {
  /** Adds consumers with one key each, and remembers so many of them, evenly picked. */
  fill(population: Population, consumers: number, called: number, signal: AbortSignal): Promise<Filled>;
  /** So many of the consumers, evenly picked. */
  pick(population: Population, filled: Filled, called: number): Promise<Filled>;
  /** Gives the control the same keys, each with more calls than it gets. */
  fillControl(keys: readonly string[]): Promise<void>;
  /** Credits that these consumers have used, once the calls that the load cut off are through. */
  settledCredits(consumerIds: readonly string[]): Promise<number>;
  /** Waits while the service drains events that earlier calls left, but not for long. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

const AGE_MAX_MS = 365 * 24 * 3_600_000;
const BATCH_CONSUMERS = 5_000;
const BATCHES_UNDER_WAY = 3;
const PLENTY = 1e12;
const DRAIN_MS = 10_000;
const DRAIN_POLL_MS = 500;
/** A service that charges nothing for so long has nothing left to charge. */
const QUIET_MS = 500;

/**
 * The database of the service as its first start leaves it, filled without a detour over HTTP.
 *
 * @param settings those of the service, with its database and secret
 */
export async function openValidateDatabase(
  settings: Record<string, string>,
  dataDir: string,
): Promise<ValidateDatabase> {
  const config = readConfig(settings);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const database = await openDatabase(config, print);
  const { client, db } = database;
  const keyring = await openKeyring(db, config.secret ?? "", undefined);
  const store = createProjectStore(db, 0);
  const { change } = createAuditStore(new SessionPool(client), db, 0);
  const nowMs = await databaseTime(db, 0);
  await adoptDefaultProject({ config, store, keyring, change, nowMs, report: print });
  const projectId = (await store.findDefaultProject()) ?? "";
  const seed = createSeedStore(db);
  const fill: ValidateDatabase["fill"] = async (population, consumers, called, signal) => {
    const filled: Filled = { keysFile: join(dataDir, `keys-${population}`), keys: [], consumerIds: [] };
    const bar = createProgressBar(process.stdout, consumers);
    let added = 0;
    const make = (index: number) => {
      const createdAtMs = nowMs - AGE_MAX_MS + Math.floor((AGE_MAX_MS * index) / consumers);
      const consumer = consumerOf(population, projectId, createdAtMs);
      const keyId = createId("key", createdAtMs);
      const { value, stored } = newValue(keyId, "sk", { keyring, recoverable: config.keysRecoverable });
      if ((index * called) % consumers < called) {
        filled.keys.push(value);
        filled.consumerIds.push(consumer._id);
      }
      return { consumer, key: { ...emptyKey(keyId, projectId, consumer._id, createdAtMs), ...stored } };
    };
    await forEachConcurrently(batches(consumers, make), BATCHES_UNDER_WAY, signal, async (batch) => {
      await seed.insertBatch(batch);
      added += batch.consumers.length;
      if (consumers > BATCH_CONSUMERS) bar.update(added);
    });
    // What is measured next is not to pay for writing this out.
    await client.db("admin").command({ fsync: 1 });
    return writeKeys(filled);
  };
  const pick: ValidateDatabase["pick"] = async (population, { keys, consumerIds }, called) => {
    const isPicked = (_item: string, index: number) => (index * called) % keys.length < called;
    const keysFile = join(dataDir, `keys-${population}`);
    return writeKeys({ keysFile, keys: keys.filter(isPicked), consumerIds: consumerIds.filter(isPicked) });
  };
  return { fill, pick, ...measures(database), close: () => database.close() };
}

async function writeKeys(filled: Filled): Promise<Filled> {
  await writeFile(filled.keysFile, `${filled.keys.join("\n")}\n`);
  return filled;
}

function measures({ client, db }: Database): Omit<ValidateDatabase, "fill" | "pick" | "close"> {
  return {
    async fillControl(keys) {
      const documents = keys.map((key) => ({ _id: key, remaining: PLENTY }));
      await client.db("control").collection<{ _id: string; remaining: number }>("keys").insertMany(documents);
    },
    async settledCredits(consumerIds) {
      let used = await usedCredits(db, consumerIds);
      for (;;) {
        await sleep(QUIET_MS);
        const before = used;
        used = await usedCredits(db, consumerIds);
        if (used === before) return used;
      }
    },
    async drained() {
      const journal = db.collection("journal");
      let before = Number.POSITIVE_INFINITY;
      for (let waitedMs = 0; waitedMs < DRAIN_MS; waitedMs += DRAIN_POLL_MS) {
        const entries = await journal.estimatedDocumentCount();
        // Nobody drains what does not get less.
        if (entries === 0 || (entries >= before && waitedMs > DRAIN_MS / 4)) return;
        before = entries;
        await sleep(DRAIN_POLL_MS);
      }
    },
  };
}

async function usedCredits(db: Db, consumerIds: readonly string[]): Promise<number> {
  // Served by _id.
  const [sum] = await db
    .collection<Consumer>("consumers")
    .aggregate<{ used: number }>([
      { $match: { _id: { $in: [...consumerIds] } } },
      { $group: { _id: null, used: { $sum: "$credits.used" } } },
    ])
    .toArray();
  return sum?.used ?? 0;
}

function* batches(
  consumers: number,
  make: (index: number) => { consumer: Consumer; key: Batch["keys"][number] },
): Generator<Batch> {
  for (let first = 0; first < consumers; first += BATCH_CONSUMERS) {
    const size = Math.min(BATCH_CONSUMERS, consumers - first);
    const made = Array.from({ length: size }, (_, index) => make(first + index));
    yield { consumers: made.map(({ consumer }) => consumer), keys: made.map(({ key }) => key) };
  }
}

function consumerOf(population: Population, projectId: string, createdAtMs: number): Consumer {
  const pool = { used: 0, shadowLimit: null, overage: null, refill: null, expiresAt: null };
  const limit = population === "denied" ? 0 : PLENTY;
  return {
    ...emptyConsumer(projectId, createdAtMs),
    name: `Consumer of ${population}`,
    keyCount: 1,
    credits: population === "unlimited" ? null : { ...pool, limit },
    rateLimit: population === "rate-limited" ? { limit: 1e9, windowSeconds: 10 } : null,
  };
}
