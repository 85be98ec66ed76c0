import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runPeriodically } from "./periodic.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("runPeriodically", () => {
  it("runs once in every interval, the first time after one", async () => {
    const work = vi.fn(async () => undefined);
    const periodic = runPeriodically(work, 1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(work).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(2_001);
    expect(work).toHaveBeenCalledTimes(3);
    await periodic.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(work).toHaveBeenCalledTimes(3);
  });

  it("never runs twice at once, and goes on after a long run", async () => {
    const first = Promise.withResolvers<void>();
    const work = vi.fn(() => (work.mock.calls.length === 1 ? first.promise : Promise.resolve()));
    const periodic = runPeriodically(work, 1_000);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(work).toHaveBeenCalledTimes(1);
    first.resolve();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(work).toHaveBeenCalledTimes(2);
    await periodic.stop();
  });

  it("tells the run under way to end, and waits for it", async () => {
    let hasEnded = false;
    const periodic = runPeriodically(
      (signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            hasEnded = true;
            resolve();
          });
        }),
      1_000,
    );
    await vi.advanceTimersByTimeAsync(1_000);
    await periodic.stop();
    expect(hasEnded).toBe(true);
  });
});
