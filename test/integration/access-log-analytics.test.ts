import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import type { AccessLogEntry } from "../../src/demo/access-log.ts";
import { windowUpTo } from "../../src/demo/analytics-answers.ts";
import { expectationOf } from "../../src/demo/expectation.ts";
import { ingestTraffic } from "../../src/demo/ingest-traffic.ts";
import { loadTraffic, type Traffic } from "../../src/demo/load-traffic.ts";
import { createConsumers, replayRequests } from "../../src/demo/replay.ts";
import { createServiceClient, type ServiceClient } from "../../src/demo/service-client.ts";
import { shiftOf, type TrafficEvent, trafficEventsOf } from "../../src/demo/traffic-event.ts";
import { forEachConcurrently } from "../../src/lib/for-each-concurrently.ts";
import { createProject } from "../harness/own-project.ts";
import { startService, type TestService } from "../harness/service.ts";
import { untilDrained } from "../harness/until-drained.ts";

const RANKED_MAX = 50;
const PAGE_SIZE = 200;
const CONCURRENCY = 16;
/** As many values as a filter takes. */
const FILTERED_MAX = 100;
const ALONE_STEP = 25;
const BUSIEST = 5;
const STATUS_OF: Record<string, number> = { VALID: 200, NOT_FOUND: 401, USAGE_EXCEEDED: 429 };

type Source = "api_traffic" | "key_activity";
type Row = Record<"requestId" | "method" | "endpoint" | "path" | "clientIp" | "timestamp", string> & {
  statusCode: number;
  tsUnix: number;
  code?: string;
};

/** One request as a plain reader of the log sees it; the status of a validation is its verdict's. */
interface Seen {
  endpoint: string;
  method: string;
  statusCode: number;
  clientIp: string;
}

const never = new AbortController().signal;
const { KEYSVC_ACCESS_LOG_DIR } = process.env;

