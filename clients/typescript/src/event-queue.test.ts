import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { IngestResponse, TrafficEventInput } from "../gen/api.ts";
import { ApiError, type KeysvcError, QueueFullError, TransportError } from "./errors.ts";
import { EventQueue } from "./event-queue.ts";

const event = (number: number): TrafficEventInput => ({ requestId: `req_${number}`, method: "GET", statusCode: 200 });
const events = (count: number) => Array.from({ length: count }, (_, number) => event(number));

/** A queue, what it sent, and what was told. `answers` come one after the other; the last stays. */
function queueOf(...answers: (Partial<IngestResponse> | Error | Promise<never>)[]) {
  const batches: TrafficEventInput[][] = [];
  const told: KeysvcError[] = [];
  const queue = new EventQueue({
    async send(batch, signal) {
      batches.push(batch);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      if (answer instanceof Promise) {
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      }
      return { accepted: batch.length, duplicates: 0, rejected: [], ...answer };
    },
    report: (error) => told.push(error),
    now: () => Date.now(),
    random: () => 0.5,
  });
  return { queue, batches, told };
}

const never = new Promise<never>(() => undefined);

it("events whose answer says nothing of them are lost, told of, and not sent again", async () => {
  // Whatever a proxy may answer, whose type nobody vouches for.
  const { queue, batches, told } = queueOf({ rejected: null as unknown as [] });
  queue.offer(events(2));
  await queue.flush();
  expect([batches.length, queue.dropped]).toEqual([1, 2]);
  expect(told).toEqual([expect.any(ApiError)]);
});

it("a batch that the service finds too long is sent in halves, so that one long event loses no others", async () => {
  const taken: TrafficEventInput[] = [];
  const told: KeysvcError[] = [];
  const queue = new EventQueue({
    async send(batch) {
      if (batch.some(({ requestId }) => requestId === "req_5")) throw new ApiError("too long", { statusCode: 413 });
      taken.push(...batch);
      return { accepted: batch.length, duplicates: 0, rejected: [] };
    },
    report: (error) => told.push(error),
    now: () => 0,
    random: () => 0.5,
  });
  queue.offer(events(8));
  await queue.flush();
  expect(taken).toEqual(events(8).filter(({ requestId }) => requestId !== "req_5"));
  expect([queue.dropped, told.length]).toEqual([1, 1]);
});

describe("events that wait", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("are sent after a second, those of that second together", async () => {
    const { queue, batches } = queueOf({});
    queue.offer([event(1)]);
    await vi.advanceTimersByTimeAsync(500);
    queue.offer([event(2)]);
    await vi.advanceTimersByTimeAsync(499);
    expect(batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toEqual([[event(1), event(2)]]);
    queue.offer([event(3)]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(batches).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are sent at once when there are a hundred, in batches of a hundred", async () => {
    const { queue, batches } = queueOf({});
    queue.offer(events(250));
    await vi.advanceTimersByTimeAsync(0);
    expect(batches.map(({ length }) => length)).toEqual([100, 100]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(batches.flat()).toEqual(events(250));
  });

  it("are tried three times with the same ids while the service cannot take them, and then given up", async () => {
    for (const failure of [
      new TransportError("reset"),
      new ApiError("", { statusCode: 503 }),
      new ApiError("", { statusCode: 429 }),
    ]) {
      const { queue, batches, told } = queueOf(failure);
      queue.offer(events(3));
      await vi.advanceTimersByTimeAsync(60_000);
      expect(batches).toEqual([events(3), events(3), events(3)]);
      expect([told, queue.dropped]).toEqual([[failure], 3]);
    }
  });

  it("are not sent again when the service refuses them, or part of them", async () => {
    const refused = queueOf(new ApiError("", { statusCode: 400 }));
    refused.queue.offer(events(2));
    const partly = queueOf({ accepted: 1, rejected: [{ index: 1, message: "statusCode is required" }] });
    partly.queue.offer(events(2));
    await vi.advanceTimersByTimeAsync(60_000);
    expect([refused.batches.length, refused.told.length]).toEqual([1, 1]);
    expect([partly.batches.length, partly.queue.dropped]).toEqual([1, 0]);
    expect(partly.told[0]?.message).toContain("statusCode is required");
  });

  it("wait as long as the service asks before another try", async () => {
    const { queue, batches } = queueOf(new ApiError("", { statusCode: 429, retryAfterSeconds: 5 }), {});
    queue.offer([event(1)]);
    await vi.advanceTimersByTimeAsync(1_000 + 4_999);
    expect(batches).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toHaveLength(2);
  });

  it("that find the queue full are dropped and counted, which is told at most once in ten seconds", async () => {
    const { queue, told } = queueOf(never);
    queue.offer(events(100));
    await vi.advanceTimersByTimeAsync(0);
    queue.offer(events(2_048));
    for (let round = 0; round < 5; round++) queue.offer(events(10));
    expect(queue.dropped).toBe(50);
    expect(told).toEqual([]);
    const closing = queue.close(AbortSignal.timeout(1)).catch(() => undefined);
    vi.useRealTimers();
    await closing;
    expect(told.filter((error) => error instanceof QueueFullError)).toHaveLength(1);
  });
});

describe("flush and close", () => {
  it("send what waits, without waiting for the second", async () => {
    const { queue, batches } = queueOf({});
    queue.offer(events(120));
    await queue.flush();
    expect(batches.flat()).toEqual(events(120));
    await queue.flush();
    expect(batches).toHaveLength(2);
  });

  it("wait for what was there when they were called, not for what comes meanwhile", async () => {
    const { queue, batches } = queueOf({});
    queue.offer(events(10));
    let ended = false;
    const flushed = queue.flush().then(() => {
      ended = true;
    });
    // Always more than one batch behind.
    for (let round = 0; round < 20 && !ended; round++) {
      queue.offer(events(100));
      await Promise.resolve();
    }
    await flushed;
    expect(batches[0]).toHaveLength(10);
    expect(batches.flat().length).toBeLessThan(10 + 20 * 100);
    await queue.close();
  });

  it("end when their signal is aborted; what close leaves is dropped, what flush leaves goes on", async () => {
    const { queue, told } = queueOf(never);
    queue.offer(events(150));
    const reason = new Error("enough");
    await expect(queue.flush(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(queue.dropped).toBe(0);
    await expect(queue.close(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(queue.dropped).toBe(150);
    expect(told.length).toBeGreaterThan(0);
  });

  it("a closed queue takes nothing in, and counts it", async () => {
    const { queue, batches } = queueOf({});
    await queue.close();
    await queue.close();
    queue.offer(events(2));
    await queue.flush();
    expect([batches, queue.dropped]).toEqual([[], 2]);
  });
});
