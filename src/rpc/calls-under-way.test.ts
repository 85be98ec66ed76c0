import { describe, expect, it, vi } from "vitest";
import { CallsUnderWay } from "./calls-under-way.ts";

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
const late = () => new Error("late");

describe("CallsUnderWay", () => {
  it("answers what the work does, and what its error is made into", async () => {
    const calls = new CallsUnderWay();
    expect(await calls.run(Promise.resolve(5), 1_000, toError, late)).toBe(5);
    await expect(calls.run(Promise.reject("no"), 1_000, toError, late)).rejects.toThrow("no");
  });

  it("gives up each call in its own time, and none before", async () => {
    const calls = new CallsUnderWay();
    const work = new Promise<never>(() => undefined);
    const startMs = performance.now();
    const order: string[] = [];
    const slow = calls.run(work, 300, toError, late).catch(() => order.push("slow"));
    const fast = calls.run(work, 50, toError, late).catch(() => order.push("fast"));
    await Promise.all([fast, slow]);
    expect(order).toEqual(["fast", "slow"]);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(300);
  });

  it("tells nobody of an error that comes when the call was given up", async () => {
    const calls = new CallsUnderWay();
    const work = Promise.withResolvers<never>();
    const toFault = vi.fn(toError);
    await expect(calls.run(work.promise, 1, toFault, late)).rejects.toThrow("late");
    work.reject(new Error("too late"));
    await calls.settled(1_000);
    expect(toFault).toHaveBeenCalledOnce();
  });

  it("is settled when the last work has ended, the given up included, or when time is up", async () => {
    const calls = new CallsUnderWay();
    const work = Promise.withResolvers<void>();
    await calls.run(work.promise, 1, toError, late).catch(() => undefined);
    let isSettled = false;
    const settled = calls.settled(5_000).then(() => {
      isSettled = true;
    });
    await calls.settled(10);
    expect(isSettled).toBe(false);
    work.resolve();
    await settled;
  });
});
