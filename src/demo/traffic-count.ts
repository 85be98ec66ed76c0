import type { AccessLogEntry } from "./access-log.ts";
import { ABSENT } from "./traffic-event.ts";

/** How the requests of a log are spread, counted one by one: what the analytics have to come to. */
export interface TrafficCount {
  requests: number;
  /** Those that were answered with status 400 and above. */
  errors: number;
  /** Requests by path without the query, by method, by status and by client address. */
  breakdowns: Readonly<Record<CountedDimension, ReadonlyMap<string, number>>>;
}

export type CountedDimension = "endpoint" | "method" | "statusCode" | "clientIp";

const ERROR_MIN = 400;

export function countTraffic(entries: readonly AccessLogEntry[]): TrafficCount {
  return {
    requests: entries.length,
    errors: entries.filter(isError).length,
    breakdowns: {
      endpoint: countBy(entries, ({ target }) => (target === null ? ABSENT : target.replace(/[?#].*$/s, "") || "/")),
      method: countBy(entries, ({ method }) => method ?? ABSENT),
      statusCode: countBy(entries, ({ statusCode }) => String(statusCode)),
      clientIp: countBy(entries, ({ clientAddress }) => clientAddress),
    },
  };
}

/**
 * Requests and errors between times.
 *
 * @param beginsMs ascending; each span goes to the begin of the next, the last has no end
 * @param shiftMs how much later than in the log its requests are counted
 * @returns a pair for each begin; requests before the first are left out
 */
export function countSpans(
  entries: readonly AccessLogEntry[],
  shiftMs: number,
  beginsMs: readonly number[],
): { requests: number; errors: number }[] {
  const spans = beginsMs.map(() => ({ requests: 0, errors: 0 }));
  for (const entry of entries) {
    const span = spans[beginsMs.findLastIndex((beginMs) => beginMs <= entry.timeMs + shiftMs)];
    if (span === undefined) continue;
    span.requests++;
    if (isError(entry)) span.errors++;
  }
  return spans;
}

/** How many of a list have each name. */
export function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return counts;
}

function isError({ statusCode }: AccessLogEntry): boolean {
  return statusCode >= ERROR_MIN;
}
