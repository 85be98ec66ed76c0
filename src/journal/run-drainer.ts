import { setTimeout as sleep } from "node:timers/promises";
import type { Drainer, Step } from "./drainer.ts";

/** Between batches while the journal is drained as fast as it is filled: fewer, larger batches cost less. */
const PAUSE_MS = 200;
/** Between looks whether another drainer has gone. */
const WAITING_MS = 1_000;
const FAILURE_MS = 1_000;

/**
 * Drains the journal until the signal is aborted, and leaves the lease to others then. Ends after the step under way; what is
 * not drained stays in the journal.
 *
 * @param onFailure takes what a step failed with; it is tried again after a pause
 */
export async function runDrainer(
  drainer: Drainer,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  while (!signal.aborted) {
    try {
      const pauseMs = pauseAfter(await drainer.step(), drainer.isBehind);
      if (pauseMs > 0) await pause(pauseMs);
    } catch (error) {
      onFailure(error);
      await pause(FAILURE_MS);
    }
  }
  // Who cannot say so is followed when the lease has ended.
  await drainer.release().catch(() => undefined);
}

function pauseAfter(step: Step, isBehind: boolean): number {
  if (step === "waiting") return WAITING_MS;
  if (step === "idle" || (step === "finished" && !isBehind)) return PAUSE_MS;
  return 0;
}
