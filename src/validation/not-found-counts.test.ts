import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ActivityEvent, readRows } from "../journal/activity-event.ts";
import { NotFoundCounts } from "./not-found-counts.ts";

const NOW = 1_767_225_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Counts, whose events a test sees; the first so many writes are done and say that they failed, or the time is not known. */
function setUp({ lostAnswers = 0, unknownTimes = 0 } = {}) {
  const events: ActivityEvent[] = [];
  const prepareWrite = (rows: readonly string[]) => {
    let isWritten = false;
    return async () => {
      if (!isWritten) events.push(...readRows(`[${rows.join(",")}]`));
      isWritten = true;
      if (lostAnswers-- > 0) throw new Error("the connection broke");
    };
  };
  const now = async () => {
    if (unknownTimes-- > 0) throw new Error("out of reach");
    return NOW;
  };
  const counts = new NotFoundCounts({ prepareWrite, now });
  const add = (projectId: string, ...latenciesMs: number[]) => {
    for (const latencyMs of latenciesMs) counts.add(projectId, performance.now() - latencyMs);
  };
  return { events, add, close: () => counts.close() };
}

it("counted verdicts are one event of each project, whose latency is their mean in whole microseconds", async () => {
  const { events, add, close } = setUp();
  add("project_1", 1, 2, 2);
  add("project_2", 0.5);
  await vi.advanceTimersByTimeAsync(500);
  const common = { code: "NOT_FOUND", at: NOW };
  expect(events).toMatchObject([
    { ...common, projectId: "project_1", count: 3, latencyMs: 1.667 },
    { ...common, projectId: "project_2", count: 1, latencyMs: 0.5 },
  ]);
  await close();
  expect(events).toHaveLength(2);
});

it("verdicts whose time is not known yet are counted on, with their latencies", async () => {
  const { events, add, close } = setUp({ unknownTimes: 1 });
  add("project_1", 1, 3);
  await vi.advanceTimersByTimeAsync(500);
  expect(events).toEqual([]);
  add("project_1", 8);
  await vi.advanceTimersByTimeAsync(500);
  await close();
  expect(events).toMatchObject([{ projectId: "project_1", count: 3, latencyMs: 4 }]);
});

it("verdicts of which it is not known whether they were written are counted once", async () => {
  const { events, add, close } = setUp({ lostAnswers: 2 });
  add("project_1", 1, 3);
  await vi.advanceTimersByTimeAsync(500);
  add("project_1", 8);
  await vi.advanceTimersByTimeAsync(1_500);
  await close();
  expect(events).toMatchObject([{ count: 2 }, { count: 1 }]);
});

it("what was counted last is written when the counts are closed", async () => {
  const { events, add, close } = setUp();
  add("project_1", 1);
  await close();
  expect(events).toMatchObject([{ count: 1 }]);
});
