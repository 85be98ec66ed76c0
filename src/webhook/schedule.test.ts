import { describe, expect, it } from "vitest";
import { nextAttemptMs } from "./schedule.ts";

const HOUR_S = 3_600;
const START_MS = 1_700_000_000_000;

describe("the schedule of attempts", () => {
  it("has its attempts at 0, 5 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, and daily until 3 days have passed", () => {
    const seconds: number[] = [];
    let nowMs: number | undefined = START_MS;
    for (let attempts = 1; nowMs !== undefined; attempts++) {
      seconds.push((nowMs - START_MS) / 1_000);
      nowMs = nextAttemptMs(START_MS, attempts, nowMs, 0.5);
    }
    const hours = [2, 5, 10, 14, 38, 62].map((hour) => hour * HOUR_S);
    expect(seconds).toEqual([0, 5, 30, 300, 1_800, ...hours]);
  });

  it.each([
    ["a tenth earlier", 0, 4_500],
    ["a tenth later", 1, 5_500],
  ])("moves them by chance, at most %s", (_title, random, afterMs) => {
    expect(nextAttemptMs(START_MS, 1, START_MS, random)).toBe(START_MS + afterMs);
  });

  it("has them in their order, whatever chance does to each", () => {
    for (let attempts = 1; attempts < 10; attempts++) {
      const last = nextAttemptMs(START_MS, attempts, START_MS, 0.999) ?? 0;
      const next = nextAttemptMs(START_MS, attempts + 1, last, 0) ?? 0;
      expect(next).toBeGreaterThan(last);
    }
  });

  it("leaves out those that nobody could make in their time", () => {
    expect(nextAttemptMs(START_MS, 1, START_MS + 600_000, 0.5)).toBe(START_MS + 1_800_000);
    expect(nextAttemptMs(START_MS, 1, START_MS + 73 * HOUR_S * 1_000, 0.5)).toBeUndefined();
  });
});
