import { type Periodic, runPeriodically } from "./lib/periodic.ts";

/** Work that nobody waits for, such as clearing up. Several nodes may do it at once. Ends early when told to. */
export type Chore = (signal: AbortSignal) => Promise<void>;

const INTERVAL_MS = 60_000;

/**
 * Does all chores once a minute, one after the other; one that fails does not keep the others from being done.
 *
 * @param report takes what a chore failed with, and its name
 */
export function startHousekeeping(
  chores: Readonly<Record<string, Chore>>,
  report: (error: unknown, chore: string) => void,
): Periodic {
  return runPeriodically(async (signal) => {
    for (const [name, chore] of Object.entries(chores)) {
      if (!signal.aborted) await chore(signal).catch((error: unknown) => report(error, name));
    }
  }, INTERVAL_MS);
}
