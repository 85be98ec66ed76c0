import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSeededRandom } from "../../src/lib/seeded-random.ts";
import type { Source } from "../../src/segments/segment.ts";
import { createProject, type OwnProject } from "../harness/own-project.ts";
import { expectProblem } from "../harness/problem.ts";
import { JournalFeed, type ModelEvent, projectIdOf } from "../harness/random-events.ts";
import { startService, type TestService } from "../harness/service.ts";
import { untilDrained } from "../harness/until-drained.ts";

const SEED = Number(process.env.ANALYTICS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const HOUR_MS = 3_600_000;
const SOURCES: Source[] = ["api_traffic", "key_activity"];
const STATUS_FILTERS = ["all", "success", "error"] as const;

interface Row {
  requestId: string;
  timestamp: string;
  tsUnix: number;
  statusCode: number;
  endpoint: string;
  latencyMs: number;
  /** Of key_activity only. */
  creditsRemaining?: number | null;
}

const passes = {
  all: () => true,
  success: (status: number) => status >= 200 && status < 400,
  error: (status: number) => status >= 400,
};
/** What tells two events apart as far as a row shows it; the milliseconds are not shown. */
const pick = ({ requestId, timestamp }: Row) => ({ requestId, timestamp });
const lookOf = ({ requestId, statusCode, endpoint, latencyMs }: Row | ModelEvent) =>
  JSON.stringify([requestId, statusCode, endpoint, latencyMs]);

describe(`the log, with seed ${SEED}`, () => {
  const random = createSeededRandom(SEED);
  const events: Record<Source, ModelEvent[]> = { api_traffic: [], key_activity: [] };
  let service: TestService;
  let project: OwnProject;
  let client: MongoClient;
  let feed: JournalFeed;

  async function write(source: Source, count: number, rangeMs: number): Promise<void> {
    const untilMs = Date.now() - random.integer(0, 2) * HOUR_MS;
    events[source].push(...(await feed.write(source, count, [untilMs - rangeMs, untilMs], random)));
  }

  beforeAll(async () => {
    service = await startService({ KEYSVC_ANALYTICS_RATE: "100000" });
    project = await createProject(service);
    client = await MongoClient.connect(service.databaseUri);
    feed = new JournalFeed(client.db(), await projectIdOf(client, project));
    for (const source of SOURCES) {
      await write(source, 200, 3 * HOUR_MS);
      // Many in the same millisecond.
      await write(source, 60, 1);
      await untilDrained(client.db());
      await write(source, 40, 20);
    }
  });
  afterAll(async () => {
    await client.close();
    await service.close();
  });

  async function walk(
    body: object,
    eachPage: () => Promise<void>,
  ): Promise<{ rows: Row[]; totals: number[]; sizes: number[] }> {
    const walked = { rows: [] as Row[], totals: [] as number[], sizes: [] as number[] };
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await project.ok("/analytics/logs", { ...body, ...(cursor && { cursor }) });
      walked.rows.push(...page.rows);
      walked.totals.push(page.total);
      walked.sizes.push(page.rows.length);
      cursor = page.nextCursor;
      await eachPage();
    }
    return walked;
  }

  const cases = SOURCES.flatMap((source) =>
    STATUS_FILTERS.flatMap((statusFilter) => [1, 7, 200].map((pageSize) => [source, statusFilter, pageSize] as const)),
  );
  it.each(cases)(
    "of %s, %s, in pages of %i, shows each event that was there once, in order, while others arrive",
    async (source, statusFilter, pageSize) => {
      const there = events[source].filter(({ statusCode }) => passes[statusFilter](statusCode));
      const arrive = async () => {
        if (random.fraction() < 8 / (there.length / pageSize)) await write(source, 3, 2 * HOUR_MS);
      };
      const { rows, totals, sizes } = await walk({ source, statusFilter, pageSize, timeRange: "24h" }, arrive);
      const left = new Map<string, number>();
      for (const row of rows) left.set(lookOf(row), (left.get(lookOf(row)) ?? 0) + 1);
      for (const event of there) left.set(lookOf(event), (left.get(lookOf(event)) ?? 0) - 1);
      // What is left arrived meanwhile; nothing that was there is missing, nothing was shown twice.
      const arrived = new Set(events[source].slice(-200).map(lookOf));
      for (const [look, count] of left)
        expect({ look, count, isNew: arrived.has(look) }).toEqual(
          count === 0 ? { look, count, isNew: arrived.has(look) } : { look, count: 1, isNew: true },
        );
      expect(rows.map(({ tsUnix }) => tsUnix)).toEqual(
        rows.map(({ tsUnix }) => tsUnix).sort((one, other) => other - one),
      );
      expect(new Set(totals).size).toBe(1);
      expect(totals[0]).toBe(there.length);
      expect(sizes.slice(0, -1).every((size) => size === pageSize)).toBe(true);
    },
    60_000,
  );

  it("shows events in the order of their time, then of their request ids", async () => {
    const { rows } = await walk({ source: "api_traffic", pageSize: 200 }, async () => undefined);
    const sorted = [...events.api_traffic].sort(
      (one, other) => other.at - one.at || (one.requestId < other.requestId ? -1 : 1),
    );
    expect(rows.map(({ requestId }) => requestId)).toEqual(sorted.map(({ requestId }) => requestId));
    expect(rows[0]?.timestamp).toBe(new Date(sorted[0]?.at ?? 0).toISOString().slice(0, 19).replace("T", " "));
  });

  it("finds few events among many by every filter", async () => {
    const one = events.api_traffic.find(({ consumerId, endpoint }) => consumerId !== "" && endpoint !== "");
    const filters = { consumer: [one?.consumerId], endpoint: one?.endpoint, statusCode: [String(one?.statusCode)] };
    const { rows } = await walk({ source: "api_traffic", filters, pageSize: 5 }, async () => undefined);
    const wanted = events.api_traffic.filter(
      ({ consumerId, endpoint, statusCode }) =>
        consumerId === one?.consumerId && endpoint === one.endpoint && statusCode === one.statusCode,
    );
    expect(rows.map(lookOf).sort()).toEqual(wanted.map(lookOf).sort());
  });

  it.each(SOURCES)(
    "of %s finds each row again by its timestamp as it is shown, in seconds and in milliseconds",
    async (source) => {
      const { rows } = await project.ok("/analytics/logs", { source, pageSize: 20 });
      for (const { requestId, timestamp, tsUnix } of rows as Row[]) {
        if (requestId === "req_twice") continue;
        for (const at of [timestamp, tsUnix, String(tsUnix), tsUnix * 1_000 + 999]) {
          const detail = await project.ok("/analytics/logs/detail", { requestId, timestamp: at });
          const found = source === "api_traffic" ? detail.apiLog : detail.keyLog;
          expect({ at, found }).toMatchObject({ at, found: { requestId, timestamp } });
        }
      }
    },
  );

  const both = ["requestId", "timestamp", "method", "endpoint", "statusCode", "latencyMs", "consumerId", "region"];
  const ofRow = [...both, "tsUnix", "path", "clientIp", "apiKey", "apiId", "apiName", "consumerName", "country"];
  const ofVerdict = [...ofRow, "code", "keyId", "creditsCharged", "creditsRemaining"];
  const ofCall = [...both, "requestBody", "responseBody", "requestHeaders", "responseHeaders", "userAgent"];

  it.each([
    ["api_traffic", ofRow, ofCall],
    ["key_activity", ofVerdict, [...ofVerdict, "userAgent"]],
  ] as const)(
    "of %s has all fields of the dataset and no others in every row and detail",
    async (source, row, detail) => {
      const { rows } = await project.ok("/analytics/logs", { source, pageSize: 20 });
      for (const shown of rows) {
        expect(Object.keys(shown).sort()).toEqual([...row].sort());
        const { keyLog, apiLog } = await project.ok("/analytics/logs/detail", { ...pick(shown), source });
        expect(Object.keys(keyLog ?? apiLog).sort()).toEqual([...detail].sort());
        expect((keyLog ?? apiLog).userAgent).toBe("");
      }
      if (source === "key_activity")
        expect(new Set(rows.map(({ creditsRemaining }: Row) => creditsRemaining))).toEqual(new Set([null, 7]));
    },
  );

  it("has no detail of what was not recorded, nor of another second or dataset: that is not found", async () => {
    const { rows } = await project.ok("/analytics/logs", { source: "api_traffic", pageSize: 1 });
    const [{ requestId, tsUnix }] = rows;
    for (const body of [
      { requestId: "req_never", timestamp: tsUnix },
      { requestId, timestamp: tsUnix - 1 },
      { requestId, timestamp: tsUnix, source: "key_activity" },
    ]) {
      expectProblem(await project.call("/analytics/logs/detail", body), 404, "not_found");
    }
  });

  it("refuses cursors that were changed, cut, or are of another query, source or project", async () => {
    const query = { source: "api_traffic", pageSize: 3, filters: { method: ["GET", "POST"] } };
    const { nextCursor } = await project.ok("/analytics/logs", query);
    const other = await createProject(service);
    const changed = `${nextCursor.slice(0, -2)}${nextCursor.at(-2) === "A" ? "B" : "A"}${nextCursor.at(-1)}`;
    const refused: [object, OwnProject][] = [
      [{ ...query, cursor: changed }, project],
      [{ ...query, cursor: nextCursor.slice(0, -4) }, project],
      [{ ...query, cursor: "" }, project],
      [{ ...query, source: "key_activity", cursor: nextCursor }, project],
      [{ ...query, filters: { method: "GET" }, cursor: nextCursor }, project],
      [{ ...query, statusFilter: "error", cursor: nextCursor }, project],
      [{ ...query, timeRange: "7d", cursor: nextCursor }, project],
      [{ ...query, cursor: nextCursor }, other],
    ];
    for (const [body, caller] of refused) {
      const answer = await caller.call("/analytics/logs", body);
      expect({ status: answer.status, body: answer.body }).toMatchObject({
        status: 400,
        body: { errors: [{ field: "cursor" }] },
      });
    }
    const same = { ...query, filters: { method: ["POST", "GET"] }, pageSize: 4, cursor: nextCursor };
    expect((await project.ok("/analytics/logs", same)).rows).toHaveLength(4);
  });
});
