import { type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasJournaled } from "../../src/journal/waiting-events.ts";
import { createSeededRandom } from "../../src/lib/seeded-random.ts";
import { SessionPool } from "../../src/mongo/session-pool.ts";
import { purgeProjects } from "../../src/project/purge.ts";
import { createProjectStore } from "../../src/project/store.ts";
import { OWNED } from "../../src/schema.ts";
import { Compaction } from "../../src/segments/compaction.ts";
import { createSegmentStore } from "../../src/segments/store.ts";
import { expectProblem } from "../harness/problem.ts";
import { JournalFeed } from "../harness/random-events.ts";
import { ADMIN_KEY, startService, type TestService } from "../harness/service.ts";
import { untilDrained } from "../harness/until-drained.ts";

const DAY_MS = 24 * 3_600_000;
const SOURCES = ["api_traffic", "key_activity"] as const;
const EVENTS = 40;

/** Every method that asks something, what to ask, and what the answer has of a project without events. */
const QUESTIONS: [string, object, object][] = [
  ["/analytics/stats", {}, { stats: { totalRequests: 0 } }],
  ["/analytics/stats/details", { card: "totalApiCalls" }, { details: { total: 0, byApi: [] } }],
  ["/analytics/breakdown", { dimension: "endpoint" }, { data: [] }],
  ["/analytics/breakdown", { dimension: "consumer" }, { data: [] }],
  ["/analytics/logs", {}, { total: 0, rows: [], nextCursor: null }],
];

let service: TestService;
let client: MongoClient;
let db: Db;
beforeAll(async () => {
  service = await startService({ KEYSVC_ANALYTICS_RATE: "100000" });
  client = await MongoClient.connect(service.databaseUri);
  db = client.db();
});
afterAll(async () => {
  await client.close();
  await service.close();
});

const createProject = (): Promise<{ projectId: string; projectKey: string }> =>
  service.ok("/project/create", { name: "a project" }, ADMIN_KEY);

/** Some events of both datasets, of today and of days that are over, in segments and in the sums of days. */
async function record(projectId: string): Promise<void> {
  const feed = new JournalFeed(db, projectId);
  const random = createSeededRandom(3);
  for (const source of SOURCES)
    for (const daysAgo of [0, 2, 3]) {
      // Within one day each, also shortly after midnight.
      const untilMs = Date.now() - daysAgo * DAY_MS;
      const fromMs = Math.max(untilMs - 60_000, Math.floor(untilMs / DAY_MS) * DAY_MS);
      await feed.write(source, EVENTS, [fromMs, untilMs], random);
    }
  await untilDrained(db);
}

/** What merges segments, at a time that a test moves. It has found everything that there is. */
async function openCompaction() {
  const sessions = new SessionPool(client);
  const time = { nowMs: Date.now() };
  const compaction = new Compaction({ store: createSegmentStore(db), sessions, nowMs: () => time.nowMs });
  await compaction.survey();
  // The pause before a day is added up is over.
  time.nowMs += 10_000;
  return { step: () => compaction.step(), close: () => sessions.close() };
}

const countOf = (projectId: string) =>
  Promise.all(["segments", "segment_days"].map((name) => db.collection(name).countDocuments({ projectId })));

async function purge(): Promise<void> {
  const now = async () => Date.now() + 121_000;
  const options = {
    store: createProjectStore(db, 0),
    owned: OWNED,
    now,
    hasJournaled: (id: string) => hasJournaled(db, id),
  };
  await purgeProjects(options, new AbortController().signal);
}

