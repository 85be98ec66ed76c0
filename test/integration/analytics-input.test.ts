import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnalyticsService } from "../../gen/keysvc/v1/analytics_pb.js";
import { openClients, type ProtocolClient } from "../harness/clients.ts";
import { expectProblem } from "../harness/problem.ts";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

const START = "2026-01-01T00:00:00Z";
const END = "2026-01-02T00:00:00Z";
const SOURCE = { source: "api_traffic" };
/** The least that each method takes that has a window. */
const WINDOWED: Record<string, object> = {
  "/analytics/stats": SOURCE,
  "/analytics/stats/details": { ...SOURCE, card: "latency" },
  "/analytics/timeseries": SOURCE,
  "/analytics/breakdown": { ...SOURCE, dimension: "endpoint" },
  "/analytics/logs": SOURCE,
  "/analytics/logs/export": SOURCE,
};
const FILTERED: Record<string, object> = { ...WINDOWED, "/analytics/logs/tail": SOURCE };
const DETAIL = { requestId: "req_1", timestamp: "2026-01-01 00:00:00" };

/** What is wrong, the fields that have it, and those that are named. */
type Case = [title: string, more: object, fields: string[]];

const SOURCES: Case[] = [
  ["no source", { source: undefined }, ["source"]],
  ["an empty source", { source: "" }, ["source"]],
  ["an unknown source", { source: "api_traffics" }, ["source"]],
  ["a source of another case", { source: "API_TRAFFIC" }, ["source"]],
  ["the name that the proto file has for a source", { source: "ANALYTICS_SOURCE_API_TRAFFIC" }, ["source"]],
  ["the name of something that every object has as the source", { source: "constructor" }, ["source"]],
  ["a number as the source", { source: 1 }, ["source"]],
  ["a list as the source", { source: ["api_traffic"] }, ["source"]],
  ["an unknown field", { sources: "api_traffic" }, ["sources"]],
  ["a number as the apiId", { apiId: 7 }, ["apiId"]],
  ["an apiId of 129 characters", { apiId: "a".repeat(129) }, ["apiId"]],
  ["a lone surrogate in the apiId", { apiId: "\ud800" }, ["apiId"]],
];

const WINDOWS: Case[] = [
  ["an unknown timeRange", { timeRange: "2h" }, ["timeRange"]],
  ["a number as the timeRange", { timeRange: 24 }, ["timeRange"]],
  ["a timeRange and exact times", { timeRange: "1h", startTime: START, endTime: END }, ["timeRange"]],
  ["a timeRange and one exact time", { timeRange: "1h", startTime: START }, ["endTime", "timeRange"]],
  ["a start without an end", { startTime: START }, ["endTime"]],
  ["an end without a start", { endTime: END }, ["startTime"]],
  ["a start after the end", { startTime: END, endTime: START }, ["startTime"]],
  ["more than ten years", { startTime: "2010-01-01T00:00:00Z", endTime: END }, ["startTime"]],
  ["all years from 1 to 9999", { startTime: "0001-01-01T00:00:00Z", endTime: "9999-12-31T23:59:59Z" }, ["startTime"]],
  ["the year 0", { startTime: "0000-01-01T00:00:00Z", endTime: END }, ["startTime"]],
  ["the year 10000", { startTime: START, endTime: "+010000-01-01T00:00:00Z" }, ["endTime"]],
  ["the 30th of February", { startTime: "2026-02-30T00:00:00Z", endTime: "2026-03-30T00:00:00Z" }, ["startTime"]],
  ["a number as a time", { startTime: 1_767_225_600, endTime: END }, ["startTime"]],
];

