import { describe, expect, it } from "vitest";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("ConcurrencyLimit", () => {
  it("runs so many at once and no more, in the order of arrival, and answers each its own", async () => {
    const limit = new ConcurrencyLimit(2, 1_000, () => 0);
    const began: number[] = [];
    let running = 0;
    let most = 0;
    const work = (number: number) => async () => {
      began.push(number);
      most = Math.max(most, ++running);
      await turn();
      running--;
      return number;
    };
    const numbers = Array.from({ length: 7 }, (_, number) => number);
    expect(await Promise.all(numbers.map((number) => limit.run(work(number))))).toEqual(numbers);
    expect([began, most, running]).toEqual([numbers, 2, 0]);
  });

  it("goes on after work that failed, and hands its error to its caller alone", async () => {
    const limit = new ConcurrencyLimit(1, 1_000, () => 0);
    const failing = limit.run(async () => Promise.reject(new Error("no")));
    const next = limit.run(async () => "done");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("done");
    expect(await limit.run(async () => "again")).toBe("again");
  });

  it("refuses work that waited too long without starting it, and goes on with the next", async () => {
    let nowMs = 0;
    const limit = new ConcurrencyLimit(1, 100, () => nowMs);
    let hasStarted = false;
    const first = limit.run(async () => {
      await turn();
      nowMs = 101;
    });
    const second = limit.run(async () => {
      hasStarted = true;
    });
    const refused = expect(second).rejects.toMatchObject({ reason: "CONTENDED", retryAfterSeconds: 1 });
    await first;
    await refused;
    expect(hasStarted).toBe(false);
    expect(await limit.run(async () => "done")).toBe("done");
  });
});