describe("an access log, replayed through /ingest and /key/validate", { timeout: 120_000 }, () => {
  let service: TestService;
  let client: ServiceClient;
  let traffic: Traffic;
  let events: TrafficEvent[];
  let window: { startTime: string; endTime: string };
  /** Of the answers to /key/validate, by client address. */
  let answered: Map<string, Map<string, number>>;
  let seen: Record<Source, Seen[]>;

  beforeAll(async () => {
    service = await startService({ KEYSVC_ANALYTICS_RATE: "100000" });
    client = createServiceClient(service.app.port, (await createProject(service)).projectKey, 64);
    traffic = await loadTraffic(readConfig({ KEYSVC_ACCESS_LOG_DIR }).accessLogDir);
    const { entries } = traffic;
    const consumers = await createConsumers(client, expectationOf(entries), never);
    answered = await replayRequests(client, entries, consumers, () => undefined, never);
    const consumerIds = new Map(consumers.map(({ clientAddress, consumerId }) => [clientAddress, consumerId]));
    events = trafficEventsOf(traffic, shiftOf(entries, Date.now()), consumerIds);
    expect(await ingestTraffic(client, events, never)).toEqual({ accepted: 10_000, duplicates: 0, rejected: [] });
    // Questions while the journal is drained are the matter of other tests.
    const mongo = await MongoClient.connect(service.databaseUri);
    await untilDrained(mongo.db());
    await mongo.close();
    window = windowUpTo(Date.now(), Date.now());
    seen = { api_traffic: entries.map(servedAs), key_activity: validatedAs(entries, answered) };
  });
  afterAll(async () => {
    client.close();
    await service.close();
  });

  async function totalOf(source: Source, filters: object): Promise<number> {
    const question = { source, filters, ...window };
    return (await client.ask<{ stats: { totalRequests: number } }>("/analytics/stats", question)).stats.totalRequests;
  }

  async function rankingOf(source: Source, dimension: keyof Seen, filters: object = {}): Promise<Map<string, number>> {
    const question = { source, dimension, filters, ...window };
    const { data } = await client.ask<{ data: { value: string; count: number }[] }>("/analytics/breakdown", question);
    const counts = data.map(({ count }) => count);
    expect(counts).toEqual(counts.toSorted((one, other) => other - one));
    const ranking = new Map(data.map(({ value, count }) => [value, count]));
    expect(ranking.size).toBe(data.length);
    return ranking;
  }

  /** All rows of the log, page by page. */
  async function walk(source: Source): Promise<{ rows: Row[]; totals: Set<number> }> {
    const rows: Row[] = [];
    const totals = new Set<number>();
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.ask<{ rows: Row[]; total: number; nextCursor: string | null }>("/analytics/logs", {
        ...{ source, pageSize: PAGE_SIZE, ...window },
        ...(cursor !== undefined && { cursor }),
      });
      rows.push(...page.rows);
      totals.add(page.total);
      cursor = page.nextCursor;
    }
    return { rows, totals };
  }

  it.each<[Source, keyof Seen]>([
    ["api_traffic", "endpoint"],
    ["api_traffic", "clientIp"],
    ["api_traffic", "method"],
    ["api_traffic", "statusCode"],
    ["key_activity", "endpoint"],
    ["key_activity", "clientIp"],
    ["key_activity", "method"],
    ["key_activity", "statusCode"],
  ])(
    "has in %s as many hits of each %s as the log: the most frequent are ranked, filters count the others",
    async (source, dimension) => {
      const plain = countBy(seen[source], (request) => String(request[dimension]));
      const ranking = await rankingOf(source, dimension);
      expectTop(ranking, plain);
      const others = [...plain].filter(([value]) => !ranking.has(value));
      expect(ranking.size + others.length).toBe(plain.size);
      // Each of them in one of the lists that a filter takes, and some by themselves.
      const lists = Array.from({ length: Math.ceil(others.length / FILTERED_MAX) }, (_, list) =>
        others.slice(list * FILTERED_MAX, (list + 1) * FILTERED_MAX),
      );
      const alone = others.filter((_other, index) => index % ALONE_STEP === 0).map((other) => [other]);
      await forEachConcurrently([...lists, ...alone], CONCURRENCY, never, async (list) => {
        const values = list.map(([value]) => value);
        const implied = list.reduce((sum, [, count]) => sum + count, 0);
        expect([values, await totalOf(source, { [dimension]: values })]).toEqual([values, implied]);
      });
    },
  );

  it.each<Source>(["api_traffic", "key_activity"])("has in %s the sums and the errors of the log", async (source) => {
    const requests = seen[source];
    const errors = requests.filter(({ statusCode }) => statusCode >= 400);
    const { stats } = await client.ask<{ stats: object }>("/analytics/stats", { source, ...window });
    const errorRate = Math.round((errors.length / requests.length) * 10_000) / 100;
    expect(stats).toMatchObject({ totalRequests: 10_000, errorRate });
    const cardOf = async <Details>(card: string) =>
      (await client.ask<{ details: Details }>("/analytics/stats/details", { source, card, ...window })).details;
    type Shares = { code: string; count: number }[];
    const byCode = (shares: Shares) => Object.fromEntries(shares.map(({ code, count }) => [code, count]));
    const { errorBreakdown } = await cardOf<{ errorBreakdown: Shares }>("errorRate");
    expect(byCode(errorBreakdown)).toEqual(plainOf(errors, ({ statusCode }) => String(statusCode)));
    const { total, ...parts } = await cardOf<{ total: number; byMethod: Shares; byStatusClass: Shares }>(
      "totalRequests",
    );
    expect(total).toBe(10_000);
    expect(byCode(parts.byMethod)).toEqual(plainOf(requests, ({ method }) => method));
    expect(byCode(parts.byStatusClass)).toEqual(plainOf(requests, ({ statusCode }) => `${String(statusCode)[0]}xx`));
  });

  it("has in the log of the traffic each request once, newest first, with all that was sent of it", async () => {
    const { rows, totals } = await walk("api_traffic");
    expect([...totals]).toEqual([10_000]);
    const sent = new Map(events.map((event) => [event.requestId, event]));
    expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(10_000);
    expect(rows).toHaveLength(10_000);
    for (const { requestId, tsUnix, method, path, endpoint, statusCode, clientIp } of rows) {
      const row = { requestId, timestamp: tsUnix * 1_000, method, path, statusCode, clientIp };
      expect(sent.get(requestId)).toMatchObject(row);
      expect(endpoint).toBe(path.split("?")[0]);
    }
    const times = rows.map(({ tsUnix }) => tsUnix);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
  });

  it("has in the log of the validations each verdict that was answered, by client, endpoint and method", async () => {
    const { rows, totals } = await walk("key_activity");
    expect([...totals]).toEqual([10_000]);
    const recorded = plainOf(rows, ({ clientIp, code, statusCode }) => `${clientIp} ${code} ${statusCode}`);
    const verdicts = [...answered].flatMap(([address, codes]) =>
      [...codes].map(([code, count]) => [`${address} ${code} ${STATUS_OF[code]}`, count]),
    );
    expect(recorded).toEqual(Object.fromEntries(verdicts));
    const nameOf = ({ clientIp, method, endpoint }: Omit<Seen, "statusCode">) => `${clientIp} ${method} ${endpoint}`;
    expect(plainOf(rows, nameOf)).toEqual(plainOf(seen.key_activity, nameOf));
  });

  it("has of each of the busiest clients the endpoints and the errors that the log has", async () => {
    const requests = seen.api_traffic;
    const busiest = [...countBy(requests, ({ clientIp }) => clientIp)].sort(([, one], [, other]) => other - one);
    for (const [clientIp] of busiest.slice(0, BUSIEST)) {
      const own = requests.filter((request) => request.clientIp === clientIp);
      expectTop(
        await rankingOf("api_traffic", "endpoint", { clientIp }),
        countBy(own, ({ endpoint }) => endpoint),
      );
      const missing = own.filter(({ statusCode, method }) => statusCode === 404 && method === "GET");
      expect(await totalOf("api_traffic", { clientIp, statusCode: 404, method: "GET" })).toBe(missing.length);
    }
  });

  it("is the same when it is sent once more", async () => {
    expect(await ingestTraffic(client, events, never)).toEqual({ accepted: 0, duplicates: 10_000, rejected: [] });
    expect(await totalOf("api_traffic", {})).toBe(10_000);
  });
});