const many = (count: number) => Array.from({ length: count }, (_, index) => `/v1/${index}`);
const FILTERS: Case[] = [
  ["filters that are a list", { filters: [] }, ["filters"]],
  ["filters that are a text", { filters: "GET" }, ["filters"]],
  ["an unknown filter", { filters: { endpoints: "/v1" } }, ["filters.endpoints"]],
  ["an object as a filter", { filters: { endpoint: { $ne: "" } } }, ["filters.endpoint"]],
  ["an object in the list of a filter", { filters: { method: ["GET", { $gt: "" }] } }, ["filters.method[1]"]],
  ["a number where a text is expected", { filters: { endpoint: 7 } }, ["filters.endpoint"]],
  ["true where a text is expected", { filters: { consumer: [true] } }, ["filters.consumer[0]"]],
  ["null in the list of a filter", { filters: { clientIp: [null] } }, ["filters.clientIp[0]"]],
  ["a word as a status", { filters: { statusCode: "ok" } }, ["filters.statusCode"]],
  ["a fraction as a status", { filters: { statusCode: 200.5 } }, ["filters.statusCode"]],
  ["a status of 1000", { filters: { statusCode: [200, 1_000] } }, ["filters.statusCode[1]"]],
  ["a negative status", { filters: { statusCode: [-1] } }, ["filters.statusCode[0]"]],
  ["101 values", { filters: { endpoint: many(101) } }, ["filters.endpoint"]],
  ["10,000 values", { filters: { endpoint: many(10_000) } }, ["filters.endpoint"]],
  ["an endpoint of 8,193 characters", { filters: { endpoint: ["/".repeat(8_193)] } }, ["filters.endpoint[0]"]],
  ["a lone surrogate in a filter", { filters: { clientIp: ["a", "\udc00"] } }, ["filters.clientIp[1]"]],
];

const LOGS: Case[] = [
  ["a pageSize of 0", { pageSize: 0 }, ["pageSize"]],
  ["a pageSize of 201", { pageSize: 201 }, ["pageSize"]],
  ["a pageSize of 1.5", { pageSize: 1.5 }, ["pageSize"]],
  ["a negative pageSize", { pageSize: -1 }, ["pageSize"]],
  ["a text as the pageSize", { pageSize: "many" }, ["pageSize"]],
  ["an unknown statusFilter", { statusFilter: "failed" }, ["statusFilter"]],
  ["a cursor that is none", { cursor: "x" }, ["cursor"]],
  ["a cursor of 8,193 characters", { cursor: "x".repeat(8_193) }, ["cursor"]],
  ["a number as the cursor", { cursor: 1 }, ["cursor"]],
  ["an object as the cursor", { cursor: {} }, ["cursor"]],
];

const DETAILS: Case[] = [
  ["no timestamp", { timestamp: undefined }, ["timestamp"]],
  ["an empty timestamp", { timestamp: "" }, ["timestamp"]],
  ["a timestamp that is none", { timestamp: "yesterday" }, ["timestamp"]],
  ["the 30th of February", { timestamp: "2026-02-30 00:00:00" }, ["timestamp"]],
  ["the 25th hour", { timestamp: "2026-01-01 25:00:00" }, ["timestamp"]],
  ["a negative timestamp", { timestamp: -1 }, ["timestamp"]],
  ["a timestamp of 1e300", { timestamp: 1e300 }, ["timestamp"]],
  ["a timestamp beyond all dates", { timestamp: "999999999999999999" }, ["timestamp"]],
  ["an object as the timestamp", { timestamp: { $gt: 0 } }, ["timestamp"]],
  ["no requestId", { requestId: undefined }, ["requestId"]],
  ["a number as the requestId", { requestId: 7 }, ["requestId"]],
  ["a lone surrogate in the requestId", { requestId: "\ud800" }, ["requestId"]],
  ["an unknown source", { source: "all" }, ["source"]],
];

let service: TestService;
let open: ReturnType<typeof openClients>;
let grpc: ProtocolClient;
beforeAll(async () => {
  service = await startService({ KEYSVC_ANALYTICS_RATE: "100000" });
  open = openClients(service);
  const found = open.clients.find(({ name }) => name === "gRPC by grpc-js, gRPC port");
  if (found === undefined) throw new Error("no such client");
  grpc = found;
});
afterAll(async () => {
  open.close();
  await service.close();
});

async function expectRefused(path: string, body: object, fields: string[]): Promise<void> {
  expectProblem(await service.call(path, body), 400, "invalid_argument", [...fields]);
}

describe("is refused with the fields that are wrong:", () => {
  it.each(SOURCES)("%s, of every question", async (_title, more, fields) => {
    for (const [path, least] of Object.entries(FILTERED)) await expectRefused(path, { ...least, ...more }, fields);
  });
  it.each(WINDOWS)("%s, of every question with a window", async (_title, more, fields) => {
    for (const [path, least] of Object.entries(WINDOWED)) await expectRefused(path, { ...least, ...more }, fields);
  });
  it.each(FILTERS)("%s, of every question", async (_title, more, fields) => {
    for (const [path, least] of Object.entries(FILTERED)) await expectRefused(path, { ...least, ...more }, fields);
  });
  it.each(LOGS)("%s, of the log", (_title, more, fields) =>
    expectRefused("/analytics/logs", { ...SOURCE, ...more }, fields),
  );
  it.each(DETAILS)("%s, of a detail", (_title, more, fields) =>
    expectRefused("/analytics/logs/detail", { ...DETAIL, ...more }, fields),
  );
  it.each([
    ["/analytics/stats/details", "card", ["errors", "", 1, undefined, "toString"]],
    ["/analytics/breakdown", "dimension", ["apiId", "consumers", "", 1, undefined, ["endpoint"], "toString"]],
  ])("what %s does not know as its %s", async (path, field, values) => {
    for (const value of values) await expectRefused(path, { ...WINDOWED[path], [field]: value }, [field]);
  });
});

