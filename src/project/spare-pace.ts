/** More in one command save nothing, and those in it wait longer. */
export const BATCH_MAX = 500;
/** So many are looked up however busy the thread is: among them may be one who is right. */
export const BATCH_MIN = 20;
/** Above it, strangers get less: the rest is for callers who were right before. */
const BUSY_SHARE = 0.7;

/**
 * How many strangers are looked up at once: more while the thread has time, half as many while it has not. So whoever guesses
 * is answered as fast as the thread can, until that would make others wait, and then as slowly as it must be.
 *
 * @param busyShare which share of the time since it was last asked the thread was busy, 0 to 1
 */
export function createSparePace(busyShare: () => number): () => number {
  let size = BATCH_MAX;
  return () => {
    const next = busyShare() > BUSY_SHARE ? Math.floor(size / 2) : size + 20;
    size = Math.min(BATCH_MAX, Math.max(BATCH_MIN, next));
    return size;
  };
}

/** The share of the time between two calls in which this thread was busy. */
export function measureBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
