import { bucketOf } from "./latency-buckets.ts";
import { type Dimension, HOUR_MS, isErrorStatus, MINUTE_MS, type Segment } from "./segment.ts";
import type { Rows } from "./select-rows.ts";

// Every measure of a whole is the sum of the same measures of its parts.

export interface Totals {
  events: number;
  /** Fewer than events where some stand for several. */
  rows: number;
  errors: number;
  latencyUs: number;
  minUs: number;
  maxUs: number;
}

export interface Latency {
  totals: Totals;
  /** See latency-buckets.ts. */
  buckets: Map<number, number>;
  /** How many events are below each of RANGE_LIMITS_MS, and not below the one before; then those above all. */
  ranges: number[];
}

/** The limits of the ranges that are shown of latencies. */
export const RANGE_LIMITS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
const RANGE_LIMITS_US = RANGE_LIMITS_MS.map((limit) => limit * 1_000);

/** Numbers for each minute. */
export const MINUTE_WIDTH = 3;
const MINUTES = HOUR_MS / MINUTE_MS;

export function noTotals(): Totals {
  return { events: 0, rows: 0, errors: 0, latencyUs: 0, minUs: Number.POSITIVE_INFINITY, maxUs: 0 };
}

export function noLatency(): Latency {
  return { totals: noTotals(), buckets: new Map(), ranges: new Array(RANGE_LIMITS_US.length + 1).fill(0) };
}

/** Calls back with each row: its place, how many events it stands for, and its latency. */
function forEachRow(
  { weights, latencies }: Pick<Segment, "weights" | "latencies">,
  { first, end, passes }: Rows,
  each: (row: number, weight: number, latencyUs: number) => void,
): void {
  for (let row = first; row < end; row++) {
    if (passes === undefined || passes[row] === 1) each(row, weights?.[row] ?? 1, latencies[row] ?? 0);
  }
}

/** For each status of a segment, whether it is an error. */
function errorsOf({ columns }: Segment): Uint8Array {
  return Uint8Array.from(columns.statusCode.values, (value) => (isErrorStatus(Number(value)) ? 1 : 0));
}

export function totalsOf(segment: Segment, rows: Rows): Totals {
  const { codes } = segment.columns.statusCode;
  const errors = errorsOf(segment);
  const totals = noTotals();
  forEachRow(segment, rows, (row, weight, latencyUs) => {
    totals.events += weight;
    totals.rows++;
    totals.errors += weight * (errors[codes[row] ?? 0] ?? 0);
    totals.latencyUs += weight * latencyUs;
    if (latencyUs < totals.minUs) totals.minUs = latencyUs;
    if (latencyUs > totals.maxUs) totals.maxUs = latencyUs;
  });
  return totals;
}

/** For each minute of the hour: events, errors, and their latencies in microseconds. */
export function minutesOf(segment: Segment, rows: Rows): Float64Array<ArrayBuffer> {
  const { codes } = segment.columns.statusCode;
  const errors = errorsOf(segment);
  const minutes = new Float64Array(MINUTES * MINUTE_WIDTH);
  forEachRow(segment, rows, (row, weight, latencyUs) => {
    const place = Math.floor((segment.offsets[row] ?? 0) / MINUTE_MS) * MINUTE_WIDTH;
    minutes[place] = (minutes[place] ?? 0) + weight;
    minutes[place + 1] = (minutes[place + 1] ?? 0) + weight * (errors[codes[row] ?? 0] ?? 0);
    minutes[place + 2] = (minutes[place + 2] ?? 0) + weight * latencyUs;
  });
  return minutes;
}

export function latencyOf(segment: Segment, rows: Rows): Latency {
  const latency = { ...noLatency(), totals: totalsOf(segment, rows) };
  const { buckets, ranges } = latency;
  forEachRow(segment, rows, (_row, weight, latencyUs) => {
    const bucket = bucketOf(latencyUs);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + weight);
    const range = rangeOf(latencyUs);
    ranges[range] = (ranges[range] ?? 0) + weight;
  });
  return latency;
}

function rangeOf(latencyUs: number): number {
  const range = RANGE_LIMITS_US.findIndex((limit) => latencyUs < limit);
  return range === -1 ? RANGE_LIMITS_US.length : range;
}

/** How many events have each value of a dimension. */
export function countsOf(segment: Segment, rows: Rows, dimension: Dimension): Map<string, number> {
  const { values, codes } = segment.columns[dimension];
  const counts = new Float64Array(values.length);
  forEachRow(segment, rows, (row, weight) => {
    const code = codes[row] ?? 0;
    counts[code] = (counts[code] ?? 0) + weight;
  });
  return new Map(values.flatMap((value, code) => (counts[code] ? [[value, counts[code]]] : [])));
}

export function addTotals(into: Totals, { events, rows, errors, latencyUs, minUs, maxUs }: Totals): void {
  into.events += events;
  into.rows += rows;
  into.errors += errors;
  into.latencyUs += latencyUs;
  into.minUs = Math.min(into.minUs, minUs);
  into.maxUs = Math.max(into.maxUs, maxUs);
}

export function addCounts<Value>(into: Map<Value, number>, counts: ReadonlyMap<Value, number>): void {
  for (const [value, count] of counts) into.set(value, (into.get(value) ?? 0) + count);
}

export function addLatency(into: Latency, { totals, buckets, ranges }: Latency): void {
  addTotals(into.totals, totals);
  addCounts(into.buckets, buckets);
  for (const [range, count] of ranges.entries()) into.ranges[range] = (into.ranges[range] ?? 0) + count;
}
