import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { forEachConcurrently } from "./for-each-concurrently.ts";

const never = new AbortController().signal;

it("every item is worked on once, in order, by no more than so many at a time", async () => {
  const begun: number[] = [];
  let running = 0;
  let runningMax = 0;
  await forEachConcurrently(
    Array.from({ length: 50 }, (_, index) => index),
    8,
    never,
    async (item) => {
      begun.push(item);
      runningMax = Math.max(runningMax, ++running);
      await sleep(1);
      running--;
    },
  );
  expect(begun).toEqual(Array.from({ length: 50 }, (_, index) => index));
  expect(runningMax).toBe(8);
});

it("after a failure no item is begun, and the rejection waits for those under way", async () => {
  const ended: number[] = [];
  const work = async (item: number) => {
    if (item === 1) throw new Error("item 1 failed");
    await sleep(10);
    ended.push(item);
  };
  await expect(forEachConcurrently([0, 1, 2, 3, 4], 2, never, work)).rejects.toThrow("item 1 failed");
  expect(ended).toEqual([0]);
});

it("once aborted no item is begun, and the rejection is the reason", async () => {
  const controller = new AbortController();
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    if (item === 2) controller.abort(new Error("enough"));
    await sleep(1);
  };
  await expect(forEachConcurrently([0, 1, 2, 3, 4, 5], 1, controller.signal, work)).rejects.toThrow("enough");
  expect(begun).toEqual([0, 1, 2]);
});
