const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const INTERVAL_MAX_MS = 3_650 * DAY_MS;
/** The bound keeps a text of nothing but zeros before its number from being stored as it is. */
const FORM = /^(\d{1,32})([hd])$/;

/** A refill interval. */
export interface Interval {
  /** As it is shown, such as `7d`. */
  every: string;
  everyMs: number;
}

/**
 * Reads `<number><unit>`, unit `h` or `d`. Anything else, nothing and more than 3,650 days are silently one day (the
 * specification, Refill object).
 */
export function parseInterval(text: string): Interval {
  const match = FORM.exec(text);
  const everyMs = match === null ? 0 : Number(match[1]) * (match[2] === "h" ? HOUR_MS : DAY_MS);
  return everyMs > 0 && everyMs <= INTERVAL_MAX_MS ? { every: text, everyMs } : { every: "1d", everyMs: DAY_MS };
}
