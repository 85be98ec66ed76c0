import { expect, it } from "vitest";
import { type AccessLogEntry, parseAccessLog } from "./access-log.ts";
import { type AnalyticsAnswers, type BreakdownEntry, windowUpTo } from "./analytics-answers.ts";
import { findAnalyticsDifferences, type SentTraffic } from "./analytics-differences.ts";
import { describeAnalytics, describeIngest } from "./analytics-report.ts";
import type { IngestOutcome } from "./ingest-traffic.ts";
import { countSpans, countTraffic } from "./traffic-count.ts";

const SHIFT_MS = 1_000;
const HOUR_MS = 3_600_000;
const BEGINS_MS = [10, 11, 12].map((hour) => Date.UTC(2015, 4, 17, hour));

function line(hour: number, request: string, status: number, address = "192.0.2.7"): string {
  return `${address} - - [17/May/2015:${String(hour).padStart(2, "0")}:59:59 +0000] "${request}" ${status} 1 "-" "-"`;
}

const { entries } = parseAccessLog(
  [
    line(10, "GET /a?b=c HTTP/1.1", 200),
    line(10, "GET /a HTTP/1.1", 404),
    line(11, "HEAD /?#x HTTP/1.1", 500, "192.0.2.8"),
    line(9, "-", 408),
  ].join("\n"),
);

/** More paths than the service ranks. */
const MANY = Array.from({ length: 60 }, (_, index) => `/many/${index}`);

function ranked(counts: ReadonlyMap<string, number>): BreakdownEntry[] {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const sorted = [...counts].sort(([, one], [, other]) => other - one).slice(0, 50);
  return sorted.map(([value, count]) => ({ value, count, percentage: Math.round((count / total) * 10_000) / 100 }));
}

/** What an honest service answers. */
function honest(of: readonly AccessLogEntry[] = entries): [SentTraffic, IngestOutcome, AnalyticsAnswers] {
  const { requests, errors, breakdowns } = countTraffic(of);
  const { endpoint, method, statusCode, clientIp } = breakdowns;
  const stats = { totalRequests: requests, errorRate: Math.round((errors / requests) * 10_000) / 100, avgLatencyMs: 0 };
  const spans = countSpans(of, SHIFT_MS, BEGINS_MS);
  const data = BEGINS_MS.map((beginMs, index) => {
    return { timeBucket: new Date(beginMs).toISOString(), requests: 0, errors: 0, ...spans[index] };
  });
  const codesByClient = new Map([["192.0.2.7", new Map(Object.entries({ VALID: 2, USAGE_EXCEEDED: 1 }))]]);
  const statuses = ranked(new Map(Object.entries({ 200: 2, 429: 1 })));
  return [
    { entries: of, shiftMs: SHIFT_MS, codesByClient },
    { accepted: requests, duplicates: 0, rejected: [] },
    {
      traffic: {
        stats,
        breakdowns: {
          ...{ endpoint: ranked(endpoint), method: ranked(method) },
          ...{ statusCode: ranked(statusCode), clientIp: ranked(clientIp) },
        },
        series: { granularity: "1 HOUR", data },
      },
      validations: {
        stats: { totalRequests: 3, errorRate: 33.33, avgLatencyMs: 1 },
        statuses,
        codesByClient: structuredClone(codesByClient),
      },
    },
  ];
}

it("a log is counted by path without its query, and by the hours that it is shifted into", () => {
  const { requests, errors, breakdowns } = countTraffic(entries);
  expect({ requests, errors }).toEqual({ requests: 4, errors: 3 });
  expect(Object.fromEntries(breakdowns.endpoint)).toEqual({ "/a": 2, "/": 1, "-": 1 });
  expect(Object.fromEntries(breakdowns.method)).toEqual({ GET: 2, HEAD: 1, "-": 1 });
  expect(Object.fromEntries(breakdowns.statusCode)).toEqual({ 200: 1, 404: 1, 500: 1, 408: 1 });
  expect(Object.fromEntries(breakdowns.clientIp)).toEqual({ "192.0.2.7": 3, "192.0.2.8": 1 });
  // The last second of an hour, a second later.
  expect(countSpans(entries, SHIFT_MS, BEGINS_MS).map(({ requests }) => requests)).toEqual([1, 2, 1]);
  expect(countSpans(entries, 0, BEGINS_MS)).toEqual([
    { requests: 2, errors: 1 },
    { requests: 1, errors: 1 },
    { requests: 0, errors: 0 },
  ]);
});

it("answers as the log implies have no differences", () => {
  expect(findAnalyticsDifferences(...honest())).toEqual([]);
});

