import { parseTime } from "./parse-time.ts";

const UNIX_TIME = /^\d{1,15}(?:\.\d{1,9})?$/;
/** A number from here on is milliseconds: in seconds it would be a time after the year 5138. */
const MILLISECONDS_MIN = 1e11;

/**
 * Reads the time of an event: ISO 8601, `YYYY-MM-DD HH:MM:SS` in UTC as log rows have it, or Unix seconds or milliseconds.
 *
 * @returns epoch milliseconds; undefined when the text is none of them
 */
export function parseEventTime(text: string): number | undefined {
  if (!UNIX_TIME.test(text)) return parseTime(text);
  const time = Number(text);
  return Math.round(time < MILLISECONDS_MIN ? time * 1_000 : time);
}
