import { invalidRequest } from "../lib/fault.ts";

const SECOND_MS = 1_000;
const SHOWN = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/;
const NUMBER = /^\d{1,15}(\.\d{1,9})?$/;
/** From here on a number is of milliseconds: as seconds it would be in the year 5138, as milliseconds it is in 1973. */
const MILLISECONDS_MIN = 1e11;

/**
 * The second that a timestamp of a log row names: as the row has it, as Unix seconds, or as Unix milliseconds. Throws
 * INVALID_REQUEST.
 */
export function parseSlice(timestamp: string): { fromMs: number; untilMs: number } {
  const atMs = parse(timestamp);
  if (atMs === undefined || !Number.isSafeInteger(Math.floor(atMs))) {
    const message = "must be YYYY-MM-DD HH:MM:SS, Unix seconds or Unix milliseconds";
    throw invalidRequest([{ field: "timestamp", message }]);
  }
  const fromMs = Math.floor(atMs / SECOND_MS) * SECOND_MS;
  return { fromMs, untilMs: fromMs + SECOND_MS };
}

function parse(timestamp: string): number | undefined {
  const [, day, time] = SHOWN.exec(timestamp) ?? [];
  if (day !== undefined && time !== undefined) {
    const atMs = Date.parse(`${day}T${time}Z`);
    // Date.parse takes the 31st of February for the 3rd of March.
    return Number.isNaN(atMs) || !new Date(atMs).toISOString().startsWith(day) ? undefined : atMs;
  }
  if (!NUMBER.test(timestamp)) return undefined;
  const number = Number(timestamp);
  return number >= MILLISECONDS_MIN ? number : number * SECOND_MS;
}
