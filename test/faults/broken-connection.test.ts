import { setTimeout as sleep } from "node:timers/promises";
import { type Binary, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createConsumerWithKey, freshDatabaseUri, startService, type TestService } from "../harness/service.ts";
import { startTcpProxy, type TcpProxy, uriBehind } from "../harness/tcp-proxy.ts";
import { watchStalls } from "../harness/watch-stalls.ts";

/** Long enough to cut the way to the database between a statement and its answer. */
const DELAY_MS = 200;
/** Longer than the driver tries to abort a transaction whose connection broke. */
const CUT_MS = 3_000;
const SERVING_MAX_MS = 3_000;
const CONSUMERS = 8;

const databaseUri = new URL(freshDatabaseUri());
let proxy: TcpProxy;
let service: TestService;
let direct: MongoClient;
beforeAll(async () => {
  direct = await MongoClient.connect(databaseUri.href);
  proxy = await startTcpProxy(Number(databaseUri.port));
  service = await startService({ KEYSVC_MONGODB_URI: uriBehind(proxy, databaseUri) });
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  await direct.close();
});

/** How many transactions of the service are open in the database, and wait for their next statement. */
async function countOpen(): Promise<number> {
  const nodes = direct.db(databaseUri.pathname.slice(1)).collection<{ sessions: { id: Binary }[] }>("nodes");
  const ids = (await nodes.find().toArray()).flatMap(({ sessions }) => sessions.map(({ id }) => id));
  const pipeline = [
    { $currentOp: { idleSessions: true } },
    { $match: { type: "idleSession", "lsid.id": { $in: ids }, "transaction.parameters.autocommit": false } },
  ];
  return (await direct.db("admin").aggregate(pipeline).toArray()).length;
}

const validateAll = (keys: readonly string[]) =>
  Promise.all(keys.map(async (key) => (await service.call("/key/validate", { key })).status));

it("a transaction whose connection broke before its first answer keeps its consumers from nobody for long", async () => {
  const made = Array.from({ length: CONSUMERS }, () => createConsumerWithKey(service, { credits: { limit: 100 } }));
  const keys = (await Promise.all(made)).map(({ key }) => key);
  // So that they are known, and the first statement charges them.
  const known = keys.map(() => 200);
  await expect.poll(() => validateAll(keys)).toEqual(known);

  proxy.setDelay(DELAY_MS);
  const cutOff = validateAll(keys);
  await expect.poll(countOpen, { interval: 5, timeout: 5_000 }).toBeGreaterThan(0);
  proxy.setPassage("cut");
  expect(await countOpen()).toBeGreaterThan(0);
  await sleep(CUT_MS);
  proxy.setDelay(0);
  proxy.setPassage("open");

  const healedMs = performance.now();
  const stalled = watchStalls();
  await expect.poll(() => validateAll(keys)).toEqual(known);
  expect(performance.now() - healedMs - stalled()).toBeLessThan(SERVING_MAX_MS);
  for (const status of await cutOff) expect([200, 503]).toContain(status);
  await expect.poll(countOpen).toBe(0);
});
