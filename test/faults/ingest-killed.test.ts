import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openTrafficReader } from "../harness/traffic-reader.ts";
import { type IngestRecords, startIngestLoad } from "./ingest-client.ts";
import { replicatedNodes } from "./replicated-nodes.ts";

const FAULTS = 3;
const CALM_MS = 1_500;
const TIMEOUT_MS = 120_000;
const CLIENTS = 16;

const nodes = replicatedNodes();

/** That everything that was acknowledged is in the time-series once, and nothing is there twice or was never sent. */
async function expectExact(database: string, records: IngestRecords): Promise<void> {
  const reader = await openTrafficReader({ databaseUri: nodes.set.uri(database) });
  const stored = (await reader.find()).map(({ requestId }) => requestId as string);
  await reader.close();
  const { acknowledged, doubtful, failures, wrong } = records;
  const told = [...failures].map(([reason, count]) => `${reason}: ${count}`).join(", ");
  process.stderr.write(`${acknowledged.length} events acknowledged, ${doubtful.length} in doubt; ${told}\n`);
  expect(wrong).toEqual([]);
  const once = new Set(stored);
  expect(once.size).toBe(stored.length);
  expect(acknowledged.filter((id) => !once.has(id))).toEqual([]);
  const sent = new Set([...acknowledged, ...doubtful]);
  expect(stored.filter((id) => !sent.has(id))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(1_000);
}

function expectKnownFailures({ failures }: IngestRecords): void {
  const known = /^no answer$|^503 urn:keysvc:problem:(database-unavailable|overloaded|contended|stopping)$/;
  expect([...failures.keys()].filter((reason) => !known.test(reason))).toEqual([]);
}

it.each([
  ["with another that goes on", 2],
  ["that is alone", 1],
])("a node %s, killed while events come in, loses and doubles none", { timeout: TIMEOUT_MS }, async (_title, count) => {
  const database = `ingest_${count}`;
  let killed = await nodes.start(database);
  const others = count === 1 ? [] : [await nodes.start(database)];
  const urls = () => [killed, ...others].map(({ url }) => url);
  const load = startIngestLoad({ clients: CLIENTS, urls, eventsMax: 200 });
  for (let fault = 0; fault < FAULTS; fault++) {
    await sleep(CALM_MS);
    await killed.stop("SIGKILL");
    killed = await nodes.start(database, String(killed.port));
  }
  await sleep(CALM_MS);
  await load.stop();
  await expectExact(database, load.records);
  expectKnownFailures(load.records);
  expect(load.records.failures.get("no answer")).toBeGreaterThan(0);
});

it("a primary that is killed while events come in loses and doubles none", { timeout: TIMEOUT_MS }, async () => {
  const database = "ingest_primary";
  const [one, other] = [await nodes.start(database), await nodes.start(database)];
  const load = startIngestLoad({ clients: CLIENTS, urls: () => [one.url, other.url], eventsMax: 200 });
  for (let fault = 0; fault < 2; fault++) {
    await sleep(CALM_MS);
    await nodes.failOver(() => sleep(CALM_MS));
  }
  await sleep(CALM_MS);
  await load.stop();
  await expectExact(database, load.records);
  expectKnownFailures(load.records);
});
