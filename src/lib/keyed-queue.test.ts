import { describe, expect, it } from "vitest";
import { KeyedQueue } from "./keyed-queue.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("KeyedQueue", () => {
  it("runs the work of a key one at a time, in the order of arrival", async () => {
    const queue = new KeyedQueue(1_000, () => 0);
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await turn();
      log.push(`${name} ends`);
      return name;
    };
    expect(await Promise.all(["a", "b", "c"].map((name) => queue.run("key", work(name))))).toEqual(["a", "b", "c"]);
    expect(log).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("lets the work of different keys go on at once", async () => {
    const queue = new KeyedQueue(1_000, () => 0);
    const stuck = new Promise<void>(() => undefined);
    void queue.run("one", () => stuck);
    expect(await queue.run("two", async () => "done")).toBe("done");
  });

  it("goes on after work that failed, and hands its error to its caller alone", async () => {
    const queue = new KeyedQueue(1_000, () => 0);
    const failing = queue.run("key", async () => Promise.reject(new Error("no")));
    const next = queue.run("key", async () => "done");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("done");
  });

  it("refuses work that waited too long without starting it", async () => {
    let nowMs = 0;
    const queue = new KeyedQueue(100, () => nowMs);
    let hasStarted = false;
    const first = queue.run("key", async () => {
      nowMs = 101;
    });
    const second = queue.run("key", async () => {
      hasStarted = true;
    });
    await first;
    await expect(second).rejects.toMatchObject({ reason: "CONTENDED", retryAfterSeconds: 1 });
    expect(hasStarted).toBe(false);
  });
});
