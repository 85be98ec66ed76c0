import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freshDatabaseUri, startService, type TestService } from "../harness/service.ts";
import { startTcpProxy, type TcpProxy, uriBehind } from "../harness/tcp-proxy.ts";
import { openTrafficReader, type TrafficReader } from "../harness/traffic-reader.ts";

/** Long enough to cut the way to the database between an insert and its answer. */
const DELAY_MS = 150;

const databaseUri = new URL(freshDatabaseUri());
let proxy: TcpProxy;
let service: TestService;
let direct: MongoClient;
let reader: TrafficReader;
beforeAll(async () => {
  direct = await MongoClient.connect(databaseUri.href);
  reader = await openTrafficReader({ databaseUri: databaseUri.href });
  proxy = await startTcpProxy(Number(databaseUri.port));
  service = await startService({ KEYSVC_MONGODB_URI: uriBehind(proxy, databaseUri) });
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  await reader.close();
  await direct.close();
});

const eventsOf = (round: number) =>
  Array.from({ length: 20 }, (_event, index) => ({
    ...{ method: "GET", path: "/", statusCode: 200, requestId: `cut-${round}-${index}` },
  }));

it("an insert whose connection broke before its answer is repeated, and does not take its own events for duplicates", async () => {
  const ingested = direct.db(databaseUri.pathname.slice(1)).collection("ingested");
  // So that everything that a call needs is there.
  await service.ok("/ingest", { events: eventsOf(0) });
  const sent = eventsOf(0);
  let answered = 0;
  for (let round = 1; answered < 3; round++) {
    const events = eventsOf(round);
    proxy.setDelay(DELAY_MS);
    let isOver = false;
    const answer = service.call("/ingest", { events }).finally(() => {
      isOver = true;
    });
    while (!isOver && (await ingested.countDocuments({ requestIds: `cut-${round}-0` })) === 0) await sleep(1);
    if (!isOver) proxy.setPassage("cut");
    proxy.setDelay(0);
    proxy.setPassage("open");
    const { status, body } = await answer;
    if (status === 200) {
      expect(body).toEqual({ accepted: 20, duplicates: 0, rejected: [] });
      answered++;
    } else {
      // The machine is busy. It is not known what was recorded, and sending it again says.
      expect(status).toBe(503);
      await expect.poll(async () => (await service.call("/ingest", { events })).status, { timeout: 10_000 }).toBe(200);
    }
    sent.push(...events);
  }
  const stored = await reader.find();
  const ids = sent.map(({ requestId }) => requestId);
  expect(stored.map(({ requestId }) => requestId).sort()).toEqual(ids.sort());
}, 60_000);
