import type { ModelEvent } from "./random-events.ts";

/** A question as a plain look at every event answers it: what the service has to answer, however it gets there. */
export interface ScanQuestion {
  fromMs: number;
  untilMs: number;
  filters: Partial<Record<"endpoint" | "method" | "clientIp" | "consumer", string | string[]>> & {
    statusCode?: number | string | (number | string)[];
  };
  apiId?: string;
}

export type ScanDimension = keyof ScanQuestion["filters"];

const PERCENT = 100;
const two = (value: number) => Math.round(value * PERCENT) / PERCENT;
const microseconds = (event: ModelEvent) => Math.round(event.latencyMs * 1_000);
const isError = ({ statusCode }: ModelEvent) => statusCode >= 400;
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const countOf = (events: readonly ModelEvent[]) => sum(events.map(({ count }) => count));
const consumer = ({ consumerId, consumerName }: ModelEvent) => consumerId || consumerName;

function matches(event: ModelEvent, { fromMs, untilMs, filters, apiId }: ScanQuestion): boolean {
  if (event.at < fromMs || event.at >= untilMs || (apiId !== undefined && event.apiId !== apiId)) return false;
  return Object.entries(filters).every(([name, wanted]) => {
    const values = [wanted].flat().map(String);
    if (name === "consumer" && consumer(event) !== "")
      return [event.consumerId, event.consumerName].some((text) => text !== "" && values.includes(text));
    if (name === "consumer") return values.includes("");
    return values.includes(String(event[name as "endpoint"]));
  });
}

export function select(events: readonly ModelEvent[], question: ScanQuestion): ModelEvent[] {
  return events.filter((event) => matches(event, question));
}

/** The mean latency in milliseconds, to the microsecond. */
function average(events: readonly ModelEvent[]): number {
  const total = countOf(events);
  return total === 0 ? 0 : Math.round(sum(events.map((event) => microseconds(event) * event.count)) / total) / 1_000;
}

export function stats(events: readonly ModelEvent[]) {
  const [total, errors] = [countOf(events), countOf(events.filter(isError))];
  return {
    totalRequests: total,
    errorRate: total === 0 ? 0 : two((errors / total) * PERCENT),
    avgLatencyMs: average(events),
  };
}

export function timeseries(events: readonly ModelEvent[], { fromMs, untilMs }: ScanQuestion, bucketMs: number) {
  const points: object[] = [];
  for (let at = Math.floor(fromMs / bucketMs) * bucketMs; at < untilMs; at += bucketMs) {
    const within = events.filter((event) => event.at >= at && event.at < at + bucketMs);
    points.push({
      timeBucket: new Date(at).toISOString(),
      ...{ requests: countOf(within), errors: countOf(within.filter(isError)), avgLatencyMs: average(within) },
    });
  }
  return points;
}

/** Values with their counts, most frequent first. */
export function rank(events: readonly ModelEvent[], textOf: (event: ModelEvent) => string): [string, number][] {
  const groups = [...Map.groupBy(events, textOf)].map(([value, group]): [string, number] => [value, countOf(group)]);
  return groups.sort(([one, first], [other, second]) => second - first || (one < other ? -1 : 1));
}

export function shares<Name extends string>(name: Name, ranked: [string, number][], total: number) {
  return ranked.map(([value, count]) => ({
    [name]: value,
    count,
    percentage: total === 0 ? 0 : two((count / total) * PERCENT),
  }));
}

export function breakdown(events: readonly ModelEvent[], dimension: ScanDimension) {
  const ranked = rank(events, (event) => (dimension === "consumer" ? consumer(event) : String(event[dimension])));
  return shares("value", ranked.slice(0, 50), countOf(events));
}

export function details(events: readonly ModelEvent[]) {
  const total = countOf(events);
  const errors = events.filter(isError);
  const byStatusClass = rank(events, ({ statusCode }) => `${Math.floor(statusCode / PERCENT)}xx`);
  return {
    totalRequests: {
      total,
      byMethod: shares(
        "code",
        rank(events, ({ method }) => method),
        total,
      ),
      byStatusClass: shares("code", byStatusClass, total),
    },
    totalApiCalls: {
      total,
      byApi: shares(
        "code",
        rank(events, ({ apiId }) => apiId),
        total,
      ),
    },
    errorRate: {
      errorBreakdown: shares(
        "code",
        rank(errors, ({ statusCode }) => String(statusCode)),
        countOf(errors),
      ),
    },
  };
}

/** What a share of the latencies does not exceed, by the nearest rank, in milliseconds. */
export function quantile(events: readonly ModelEvent[], share: number): number {
  const sorted = events
    .flatMap((event) => new Array(event.count).fill(event.latencyMs))
    .sort((one, other) => one - other);
  return sorted.length === 0 ? 0 : sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
