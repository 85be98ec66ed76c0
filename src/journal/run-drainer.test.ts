import { expect, it } from "vitest";
import type { Drainer, Step } from "./drainer.ts";
import { runDrainer } from "./run-drainer.ts";

/** Runs a drainer that takes the lease and has nothing to do, for a while. @returns how many steps it and compaction made */
async function run(survey: () => Promise<void>, compactions: number): Promise<{ steps: number; compacted: number }> {
  const stop = new AbortController();
  let [steps, compacted] = [0, 0];
  const drainer = {
    isBehind: false,
    async step(): Promise<Step> {
      if (++steps === 3) stop.abort();
      return steps === 1 ? "taken" : "idle";
    },
    release: async () => undefined,
  };
  const compaction = { survey, step: async () => compacted < compactions && compacted++ >= 0 };
  // Of a drainer, no more is used.
  const options = { drainer: drainer as unknown as Drainer, compaction, onFailure: () => undefined };
  await runDrainer({ ...options, signal: stop.signal });
  return { steps, compacted };
}

it("drains while it is surveyed what there is to merge, however long that takes", async () => {
  expect((await run(() => new Promise(() => undefined), 0)).steps).toBe(3);
});

it("drains after a survey that failed", async () => {
  expect((await run(() => Promise.reject(new Error("no database")), 0)).steps).toBe(3);
});

it("merges as much as there is in the pause between two batches, not once in each", async () => {
  expect((await run(async () => undefined, 100)).compacted).toBe(100);
});
