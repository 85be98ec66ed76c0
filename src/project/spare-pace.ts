/** More in one command save nothing, and those in it wait longer. */
export const BATCH_MAX = 500;
/** So many are looked up however busy the thread is: among them may be one who is right. */
export const BATCH_MIN = 20;
/** Above it, strangers get less: the rest is for callers who were right before. */
const BUSY_SHARE = 0.7;

/** Over less than that, a burst of answers looks like a thread that has no time. */
const MEASURED_MS = 100;

/**
 * How many strangers are looked up at once: more while the thread has time, half as many while it has not. So whoever guesses
 * is answered as fast as the thread can, until that would make others wait, and then as slowly as it must be.
 *
 * @param busyShare which share of the time since it last told the thread was busy, 0 to 1; undefined: it has nothing to tell yet
 */
export function createSparePace(busyShare: () => number | undefined): () => number {
  let size = BATCH_MAX;
  return () => {
    const share = busyShare();
    if (share === undefined) return size;
    const next = share > BUSY_SHARE ? size / 2 : size * 1.5;
    size = Math.min(BATCH_MAX, Math.max(BATCH_MIN, Math.floor(next)));
    return size;
  };
}

/** The share of the time in which this thread was busy, told once in a while. */
export function measureBusyShare(): () => number | undefined {
  let before = performance.eventLoopUtilization();
  let toldMs = performance.now();
  return () => {
    const nowMs = performance.now();
    if (nowMs - toldMs < MEASURED_MS) return undefined;
    toldMs = nowMs;
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
