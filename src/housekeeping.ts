import { type Periodic, runPeriodically } from "./lib/periodic.ts";

/** Work that nobody waits for, such as clearing up. Several nodes may do it at once. Ends early when told to. */
export type Chore = (signal: AbortSignal) => Promise<void>;

const INTERVAL_MS = 60_000;

/**
 * Does each chore once a minute. They do not wait for each other, and one that fails is tried again in its turn.
 *
 * @param report takes what a chore failed with, and its name
 */
export function startHousekeeping(
  chores: Readonly<Record<string, Chore>>,
  report: (error: unknown, chore: string) => void,
): Periodic {
  const running = Object.entries(chores).map(([name, chore]) =>
    runPeriodically((signal) => chore(signal).catch((error: unknown) => report(error, name)), INTERVAL_MS),
  );
  return {
    async stop() {
      await Promise.all(running.map((periodic) => periodic.stop()));
    },
  };
}