/** How a guarded application records a request: its endpoint is the path without the query. */
function servedAs({ target, method, statusCode, clientAddress }: AccessLogEntry): Seen {
  const [endpoint = ""] = (target ?? "-").split("?");
  return { endpoint, method: method ?? "-", statusCode, clientIp: clientAddress };
}

/** A validation of each request, whose endpoint was sent with its query; of a client, the verdicts come in any order. */
function validatedAs(entries: readonly AccessLogEntry[], answered: Map<string, Map<string, number>>): Seen[] {
  const statuses = new Map(
    [...answered].map(([address, codes]) => [
      address,
      [...codes].flatMap(([code, count]) => new Array<number>(count).fill(STATUS_OF[code] ?? 0)),
    ]),
  );
  return entries.map(({ target, method, clientAddress }) => {
    const statusCode = statuses.get(clientAddress)?.pop() ?? 0;
    return { endpoint: target ?? "", method: method ?? "", statusCode, clientIp: clientAddress };
  });
}

/** Of values that are equally frequent any may be ranked last. */
function expectTop(ranking: ReadonlyMap<string, number>, plain: ReadonlyMap<string, number>): void {
  const counts = [...plain.values()].sort((one, other) => other - one);
  expect([...ranking.values()]).toEqual(counts.slice(0, RANKED_MAX));
  expect([...ranking.keys()].map((value) => plain.get(value))).toEqual([...ranking.values()]);
}

function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, number> {
  return new Map([...Map.groupBy(items, nameOf)].map(([name, group]) => [name, group.length]));
}

function plainOf<Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, number> {
  return Object.fromEntries(countBy(items, nameOf));
}
