const INTERVAL_MS = 10;
/** Timers are late by less than this where nothing stands still. */
const LATE_MS = 20;

/**
 * Watches for how long this process stands still: a machine that is busy with others, or stopped for a second, adds it to every
 * time that is measured here, whatever the service does. Returns what ends it and tells how long it was in all.
 */
export function watchStalls(): () => number {
  let lastMs = performance.now();
  let stalledMs = 0;
  const look = () => {
    const nowMs = performance.now();
    const lateMs = nowMs - lastMs - INTERVAL_MS;
    if (lateMs > LATE_MS) stalledMs += lateMs;
    lastMs = nowMs;
  };
  const timer = setInterval(look, INTERVAL_MS);
  return () => {
    clearInterval(timer);
    look();
    return stalledMs;
  };
}