describe("of another project,", () => {
  it.each(SOURCES)("no answer about %s has anything, whatever is asked for", async (source) => {
    const [theirs, own] = [await createProject(), await createProject()];
    await record(theirs.projectId);
    const logs = { source, timeRange: "7d", pageSize: 5 };
    const { rows, nextCursor } = await service.ok("/analytics/logs", logs, theirs.projectKey);
    expect(rows).toHaveLength(5);
    const windows = [{ timeRange: "7d" }, { startTime: new Date(Date.now() - 5 * DAY_MS), endTime: new Date() }];
    for (const [path, more, answer] of QUESTIONS)
      for (const window of windows)
        for (const filters of [{}, { consumer: ["consumer_1", "Acme"] }]) {
          const body = { source, ...more, ...window, filters };
          expect(await service.ok(path, body, own.projectKey)).toMatchObject(answer);
        }
    const { data } = await service.ok("/analytics/timeseries", { source, timeRange: "7d" }, own.projectKey);
    expect(data.every(({ requests }: { requests: number }) => requests === 0)).toBe(true);
    for (const { requestId, timestamp } of rows) {
      const detail = await service.call("/analytics/logs/detail", { requestId, timestamp }, own.projectKey);
      expectProblem(detail, 404, "not_found");
    }
    const cursor = { ...logs, cursor: nextCursor };
    expectProblem(await service.call("/analytics/logs", cursor, own.projectKey), 400, "invalid_argument", ["cursor"]);
    expect(await stream("/analytics/logs/export", { source, timeRange: "7d" }, own.projectKey)).toBe("");
    expect(await stream("/analytics/logs/export", { source, timeRange: "7d" }, theirs.projectKey)).not.toBe("");
  });

  it("nothing is seen by who follows the log", async () => {
    const [theirs, own] = [await createProject(), await createProject()];
    const leave = new AbortController();
    const answer = await open("/analytics/logs/tail", { source: "api_traffic" }, own.projectKey, leave.signal);
    const event = { method: "GET", path: "/", statusCode: 200 };
    // In one call each, at once: they may share an entry of the journal.
    const send = (requestId: string, key: string) => service.ok("/ingest", { events: [{ ...event, requestId }] }, key);
    await Promise.all([send("req_theirs", theirs.projectKey), send("req_own", own.projectKey)]);
    await send("req_last", own.projectKey);
    let text = "";
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes("req_last")) break;
    }
    leave.abort();
    expect(text).toContain("req_own");
    expect(text).not.toContain("req_theirs");
  });
});

describe("of a project that was deleted", () => {
  it("nothing is left, and nothing comes back from who was merging its segments", async () => {
    const [project, other] = [await createProject(), await createProject()];
    for (const { projectId } of [project, other]) await record(projectId);
    const [early, late] = [await openCompaction(), await openCompaction()];
    while (await early.step());
    const [, days] = await countOf(project.projectId);
    expect(days).toBe(4);
    await service.ok("/project/delete", { projectId: project.projectId }, ADMIN_KEY);
    const before = await countOf(other.projectId);
    for (let run = 0; run < 2; run++) await purge();
    while (await late.step());
    expect(await countOf(project.projectId)).toEqual([0, 0]);
    expect(await countOf(other.projectId)).toEqual(before);
    await Promise.all([early.close(), late.close()]);
  });
});

describe("the scope read", () => {
  it("is enough for every question, and no other but manage is", async () => {
    const { projectKey } = await createProject();
    const event = { requestId: "req_1", timestamp: Date.now() };
    await service.ok("/ingest", { events: [{ ...event, method: "GET", path: "/", statusCode: 200 }] }, projectKey);
    const rest = { "/analytics/stats/details": { card: "latency" }, "/analytics/breakdown": { dimension: "method" } };
    const paths = ["stats", "stats/details", "timeseries", "breakdown", "logs", "logs/export", "logs/tail"];
    const bodies: [string, object][] = [
      ...paths.map((name): [string, object] => [
        `/analytics/${name}`,
        { source: "key_activity", ...rest[`/analytics/${name}` as keyof typeof rest] },
      ]),
      ["/analytics/logs/detail", event],
    ];
    for (const scope of ["read", "manage", "validate", "ingest"]) {
      const made = await service.ok("/project/credential/create", { name: scope, scopes: [scope] }, projectKey);
      for (const [path, body] of bodies) {
        const leave = new AbortController();
        const { status } = await open(path, body, made.projectKey, leave.signal);
        leave.abort();
        expect({ scope, path, status }).toEqual({
          scope,
          path,
          status: ["read", "manage"].includes(scope) ? 200 : 403,
        });
      }
    }
  });
});

function open(path: string, body: object, projectKey: string, signal?: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${projectKey}` };
  const options = { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null };
  return fetch(`${service.url}${path}`, options);
}

async function stream(path: string, body: object, projectKey: string): Promise<string> {
  return (await open(path, body, projectKey)).text();
}
