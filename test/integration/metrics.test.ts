import type { JsonObject } from "@bufbuild/protobuf";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConsumerService } from "../../gen/keysvc/v1/consumer_pb.js";
import { IngestService } from "../../gen/keysvc/v1/ingest_pb.js";
import { KeyService } from "../../gen/keysvc/v1/key_pb.js";
import { connectDatabase } from "../../src/mongo/client.ts";
import { openClients } from "../harness/clients.ts";
import { growth, readMetrics, type Samples } from "../harness/read-metrics.ts";
import {
  ADMIN_KEY,
  createConsumerWithKey,
  freshDatabaseUri,
  PROJECT_KEY,
  startService,
  type TestService,
} from "../harness/service.ts";

let service: TestService;
let opened: ReturnType<typeof openClients>;
beforeAll(async () => {
  service = await startService();
  opened = openClients(service);
});
afterAll(async () => {
  opened.close();
  await service.close();
});

const verdicts = (code: string) => `keysvc_validate_duration_seconds_count{code="${code}"}`;
const faults = (reason: string) => `keysvc_faults_total{reason="${reason}"}`;
const ingested = (result: string) => `keysvc_ingest_events_total{result="${result}"}`;
const COMPARED = /^keysvc_(validate_duration_seconds_count|faults_total|ingest_events_total)/;
const EVENT = { method: "GET", path: "/v1/things", statusCode: 200 };

async function grown(work: () => Promise<void>, names = COMPARED): Promise<Record<string, number>> {
  const before = await readMetrics(service.url);
  await work();
  return growth(before, await readMetrics(service.url), names);
}

describe("the figures agree, to the unit, with a load", () => {
  it("of verdicts, denials, batches, faults and events, over every protocol", async () => {
    const rich = await createConsumerWithKey(service, { credits: { limit: 1_000_000 } });
    const poor = await createConsumerWithKey(service, { credits: { limit: 0 } });
    const limited = await createConsumerWithKey(service, { rateLimit: { limit: 1, window: 86_400 } });
    await service.ok("/key/validate", { key: limited.key });
    const off = await createConsumerWithKey(service, {}, { enabled: false });
    const keys = { VALID: rich, USAGE_EXCEEDED: poor, RATE_LIMITED: limited, KEY_DISABLED: off };
    const unknown = "sk_0000000000000000000000000000000000";
    let ids = 0;
    const figures = await grown(async () => {
      for (const { call } of opened.clients) {
        const validate = (request: JsonObject, credential = PROJECT_KEY) =>
          call(KeyService.method.validate, request, credential);
        for (const { key } of Object.values(keys)) await validate({ key });
        await validate({ key: unknown });
        const requests = [{ key: rich.key }, { key: rich.key }, { key: unknown }, { key: poor.key }];
        await call(KeyService.method.validateBatch, { requests }, PROJECT_KEY);
        await validate({ key: rich.key }, "a-credential-that-nobody-has");
        await validate({ key: "" });
        await call(ConsumerService.method.details, { consumerId: "consumer_unknown" }, PROJECT_KEY);
        const requestId = `event-${++ids}`;
        const events = [EVENT, { ...EVENT, requestId }, { ...EVENT, requestId }, { ...EVENT, statusCode: 99 }];
        await call(IngestService.method.ingest, { events }, PROJECT_KEY);
      }
    });
    const each = opened.clients.length;
    expect(figures).toEqual({
      [verdicts("VALID")]: 3 * each,
      [verdicts("USAGE_EXCEEDED")]: 2 * each,
      [verdicts("RATE_LIMITED")]: each,
      [verdicts("KEY_DISABLED")]: each,
      [verdicts("NOT_FOUND")]: 2 * each,
      [faults("WRONG_CREDENTIAL")]: each,
      [faults("INVALID_REQUEST")]: each,
      [faults("NOT_FOUND")]: each,
      [ingested("accepted")]: 2 * each,
      [ingested("duplicate")]: each,
      [ingested("rejected")]: each,
    });
  });

  it("of faults that no method has seen", async () => {
    const post = (path: string, headers: Record<string, string>, body: string) =>
      fetch(service.url + path, { method: "POST", headers, body });
    const bearer = { authorization: `Bearer ${PROJECT_KEY}` };
    const figures = await grown(async () => {
      await fetch(`${service.url}/key/validate`);
      await fetch(`${service.url}/no/such/path`);
      await fetch(`${service.url}/%`);
      await post("/key/validate", { "content-type": "application/json" }, "{}");
      await post("/key/validate", { ...bearer, "content-type": "text/plain" }, "{}");
      await post("/key/validate", { ...bearer, "content-type": "application/json" }, "{");
      await post("/key/validate", { ...bearer, "content-type": "application/json" }, " ".repeat(2 ** 21));
      await post("/keysvc.v1.KeyService/Validate", { ...bearer, "content-type": "application/json" }, "{");
      await post("/analytics/logs", { ...bearer, "content-type": "application/json", accept: "image/png" }, "{}");
    });
    expect(figures).toEqual({
      [faults("METHOD_NOT_ALLOWED")]: 1,
      [faults("UNKNOWN_PATH")]: 1,
      [faults("MALFORMED_REQUEST")]: 1,
      [faults("MISSING_CREDENTIAL")]: 1,
      [faults("UNSUPPORTED_MEDIA_TYPE")]: 1,
      [faults("MALFORMED_BODY")]: 2,
      [faults("BODY_TOO_LARGE")]: 1,
      [faults("NOT_ACCEPTABLE")]: 1,
    });
  });

  it("of calls at once: those that were settled are the batches, each was looked for in memory once, none is left waiting", async () => {
    const { key } = await createConsumerWithKey(service, { credits: { limit: 1_000_000 } });
    const names = /^keysvc_(validate_duration_seconds_count|settlement_batch_size_sum|key_cache_total)/;
    const before = await readMetrics(service.url);
    await Promise.all(Array.from({ length: 200 }, () => service.ok("/key/validate", { key })));
    const requests = Array.from({ length: 100 }, () => ({ key }));
    await Promise.all([1, 2, 3].map(() => service.ok("/key/validate/batch", { requests })));
    const after = await readMetrics(service.url);
    const { [look("hit")]: hits = 0, [look("miss")]: misses = 0, ...others } = growth(before, after, names);
    expect(others).toEqual({ [verdicts("VALID")]: 500, keysvc_settlement_batch_size_sum: 500 });
    expect(hits + misses).toBe(500);
    expect(hits).toBeGreaterThan(0);
    for (const queue of ["validate", "journal", "ingest"]) {
      expect(after.get(`keysvc_queue_depth{queue="${queue}"}`), queue).toBe(0);
    }
  });

  it("of what waits in the journal: bytes and age while it is not drained, then nothing", async () => {
    const client = await MongoClient.connect(service.databaseUri);
    const journal = client.db().collection<{ _id: string }>("journal");
    // Of a kind that is drained, but not to be read: it is laid aside, which ends its waiting.
    const waiting = { at: new Date(Date.now() - 90_000), kind: "activity", count: 1, events: "[" };
    const settled = () => expect.poll(async () => lagOf(await readMetrics(service.url)), { timeout: 10_000 });
    await settled().toBe(0);
    await client.db().collection<{ _id: string }>("settings").updateOne({ _id: "journalDrain" }, HELD);
    await journal.insertOne({ _id: "waits", ...waiting });
    let samples: Samples = new Map();
    const lag = async () => {
      samples = await readMetrics(service.url);
      // Absent while the database does not answer in time.
      return lagOf(samples) ?? 0;
    };
    await expect.poll(lag).toBeGreaterThanOrEqual(89);
    expect(samples.get("keysvc_journal_bytes")).toBeGreaterThan(50);
    await client.db().collection<{ _id: string }>("settings").updateOne({ _id: "journalDrain" }, LET_GO);
    await settled().toBe(0);
    await client.close();
  });
});

