const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** When attempts are made, since the first was due: until 3 days have passed. */
const OFFSETS_MS = [
  ...[0, 5 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 14 * HOUR_MS + DAY_MS, 14 * HOUR_MS + 2 * DAY_MS],
];
/** Up to a tenth earlier or later, so that what failed together does not come back together. */
const JITTER = 0.1;

/**
 * When an event is tried next, epoch milliseconds; undefined: never again. Attempts whose time has passed while nobody could
 * make them are left out.
 *
 * @param startMs when the first attempt was due
 * @param attempts how many have been made
 * @param random from 0 to below 1
 */
export function nextAttemptMs(startMs: number, attempts: number, nowMs: number, random: number): number | undefined {
  const times = OFFSETS_MS.map((offsetMs) => startMs + offsetMs * (1 - JITTER + 2 * JITTER * random));
  const next = times.find((timeMs, index) => index >= attempts && timeMs > nowMs);
  return next && Math.round(next);
}
