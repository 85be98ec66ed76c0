import { setTimeout as sleep } from "node:timers/promises";

/** Work that is repeated until it is stopped. */
export interface Periodic {
  /** No run begins any more; resolves when the one under way has ended, or has had time to. */
  stop(): Promise<void>;
}

/** A run that was asked to end has so long: it ends at its next step, unless that hangs. */
const END_MAX_MS = 1_000;

/**
 * Runs work once in every interval, the first time after one, and never twice at once.
 *
 * @param work never rejects; long work ends early when the signal is aborted
 */
export function runPeriodically(work: (signal: AbortSignal) => Promise<void>, intervalMs: number): Periodic {
  const stopped = new AbortController();
  let underWay: Promise<void> | undefined;
  const timer = setInterval(() => {
    underWay ??= work(stopped.signal).finally(() => {
      underWay = undefined;
    });
  }, intervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      stopped.abort();
      await Promise.race([underWay, sleep(END_MAX_MS, undefined, { ref: false })]);
    },
  };
}