describe("is answered, however unusual:", () => {
  const nothing = { stats: { totalRequests: 0, errorRate: 0, avgLatencyMs: 0 } };
  it.each<[string, object]>([
    ["the year 1", { startTime: "0001-01-01T00:00:00Z", endTime: "0001-01-02T00:00:00Z" }],
    ["the year 9999", { startTime: "9999-12-31T00:00:00Z", endTime: "9999-12-31T23:59:59.999999999Z" }],
    [
      "ten years around the first time of more digits",
      { startTime: "2282-01-01T00:00:00Z", endTime: "2291-01-01T00:00:00Z" },
    ],
    ["times without a zone", { startTime: "2026-01-01T00:00:00", endTime: "2026-01-02T00:00:00" }],
    ["no time at all", { startTime: START, endTime: START }],
    ["a NUL in every filter", { filters: { endpoint: "\0", method: "\0", clientIp: "\0", consumer: "\0" } }],
    ["100 values of every filter", { filters: { endpoint: many(100), consumer: many(100), method: many(100) } }],
    ["empty filters", { filters: { endpoint: [], statusCode: [] }, apiId: "" }],
    ["operators, as what they are: texts", { filters: { endpoint: ["$where", "a.b", "__proto__"] } }],
  ])("%s", async (_title, more) => {
    for (const [path, least] of Object.entries(WINDOWED)) {
      const { status, body } = await service.call(path, { ...least, ...more });
      expect({ path, status, body }).toMatchObject({ path, status: 200 });
      if (path === "/analytics/stats") expect(body).toMatchObject(nothing);
    }
  });
});

describe("is not found, however unusual:", () => {
  it.each([["0001-01-01 00:00:00"], ["9999-12-31 23:59:59"], [0], [1e11 - 1], [1e11], [999_999_999_999_999], ["0.5"]])(
    "the detail of %s, of which nothing is recorded",
    async (timestamp) => {
      expectProblem(await service.call("/analytics/logs/detail", { requestId: "\0", timestamp }), 404, "not_found");
    },
  );

  it("the same over gRPC", async () => {
    const request = { requestId: "req_1", timestamp: "0" };
    const outcome = await grpc.call(AnalyticsService.method.logsDetail, request, PROJECT_KEY);
    expect(outcome).toMatchObject({ ok: false, code: "not_found" });
  });
});

describe("is refused over gRPC with the fields that are wrong:", () => {
  const { stats, statsDetails, breakdown, logs, logsDetail } = AnalyticsService.method;
  it.each([
    ["no source", stats, {}, ["source"]],
    [
      "exact times beside a timeRange",
      stats,
      { ...SOURCE, timeRange: "1h", startTime: START, endTime: END },
      ["timeRange"],
    ],
    ["a start after the end", stats, { ...SOURCE, startTime: END, endTime: START }, ["startTime"]],
    ["101 values", stats, { ...SOURCE, filters: { endpoint: many(101) } }, ["filters.endpoint"]],
    ["no card", statsDetails, SOURCE, ["card"]],
    ["no dimension", breakdown, SOURCE, ["dimension"]],
    ["a pageSize of 0", logs, { ...SOURCE, pageSize: 0 }, ["pageSize"]],
    ["a pageSize of 201", logs, { ...SOURCE, pageSize: 201 }, ["pageSize"]],
    ["a cursor that is none", logs, { ...SOURCE, cursor: "x" }, ["cursor"]],
    ["no timestamp", logsDetail, { requestId: "req_1" }, ["timestamp"]],
    ["a timestamp that is none", logsDetail, { requestId: "req_1", timestamp: "soon" }, ["timestamp"]],
  ] as const)("%s", async (_title, method, request, fields) => {
    const outcome = await grpc.call(method, request as never, PROJECT_KEY);
    expect(outcome).toMatchObject({ ok: false, code: "invalid_argument" });
    expect(outcome.ok ? [] : outcome.fields.map(({ field }) => field)).toEqual(fields);
  });
});
