import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, type Answer, freshDatabaseUri, startService, type TestService } from "../harness/service.ts";

const RATE = 30;
const WINDOW_MS = 10_000;

let nodes: [TestService, TestService];
beforeAll(async () => {
  const settings = { KEYSVC_MONGODB_URI: freshDatabaseUri(), KEYSVC_ANALYTICS_RATE: String(RATE) };
  nodes = await Promise.all([startService(settings), startService(settings)]);
});
afterAll(async () => {
  for (const node of nodes) await node.close();
});

async function createProjectKey(): Promise<string> {
  const { projectKey } = await nodes[0].ok("/project/create", { name: "a project" }, ADMIN_KEY);
  // A credential is known to every node when it is first asked for.
  return projectKey;
}

const EVENT = { requestId: "req_1", timestamp: Date.now() };

/** A project with an event, so that every question has an answer. */
async function createAskedProjectKey(): Promise<string> {
  const projectKey = await createProjectKey();
  const events = [{ ...EVENT, method: "GET", path: "/", statusCode: 200 }];
  await nodes[0].ok("/ingest", { events }, projectKey);
  return projectKey;
}

const SOURCE = { source: "api_traffic" };
/** Every method that asks something, and what to ask. */
const QUESTIONS: [string, object][] = [
  ["/analytics/stats", SOURCE],
  ["/analytics/stats/details", { ...SOURCE, card: "latency" }],
  ["/analytics/timeseries", SOURCE],
  ["/analytics/breakdown", { ...SOURCE, dimension: "method" }],
  ["/analytics/logs", SOURCE],
  ["/analytics/logs/detail", EVENT],
];

function ask(index: number, projectKey: string): Promise<Answer> {
  const [path, body] = QUESTIONS[index % QUESTIONS.length] ?? ["", {}];
  return (nodes[index % 2] as TestService).call(path, body, projectKey);
}

function countOf(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe("of the calls of a project to two nodes", () => {
  it("exactly as many are answered as it may have, whichever they are; the others are told when there is room again", async () => {
    const [projectKey, otherKey] = [await createAskedProjectKey(), await createAskedProjectKey()];
    const startMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 3 * RATE }, (_, index) => ask(index, projectKey)));
    const others = await Promise.all(Array.from({ length: RATE }, (_, index) => ask(index, otherKey)));
    // Or the first are not within the window of the last any more.
    expect(performance.now() - startMs).toBeLessThan(WINDOW_MS);
    expect(countOf(answers)).toEqual({ 200: RATE, 429: 2 * RATE });
    expect(countOf(others)).toEqual({ 200: RATE });
    const refused = answers.filter(({ status }) => status === 429);
    const waits = refused.map(({ headers }) => Number(headers.get("retry-after")));
    for (const seconds of waits) expect(seconds).toSatisfy((value: number) => value >= 1 && value <= 11);
    for (const { body } of refused) expect(body).toMatchObject({ status: 429, code: "resource_exhausted" });
    await sleep(Math.max(...waits) * 1_000);
    expect(countOf([await ask(0, projectKey), await ask(1, projectKey)])).toEqual({ 200: 2 });
  }, 60_000);

  it("no more are answered in any 10 seconds, wherever they begin", async () => {
    const projectKey = await createAskedProjectKey();
    const answered: { startMs: number; endMs: number }[] = [];
    const endMs = performance.now() + 2.5 * WINDOW_MS;
    const call = async (index: number) => {
      while (performance.now() < endMs) {
        const startMs = performance.now();
        const { status } = await ask(index, projectKey);
        if (status === 200) answered.push({ startMs, endMs: performance.now() });
        await sleep(100 * Math.random());
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(call));
    expect(answered.length).toBeGreaterThanOrEqual(2 * RATE);
    const starts = answered.map(({ startMs }) => startMs).sort((one, other) => one - other);
    const ends = answered.map(({ endMs }) => endMs).sort((one, other) => one - other);
    // Each was counted between its start and its end.
    for (const [index, startMs] of starts.slice(0, -RATE).entries())
      expect((ends[index + RATE] ?? 0) - startMs).toBeGreaterThanOrEqual(WINDOW_MS);
  }, 60_000);
});

describe("what one node has acknowledged", () => {
  it("is in the log and the detail of the other at once, and among its figures", async () => {
    for (let round = 0; round < 10; round++) {
      const projectKey = await createProjectKey();
      const [one, other] = round % 2 === 0 ? nodes : ([nodes[1], nodes[0]] as const);
      const served = { method: "GET", path: `/v1/${round}`, statusCode: 200, requestId: `served-${round}` };
      await one.ok("/ingest", { events: [served] }, projectKey);
      const { rows, total } = await other.ok("/analytics/logs", SOURCE, projectKey);
      expect({ round, total, rows }).toMatchObject({ total: 1, rows: [{ requestId: served.requestId }] });
      const [{ timestamp }] = rows;
      const detail = await other.ok("/analytics/logs/detail", { requestId: served.requestId, timestamp }, projectKey);
      expect(detail.apiLog).toMatchObject({ requestId: served.requestId, timestamp });
      const { requestId } = await one.ok("/key/validate", { key: "none of ours, but long enough" }, projectKey);
      const verdicts = await other.ok("/analytics/logs", { source: "key_activity" }, projectKey);
      expect(verdicts).toMatchObject({ total: 1, rows: [{ requestId, code: "NOT_FOUND" }] });
      const exact = { startTime: new Date(Date.now() - 60_000), endTime: new Date(Date.now() + 60_000) };
      const { stats } = await other.ok("/analytics/stats", { source: "key_activity", ...exact }, projectKey);
      expect(stats).toMatchObject({ totalRequests: 1, errorRate: 100 });
    }
  }, 60_000);

  it("is in the log also where the caller's clock is ahead by as much as it may be", async () => {
    const projectKey = await createProjectKey();
    const ahead = { method: "GET", path: "/", statusCode: 200, requestId: "ahead", timestamp: Date.now() + 280_000 };
    await nodes[0].ok("/ingest", { events: [{ ...ahead, timestamp: String(ahead.timestamp) }] }, projectKey);
    expect(await nodes[1].ok("/analytics/logs", SOURCE, projectKey)).toMatchObject({
      total: 1,
      rows: [{ requestId: "ahead" }],
    });
  });
});
