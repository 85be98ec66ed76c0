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

/** Counts, whose events a test sees; the first so many cannot be handed on. */
function setUp({ failures = 0 } = {}) {
  const events: ActivityEvent[] = [];
  const append = async (row: string) => {
    if (failures-- > 0) throw new Error("no room");
    events.push(...readRows(`[${row}]`));
  };
  const counts = new NotFoundCounts({ append, now: async () => NOW });
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

it("verdicts that could not be handed on are counted on, with their latencies", async () => {
  const { events, add, close } = setUp({ failures: 1 });
  add("project_1", 1, 3);
  await vi.advanceTimersByTimeAsync(500);
  expect(events).toEqual([]);
  add("project_1", 8);
  await close();
  expect(events).toMatchObject([{ projectId: "project_1", count: 3, latencyMs: 4 }]);
});