it("values that are equally frequent may be ranked in any order, and any of them may be last", () => {
  const many = parseAccessLog(MANY.map((path) => line(10, `GET ${path} HTTP/1.1`, 200)).join("\n")).entries;
  const [sent, ingested, answers] = honest(many);
  const { endpoint } = answers.traffic.breakdowns;
  expect(endpoint).toHaveLength(50);
  const others = MANY.slice(10).map((value) => ({ value, count: 1, percentage: 1.67 }));
  const reordered = { ...answers.traffic, breakdowns: { ...answers.traffic.breakdowns, endpoint: others } };
  expect(findAnalyticsDifferences(sent, ingested, { ...answers, traffic: reordered })).toEqual([]);
});

it.each<[string, (ingested: IngestOutcome, answers: AnalyticsAnswers) => unknown, string[]]>([
  [
    "an event that was refused",
    (ingested) => Object.assign(ingested, { accepted: 3, rejected: [{ requestId: "log_1", message: "too old" }] }),
    ["events accepted is 3, the log implies 4", "log_1 was rejected: too old"],
  ],
  [
    "an error that was not counted",
    (_, { traffic }) => Object.assign(traffic.stats, { errorRate: 50 }),
    ["api_traffic: error rate is 50, the log implies 75"],
  ],
  [
    "a path that was counted twice",
    (_, { traffic }) => Object.assign(traffic.breakdowns.endpoint[0] ?? {}, { count: 4, percentage: 100 }),
    ["endpoint: /a is 4, the log implies 2", "endpoint: place 1 is 4, the log implies 2"],
  ],
  [
    "a method that is missing",
    (_, { traffic }) => Object.assign(traffic.breakdowns, { method: traffic.breakdowns.method.slice(0, 2) }),
    ["method: values ranked is 2, the log implies 3"],
  ],
  [
    "a percentage of something else",
    (_, { traffic }) => Object.assign(traffic.breakdowns.clientIp[0] ?? {}, { percentage: 30 }),
    ["clientIp: percentage of 192.0.2.7 is 30, the log implies 75"],
  ],
  [
    "a request in the wrong hour",
    (_, { traffic }) => Object.assign(traffic.series.data[1] ?? {}, { requests: 1 }),
    ["requests from 2015-05-17T11:00:00.000Z is 1, the log implies 2", "requests over time is 3, the log implies 4"],
  ],
  [
    "a validation that was not recorded",
    (_, { validations }) => Object.assign(validations, { codesByClient: new Map() }),
    [
      "recorded of 192.0.2.7: VALID is 0, the log implies 2",
      "recorded of 192.0.2.7: USAGE_EXCEEDED is 0, the log implies 1",
    ],
  ],
  [
    "a refusal that was recorded as another",
    (_, { validations }) => Object.assign(validations.statuses[1] ?? {}, { value: "401" }),
    ["verdict status: 401 is 1, the log implies 0"],
  ],
])("%s is a difference", (_title, doctor, differences) => {
  const [sent, ingested, answers] = honest();
  doctor(ingested, answers);
  expect(findAnalyticsDifferences(sent, ingested, answers)).toEqual(differences);
});

it("the window is of four days, or back to the oldest request", () => {
  const nowMs = Date.UTC(2026, 0, 31, 12);
  const lengthOf = ({ startTime, endTime }: { startTime: string; endTime: string }) =>
    Date.parse(endTime) - Date.parse(startTime);
  const days = windowUpTo(nowMs, nowMs - HOUR_MS);
  expect(Date.parse(days.endTime)).toBeGreaterThan(nowMs);
  expect(lengthOf(days)).toBe(96 * HOUR_MS);
  expect(windowUpTo(nowMs, nowMs - 120 * HOUR_MS).startTime).toBe(new Date(nowMs - 120 * HOUR_MS).toISOString());
});

it("the report fits 100 columns with the longest paths, shows ten of them, and a bar for whatever there is", () => {
  const long = MANY.slice(0, 12).map((path, index) => {
    const requests = index === 11 ? 1 : 200;
    return Array.from({ length: requests }, () => line(10, `GET /${"x".repeat(200)}${path} HTTP/1.1`, 200));
  });
  const [, ingested, answers] = honest(parseAccessLog(long.flat().join("\n")).entries);
  const lines = [...describeIngest(ingested, 1_000), ...describeAnalytics(answers)];
  expect(Math.max(...lines.map((text) => text.length))).toBeLessThanOrEqual(100);
  expect(lines.filter((text) => text.includes("…"))).toHaveLength(10);
  expect(lines).toContainEqual(expect.stringMatching(/^\/x+…x+\/many\/0 +200 +9\.1 % +#{32}$/));
  expect(lines).toContainEqual(expect.stringMatching(/^2015-05-17 10:00 +0 +0$/));
  expect(lines).toContainEqual(expect.stringMatching(/^2015-05-17 11:00 +2,201 +0 +#{32}$/));
  expect(lines).toContainEqual(expect.stringMatching(/^VALID +2 +66\.7 % +#{32}$/));
});
