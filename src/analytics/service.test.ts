import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { AnalyticsServiceStatsRequestSchema, AnalyticsSource, TimeRange } from "../../gen/keysvc/v1/analytics_pb.js";
import type { Call } from "../lib/call.ts";
import { databaseUnavailable } from "../lib/fault.ts";
import { noTotals } from "../segments/measure.ts";
import type { AnalyticsServiceOptions } from "./analytics-service-options.ts";
import { AnswerCache } from "./answer-cache.ts";
import { analyticsService } from "./service.ts";

const NOW = Date.UTC(2026, 0, 1, 12, 0, 1);
const CALLERS = 50;

type Asked = Omit<MessageInitShape<typeof AnalyticsServiceStatsRequestSchema>, "$typeName">;

/** A service whose measurements end when they are told to, and the time is what a test says. */
function setUp() {
  const time = { nowMs: NOW, monotonicMs: 0 };
  const ends: ((failure?: Error) => void)[] = [];
  const measure = () =>
    new Promise((resolve, reject) => {
      ends.push((failure) =>
        failure === undefined ? resolve({ ...noTotals(), events: ends.length }) : reject(failure),
      );
    });
  const options = {
    ...{ worker: { measure }, cache: new AnswerCache(() => time.monotonicMs) },
    ...{ limit: { take: async () => undefined }, now: async () => time.nowMs, retentionDays: 30 },
  };
  // Nothing else is used by the methods under test.
  const { stats } = analyticsService(options as unknown as AnalyticsServiceOptions);
  if (stats === undefined) throw new Error("no such method");
  /** Asks, and resolves when the question is under way. */
  const ask = async (request: Asked, projectId = "project_1") => {
    const headers: Record<string, string> = {};
    const call = {
      caller: { projectId },
      setHeader: (name: string, value: string) => Object.assign(headers, { [name]: value }),
    };
    const source = AnalyticsSource.API_TRAFFIC;
    // A call has more, which the methods do not look at.
    const answer = stats(create(AnalyticsServiceStatsRequestSchema, { source, ...request }), call as unknown as Call);
    answer.catch(() => undefined);
    await new Promise(setImmediate);
    return answer.then((response) => ({ total: response.stats?.totalRequests, age: headers.age }));
  };
  const askAll = (count: number, request: Asked) => {
    const answers = Array.from({ length: count }, () => ask(request));
    return { answers, underWay: new Promise(setImmediate) };
  };
  return { ask, askAll, ends, time };
}

const HOUR: Asked = { timeRange: TimeRange.HOURS_1 };
const EXACT: Asked = { startTime: timestampFromMs(NOW - 60_000), endTime: timestampFromMs(NOW) };

it("measures a window once for all who ask for it at once, and tells them the age of the answer", async () => {
  const { askAll, ends, time } = setUp();
  const { answers, underWay } = askAll(CALLERS, HOUR);
  await underWay;
  expect(ends).toHaveLength(1);
  time.monotonicMs = 1_999;
  ends[0]?.();
  for (const answer of answers) expect(await answer).toEqual({ total: 1n, age: "1" });
});

it("measures it again after the next step, for another project, another window and another filter", async () => {
  const { ask, ends, time } = setUp();
  const answers = [ask(HOUR), ask(HOUR, "project_2"), ask({}), ask({ ...HOUR, filters: { method: ["GET"] } })];
  await new Promise(setImmediate);
  expect(ends).toHaveLength(4);
  time.nowMs += 999;
  const before = ask(HOUR);
  await new Promise(setImmediate);
  expect(ends).toHaveLength(4);
  time.nowMs += 1;
  const after = ask(HOUR);
  await new Promise(setImmediate);
  expect(ends).toHaveLength(5);
  for (const end of ends) end();
  for (const answer of [...answers, before, after]) expect((await answer).age).toBe("0");
});

it("asks the same question whichever order its values are named in", async () => {
  const { ask, ends } = setUp();
  const answers = [
    ["GET", "PUT"],
    ["PUT", "GET"],
    ["PUT", "GET", "GET"],
  ].map((method) => ask({ ...HOUR, filters: { method } }));
  await new Promise(setImmediate);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await Promise.all(answers);
});

it("measures exact times each time, and such an answer has no age", async () => {
  const { askAll, ends } = setUp();
  const { answers, underWay } = askAll(3, EXACT);
  await underWay;
  expect(ends).toHaveLength(3);
  for (const end of ends) end();
  for (const answer of answers) expect(await answer).toEqual({ total: 3n, age: undefined });
});

it("keeps no failure: who asks next is answered", async () => {
  const { ask, ends } = setUp();
  const failed = ask(HOUR);
  await new Promise(setImmediate);
  ends[0]?.(databaseUnavailable());
  await expect(failed).rejects.toMatchObject({ reason: "DATABASE_UNAVAILABLE" });
  const again = ask(HOUR);
  await new Promise(setImmediate);
  ends[1]?.();
  expect(await again).toMatchObject({ total: 2n });
});
