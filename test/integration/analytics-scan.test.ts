import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSeededRandom, type SeededRandom } from "../../src/lib/seeded-random.ts";
import type { Source } from "../../src/segments/segment.ts";
import { createProject, type OwnProject } from "../harness/own-project.ts";
import { JournalFeed, type ModelEvent, projectIdOf } from "../harness/random-events.ts";
import * as scan from "../harness/scan-events.ts";
import { startService, type TestService } from "../harness/service.ts";
import { untilDrained } from "../harness/until-drained.ts";

const SEED = Number(process.env.ANALYTICS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DIMENSIONS = ["endpoint", "method", "statusCode", "clientIp", "consumer"] as const;
const SOURCES: Source[] = ["api_traffic", "key_activity"];
/** The error of quantiles that docs/analytics.md states, and half a microsecond of rounding. */
const QUANTILE_ERROR = 1 / 128;
const ROUNDING_MS = 0.001;

describe(`answers to questions, with seed ${SEED}`, () => {
  const random = createSeededRandom(SEED);
  const nowMs = Date.now();
  const events: Record<Source, ModelEvent[]> = { api_traffic: [], key_activity: [] };
  let service: TestService;
  let project: OwnProject;
  let client: MongoClient;
  let feed: JournalFeed;

  beforeAll(async () => {
    service = await startService({ KEYSVC_ANALYTICS_RATE: "100000" });
    project = await createProject(service);
    client = await MongoClient.connect(service.databaseUri);
    feed = new JournalFeed(client.db(), await projectIdOf(client, project));
  });
  afterAll(async () => {
    await client.close();
    await service.close();
  });

  /** Writes some entries, each somewhere in the last days: most are late. */
  async function write(entries: number): Promise<void> {
    for (let entry = 0; entry < entries; entry++) {
      const source = random.weighted([
        ["api_traffic", 1],
        ["key_activity", 1],
      ] as const);
      const untilMs = nowMs - random.integer(0, random.fraction() < 0.5 ? HOUR_MS : 3 * DAY_MS);
      const fromMs = untilMs - random.integer(1, random.fraction() < 0.5 ? 10_000 : 5 * HOUR_MS);
      events[source].push(...(await feed.write(source, random.integer(1, 300), [fromMs, untilMs], random)));
    }
  }

  async function expectSame(source: Source): Promise<void> {
    const question = drawQuestion(random, nowMs, events[source]);
    const { fromMs, untilMs, filters, apiId } = question;
    const asked = {
      source,
      filters,
      startTime: iso(fromMs),
      endTime: iso(untilMs),
      ...(apiId !== undefined && { apiId }),
    };
    const selected = scan.select(events[source], question);
    const ask = (path: string, more: object = {}) => project.ok(`/analytics/${path}`, { ...asked, ...more });
    const seen = { question: asked, seed: SEED };
    expect({ ...seen, ...(await ask("stats")) }).toEqual({
      ...seen,
      source,
      timeRange: null,
      stats: scan.stats(selected),
    });
    const series = await ask("timeseries");
    expect(series.data).toEqual(scan.timeseries(selected, question, bucketMsOf(series.granularity)));
    const details: Record<string, object> = scan.details(selected);
    for (const card of Object.keys(details)) {
      expect({ card, ...(await ask("stats/details", { card })).details }).toEqual({ card, ...details[card] });
    }
    await expectLatency(selected, (await ask("stats/details", { card: "latency" })).details);
    for (const dimension of DIMENSIONS) {
      const { [dimension]: _ignored, ...others } = filters;
      const unfiltered = scan.select(events[source], { ...question, filters: others });
      const { data } = await ask("breakdown", { dimension });
      expect({ dimension, data }).toEqual({ dimension, data: scan.breakdown(unfiltered, dimension) });
    }
  }

  it("are those of a scan of the events, whether they are in the journal, in segments or merged ones, with every filter", async () => {
    for (let round = 0; round < 12; round++) {
      await write(random.integer(1, 12));
      for (const source of SOURCES) await expectSame(source);
      if (round % 3 === 2) await untilDrained(client.db());
    }
    // Nothing more arrives, and all is merged that will be.
    await untilDrained(client.db());
    for (let round = 0; round < 10; round++) for (const source of SOURCES) await expectSame(source);
  }, 120_000);

  it("filtered by a value have as many events as a breakdown counts of it, those without a value included", async () => {
    const window = { source: "api_traffic", startTime: iso(nowMs - 4 * DAY_MS), endTime: iso(nowMs + 1) };
    for (const dimension of ["endpoint", "method", "statusCode", "clientIp"]) {
      const { data } = await project.ok("/analytics/breakdown", { ...window, dimension });
      for (const { value, count } of data) {
        const { stats } = await project.ok("/analytics/stats", { ...window, filters: { [dimension]: value } });
        expect({ dimension, value, count: stats.totalRequests }).toEqual({ dimension, value, count });
      }
    }
    const { data } = await project.ok("/analytics/breakdown", { ...window, dimension: "consumer" });
    const { count } = data.find(({ value }: { value: string }) => value === "");
    const { stats } = await project.ok("/analytics/stats", { ...window, filters: { consumer: "" } });
    expect(count).toBeGreaterThan(0);
    expect(stats.totalRequests).toBe(count);
  });

  it("are of whole windows up to now, which end at a step of the cache, and tell their age", async () => {
    const { headers, body } = await project.call("/analytics/stats", { source: "api_traffic", timeRange: "7d" });
    expect(body).toMatchObject({ source: "api_traffic", timeRange: "7d" });
    expect(Number(headers.get("age"))).toBeLessThanOrEqual(30);
    const within = { fromMs: nowMs - 7 * DAY_MS, untilMs: nowMs - 30_000, filters: {} };
    expect(body.stats.totalRequests).toBeGreaterThanOrEqual(
      scan.stats(scan.select(events.api_traffic, within)).totalRequests,
    );
  });
});

function drawQuestion(random: SeededRandom, nowMs: number, events: readonly ModelEvent[]): scan.ScanQuestion {
  // Often at the very time of an event, where an error by one shows.
  const moment = () => {
    const event = events[random.integer(0, Math.max(0, events.length - 1))];
    if (event !== undefined && random.fraction() < 0.3) return event.at + random.integer(0, 1);
    const any = nowMs - random.integer(0, 4 * DAY_MS);
    return random.fraction() < 0.3 ? Math.floor(any / HOUR_MS) * HOUR_MS : any;
  };
  const [one, other] = [moment(), random.fraction() < 0.2 ? nowMs + 1 : moment()];
  const sample = () => events[random.integer(0, Math.max(0, events.length - 1))];
  const draw = (read: (event: ModelEvent) => string): string | string[] => {
    const values = Array.from({ length: random.integer(1, 3) }, () => {
      const event = sample();
      return event === undefined || random.fraction() < 0.1 ? "nothing has this" : read(event);
    });
    return random.fraction() < 0.5 ? values : (values[0] ?? "");
  };
  const has = () => random.fraction() < 0.25;
  const apiId = sample()?.apiId;
  return {
    fromMs: Math.min(one, other),
    untilMs: Math.max(one, other),
    filters: {
      ...(has() && { endpoint: draw(({ endpoint }) => endpoint) }),
      ...(has() && { method: draw(({ method }) => method) }),
      ...(has() && { statusCode: [sample()?.statusCode ?? 200, String(sample()?.statusCode ?? 404)] }),
      ...(has() && { clientIp: draw(({ clientIp }) => clientIp) }),
      ...(has() && { consumer: draw(({ consumerId, consumerName }) => consumerId || consumerName) }),
    },
    ...(has() && apiId !== undefined && { apiId }),
  };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

function bucketMsOf(granularity: string): number {
  const [count, unit = ""] = granularity.split(" ");
  return Number(count) * ({ MINUTE: 60_000, HOUR: HOUR_MS, DAY: DAY_MS }[unit] ?? Number.NaN);
}

// biome-ignore lint/suspicious/noExplicitAny: as the answer has it
async function expectLatency(selected: readonly ModelEvent[], latency: any): Promise<void> {
  const sorted = selected.map(({ latencyMs }) => latencyMs).sort((one, other) => one - other);
  const { avgLatencyMs, totalRequests } = scan.stats(selected);
  expect(latency).toMatchObject({ avg: avgLatencyMs, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 });
  for (const [name, share] of [
    ["p50", 0.5],
    ["p90", 0.9],
    ["p95", 0.95],
    ["p99", 0.99],
  ] as const) {
    const exact = scan.quantile(selected, share);
    expect(Math.abs(latency[name] - exact)).toBeLessThanOrEqual(exact * QUANTILE_ERROR + ROUNDING_MS);
  }
  const ranges: { code: string; count: number }[] = latency.histogram;
  expect(ranges.reduce((sum, { count }) => sum + count, 0)).toBe(totalRequests);
  for (const { code, count } of ranges) {
    const [from, until] = code.endsWith("+")
      ? [Number(code.slice(0, -1)), Number.POSITIVE_INFINITY]
      : code.split("-").map(Number);
    const within = selected.filter(({ latencyMs }) => latencyMs >= (from ?? 0) && latencyMs < (until ?? 0));
    expect({ code, count }).toEqual({ code, count: scan.stats(within).totalRequests });
  }
}
