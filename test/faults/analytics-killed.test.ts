import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { expect, it } from "vitest";
import { INGESTED } from "../../src/journal/queue.ts";
import { startIngestLoad } from "./ingest-client.ts";
import { expectSameAsStored, startQuestions } from "./question-client.ts";
import { replicatedNodes } from "./replicated-nodes.ts";

const FAULTS = 2;
const CALM_MS = 2_000;
/** Longer than the lease of whoever drains. */
const TAKEOVER_MS = 7_000;
const TIMEOUT_MS = 300_000;
const CLIENTS = 8;
/** Of a call: all are looked for in the log in the end, page by page. */
const EVENTS_MAX = 16;
/** A question is answered, or refused with 503, within 3 s; the rest is for a machine that is busy. */
const ANSWER_MAX_MS = 5_000;

const nodes = replicatedNodes({ KEYSVC_ANALYTICS_RATE: "100000" });

/** Whoever drains, as the database knows it. */
async function holderOf(client: MongoClient, database: string): Promise<string> {
  const state = await client
    .db(database)
    .collection<{ _id: string; holder: string }>("settings")
    .findOne({ _id: INGESTED.state });
  return state?.holder ?? "";
}

it.each([
  ["with another that goes on", 2],
  ["that is alone", 1],
])(
  "the node that drains %s, killed while events come in: figures and log are exact all the time",
  { timeout: TIMEOUT_MS },
  async (_title, count) => {
    const database = `analytics_${count}`;
    const client = await MongoClient.connect(nodes.set.uri(database));
    const all = [await nodes.start(database)];
    if (count === 2) all.push(await nodes.start(database));
    const urls = () => all.map(({ url }) => url);
    const load = startIngestLoad({ clients: CLIENTS, urls, eventsMax: EVENTS_MAX });
    const questions = startQuestions(urls, load.records);
    const holders = new Set<string>();
    for (let fault = 0; fault < FAULTS; fault++) {
      await sleep(CALM_MS);
      holders.add(await holderOf(client, database));
      // Of two, the one that did not drain before does so now.
      const index = fault % count;
      await all[index]?.stop("SIGKILL");
      if (count === 2) await sleep(TAKEOVER_MS);
      all[index] = await nodes.start(database, String(all[index]?.port));
    }
    await sleep(CALM_MS);
    await load.stop();
    await questions.stop();
    holders.add(await holderOf(client, database));
    expect(holders.size).toBeGreaterThan(1);
    expect(questions.records.wrong).toEqual([]);
    expect(questions.records.answered).toBeGreaterThan(5);
    await expectSameAsStored(all[0]?.url ?? "", client.db(database), load.records);
    await client.close();
  },
);

it("a primary that is killed while questions are asked: they are refused within 3 s or right, and right afterwards", {
  timeout: TIMEOUT_MS,
}, async () => {
  const database = "analytics_primary";
  const client = await MongoClient.connect(nodes.set.uri(database));
  const all = [await nodes.start(database), await nodes.start(database)];
  const urls = () => all.map(({ url }) => url);
  const load = startIngestLoad({ clients: CLIENTS, urls, eventsMax: EVENTS_MAX });
  const questions = startQuestions(urls, load.records);
  for (let fault = 0; fault < 2; fault++) {
    await sleep(CALM_MS);
    await nodes.failOver(() => sleep(CALM_MS));
  }
  await sleep(TAKEOVER_MS);
  await load.stop();
  await questions.stop();
  expect(questions.records.wrong).toEqual([]);
  expect([...questions.records.failures.keys()].filter((reason) => !reason.startsWith("503 "))).toEqual([]);
  expect(questions.records.slowestMs).toBeLessThan(ANSWER_MAX_MS);
  await expectSameAsStored(all[0]?.url ?? "", client.db(database), load.records);
  await client.close();
});