const look = (result: string) => `keysvc_key_cache_total{result="${result}"}`;
const lagOf = (samples: Samples) => samples.get("keysvc_journal_lag_seconds");
/** The lease of a drainer that is not there. */
const HELD = { $set: { holder: "nobody", until: new Date(Date.now() + 3_600_000) }, $inc: { fence: 1 } };
const LET_GO = { $set: { until: new Date(0) } };

it("commands of a client are counted by name and outcome, with their time", async () => {
  const seen: string[] = [];
  const observe = (command: string) => (isOk: boolean) => void seen.push(`${command} ${isOk}`);
  const database = await connectDatabase(freshDatabaseUri(), { giveUpHangingSockets: true, observers: [observe] });
  await Promise.all([1, 2, 3].map(() => database.db.command({ ping: 1 })));
  await expect(database.db.command({ noSuchCommand: 1 })).rejects.toThrow();
  await database.db.collection("things").insertOne({});
  await database.close();
  const counts = Object.entries(Object.groupBy(seen, (one) => one)).map(([name, all]) => [name, all?.length]);
  // The first ping is that of connecting.
  expect(Object.fromEntries(counts)).toMatchObject({ "ping true": 4, "noSuchCommand false": 1, "insert true": 1 });
  const samples = await readMetrics(service.url);
  expect(samples.get('keysvc_mongodb_commands_total{command="commitTransaction",result="ok"}')).toBeGreaterThan(0);
});

it("no label says anything that belongs to a caller or a project", async () => {
  const { consumerId, key } = await createConsumerWithKey(service, { name: "Acme" });
  await service.call(`/nope/${key}?key=${key}`, {});
  await service.ok("/key/validate", { key });
  const text = await (await fetch(`${service.url}/metrics`)).text();
  for (const secret of [key, consumerId, "Acme", PROJECT_KEY, ADMIN_KEY, "default"]) expect(text).not.toContain(secret);
  expect(text.split("\n").length).toBeLessThan(1_500);
});

describe("on a port that others can reach", () => {
  it("the metrics need the operator's credential, and have a port of their own where one is set", async () => {
    const other = await startService({ KEYSVC_HOST: "0.0.0.0", KEYSVC_METRICS_PORT: "0" });
    const bare = await fetch(`${other.url}/metrics`);
    expect(bare.status).toBe(401);
    expect(bare.headers.get("www-authenticate")).toMatch(/^Bearer/);
    const asProject = await fetch(`${other.url}/metrics`, { headers: { authorization: `Bearer ${PROJECT_KEY}` } });
    expect(asProject.status).toBe(403);
    const authorization = { authorization: `Bearer ${ADMIN_KEY}` };
    expect((await readMetrics(other.url, authorization)).size).toBeGreaterThan(50);
    const metricsUrl = `http://127.0.0.1:${other.app.metricsPort}`;
    expect((await readMetrics(metricsUrl)).get(faults("SCOPE_MISSING"))).toBe(1);
    expect((await fetch(`${metricsUrl}/healthz`)).status).toBe(404);
    const posted = await fetch(`${metricsUrl}/metrics`, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    await other.close();
  });
});
