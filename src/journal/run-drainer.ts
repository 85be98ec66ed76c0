import { setTimeout as sleep } from "node:timers/promises";
import type { Compaction } from "../segments/compaction.ts";
import type { Drainer, Step } from "./drainer.ts";

/** Between batches while the journal is drained as fast as it is filled: fewer, larger batches cost less. */
const PAUSE_MS = 200;
/** Between looks whether another drainer has gone. */
const WAITING_MS = 1_000;
const FAILURE_MS = 1_000;

export interface RunDrainerOptions {
  drainer: Drainer;
  /** Merges the segments that draining adds. */
  compaction: Pick<Compaction, "survey" | "step">;
  signal: AbortSignal;
  /** Takes what a step failed with; it is tried again after a pause. */
  onFailure: (error: unknown) => void;
}

/**
 * Drains the journal until the signal is aborted, and leaves the lease to others then. Ends after the step under way; what is
 * not drained stays in the journal. Whoever drains also compacts.
 */
export async function runDrainer({ drainer, compaction, signal, onFailure }: RunDrainerOptions): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  const survey = surveying(compaction, onFailure);
  while (!signal.aborted) {
    try {
      const step = await drainer.step();
      if (step === "taken") survey();
      const startMs = performance.now();
      // Between batches, so that neither keeps the other waiting for long.
      if (step === "idle" || step === "finished") await compact(compaction, drainer.isBehind ? 0 : PAUSE_MS);
      const pauseMs = pauseAfter(step, drainer.isBehind) - (performance.now() - startMs);
      if (pauseMs > 0) await pause(pauseMs);
    } catch (error) {
      onFailure(error);
      await pause(FAILURE_MS);
    }
  }
  // Who cannot say so is followed when the lease has ended.
  await drainer.release().catch(() => undefined);
}

/** Compacts for about so long, at least once; less when there is nothing to do. */
async function compact(compaction: RunDrainerOptions["compaction"], spanMs: number): Promise<void> {
  const endMs = performance.now() + spanMs;
  while ((await compaction.step()) && performance.now() < endMs);
}

/** Surveys beside the draining, once at a time: of many segments it takes longer than the lease. */
function surveying(compaction: RunDrainerOptions["compaction"], onFailure: (error: unknown) => void): () => void {
  let isUnderWay = false;
  return () => {
    if (isUnderWay) return;
    isUnderWay = true;
    const isOver = () => {
      isUnderWay = false;
    };
    compaction.survey().catch(onFailure).then(isOver, isOver);
  };
}

function pauseAfter(step: Step, isBehind: boolean): number {
  if (step === "waiting") return WAITING_MS;
  return (step === "idle" || step === "finished") && !isBehind ? PAUSE_MS : 0;
}
