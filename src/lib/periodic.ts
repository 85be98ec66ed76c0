/** Work that is repeated until it is stopped. */
export interface Periodic {
  /** No run begins any more; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs work once in every interval, the first time after one. A run that fails is reported, and the next comes in its turn.
 * Several nodes may do the same work at once.
 *
 * @param report takes what a run failed with
 */
export function runPeriodically(
  work: () => Promise<void>,
  intervalMs: number,
  report: (error: unknown) => void,
): Periodic {
  let underWay: Promise<void> | undefined;
  const timer = setInterval(() => {
    underWay ??= work()
      .catch(report)
      .finally(() => {
        underWay = undefined;
      });
  }, intervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
}
