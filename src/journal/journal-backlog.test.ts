import { expect, it } from "vitest";
import { JournalBacklog } from "./journal-backlog.ts";

const MEGABYTE = 1024 * 1024;

function open() {
  const state = { sizeMb: 0, nowMs: 0, asked: 0 };
  const size = async () => {
    state.asked++;
    if (Number.isNaN(state.sizeMb)) throw new Error("out of reach");
    return state.sizeMb * MEGABYTE;
  };
  const backlog = new JournalBacklog({ size, monotonicMs: () => state.nowMs });
  /** Asks, and again when what was found is known. */
  const isRefused = async () => {
    state.nowMs += 500;
    try {
      backlog.checkRoom();
    } catch {}
    await Promise.resolve();
    await Promise.resolve();
    try {
      backlog.checkRoom();
      return false;
    } catch (error) {
      expect(error).toMatchObject({ reason: "OVERLOADED", retryAfterSeconds: 5 });
      return true;
    }
  };
  return { state, backlog, isRefused };
}

it("refuses events while too many wait to be drained, and takes them again when they are fewer", async () => {
  const { state, isRefused } = open();
  expect(await isRefused()).toBe(false);
  state.sizeMb = 513;
  expect(await isRefused()).toBe(true);
  state.sizeMb = 512;
  expect(await isRefused()).toBe(false);
});

it("looks twice a second, however many calls there are", async () => {
  const { state, backlog } = open();
  for (let count = 0; count < 1_000; count++) backlog.checkRoom();
  expect(state.asked).toBe(1);
  await new Promise(setImmediate);
  state.nowMs = 500;
  backlog.checkRoom();
  expect(state.asked).toBe(2);
});

it("does not look again before the last look has ended, and rests for ten times as long as that took", async () => {
  const state = { nowMs: 0, asked: 0 };
  let answer: (bytes: number) => void = () => undefined;
  const size = () => {
    state.asked++;
    return new Promise<number>((resolve) => {
      answer = resolve;
    });
  };
  const backlog = new JournalBacklog({ size, monotonicMs: () => state.nowMs });
  const askedAt = async (nowMs: number) => {
    state.nowMs = nowMs;
    backlog.checkRoom();
    await new Promise(setImmediate);
    return state.asked;
  };
  expect([await askedAt(0), await askedAt(900)]).toEqual([1, 1]);
  answer(1);
  await new Promise(setImmediate);
  expect([await askedAt(8_999), await askedAt(9_000)]).toEqual([1, 2]);
});

it("does not refuse what it knows nothing of", async () => {
  const { state, isRefused } = open();
  state.sizeMb = 600;
  expect(await isRefused()).toBe(true);
  state.sizeMb = Number.NaN;
  expect(await isRefused()).toBe(false);
});
