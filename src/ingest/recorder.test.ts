import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { BatchRecording, Portion } from "./batch-recording.ts";
import { Recorder, type Recording } from "./recorder.ts";

function recordingOf(count: number, more: Partial<Recording> = {}): Recording {
  const rows = Array.from({ length: count }, (_, index) => `["req_${index}"]`);
  const requestIds = rows.map((_row, index) => `req_${index}`);
  return { projectId: "project_1", rows, requestIds, arrivedMs: performance.now(), heldLength: 0, ...more };
}

/** A recorder whose batches are kept, and answer as duplicates how many events each portion has. */
function setUp() {
  const batches: (readonly Portion[])[] = [];
  const state = { work: Promise.resolve(), told: 0 };
  const run: BatchRecording["run"] = async (portions) => {
    batches.push(portions.map(({ call }) => call));
    for (const { call, resolve } of portions.slice(0, state.told)) resolve(call.rows.length);
    await state.work;
    for (const { call, resolve } of portions) resolve(call.rows.length);
  };
  return { recorder: new Recorder({ run }), batches, state };
}

it("gathers the calls that arrive while a batch is under way, and answers each its own", async () => {
  const { recorder, batches, state } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  state.work = promise;
  const first = recorder.record(recordingOf(1));
  await sleep(5);
  const others = [2, 3, 4].map((count) => recorder.record(recordingOf(count)));
  resolve();
  expect(await Promise.all([first, ...others])).toEqual([1, 2, 3, 4]);
  expect(batches.map((batch) => batch.length)).toEqual([1, 3]);
});

it("begins a batch beside the one under way when enough calls wait, and no third", async () => {
  const { recorder, batches, state } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  state.work = promise;
  const calls: Promise<number>[] = [];
  const arrive = async (count: number) => {
    for (let call = 0; call < count; call++) calls.push(recorder.record(recordingOf(1)));
    await sleep(5);
    return batches.map((batch) => batch.length);
  };
  expect(await arrive(1)).toEqual([1]);
  expect(await arrive(127)).toEqual([1]);
  expect(await arrive(1)).toEqual([1, 128]);
  expect(await arrive(300)).toEqual([1, 128]);
  resolve();
  await Promise.all(calls);
  expect(batches.map((batch) => batch.length)).toEqual([1, 128, 300]);
});

it("tells those of a batch that failed so who were not told that they are recorded", async () => {
  const { recorder, state } = setUp();
  const { promise, reject } = Promise.withResolvers<void>();
  [state.told, state.work] = [1, promise];
  const [first, second] = [recorder.record(recordingOf(1)), recorder.record(recordingOf(2))];
  expect(await first).toBe(1);
  reject(new Error("not known"));
  await expect(second).rejects.toThrow("not known");
});

it("parts a call that is too large for one entry of the journal, and adds up the answers", async () => {
  const { recorder, batches } = setUp();
  const rows = Array.from({ length: 50 }, () => "x".repeat(100_000));
  const requestIds = rows.map((_row, index) => `req_${index}`);
  expect(await recorder.record(recordingOf(0, { rows, requestIds }))).toBe(50);
  const portions = batches.flat();
  expect(portions.flatMap((portion) => portion.requestIds)).toEqual(requestIds);
  for (const batch of batches) {
    expect(batch.reduce((sum, { textLength }) => sum + textLength, 0)).toBeLessThanOrEqual(4_000_000);
  }
});

it("refuses calls that have waited too long", async () => {
  const { recorder, batches } = setUp();
  await expect(recorder.record(recordingOf(1, { arrivedMs: performance.now() - 2_000 }))).rejects.toThrow("OVERLOADED");
  expect(batches).toEqual([]);
});

it("refuses calls beyond the bounds of those that wait, and takes them again when there is room", async () => {
  const { recorder, state } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  state.work = promise;
  const large = Array.from({ length: 64 }, () => recorder.record(recordingOf(1, { heldLength: 1_000_000 })));
  await expect(recorder.record(recordingOf(1))).rejects.toThrow("OVERLOADED");
  expect(() => recorder.checkRoom()).toThrow("OVERLOADED");
  resolve();
  await Promise.all(large);
  state.work = new Promise(() => undefined);
  for (let call = 0; call < 10_000; call++) void recorder.record(recordingOf(1)).catch(() => undefined);
  await expect(recorder.record(recordingOf(1))).rejects.toThrow("OVERLOADED");
});
