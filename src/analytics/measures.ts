import { type PackedDay, unpackHours } from "../segments/day-summary.ts";
import {
  addCounts,
  addLatency,
  addTotals,
  countsOf,
  type Latency,
  latencyOf,
  MINUTE_WIDTH,
  minutesOf,
  noLatency,
  noTotals,
  type Totals,
  totalsOf,
} from "../segments/measure.ts";
import type { PackedSummary } from "../segments/packed-segment.ts";
import { unpackCounts, unpackLatency, unpackNumbers, unpackTotals } from "../segments/packed-segment.ts";
import { type Dimension, HOUR_MS, MINUTE_MS, type Segment } from "../segments/segment.ts";
import type { Rows } from "../segments/select-rows.ts";
import type { DayField, ReadDay, ReadSegment, SegmentField } from "../segments/store.ts";

/** Events, errors, and the sum of their latencies in microseconds, for each bucket that has any, by its begin. */
export type Points = Map<number, [events: number, errors: number, latencyUs: number]>;

/** How to measure something: a value for each segment, and their sum. */
export interface Measuring<Value> {
  /** What tells it from other measures. */
  key: string;
  /** What is read of a segment to measure its rows. */
  columns: readonly SegmentField[];
  /** What is read of a segment instead, when all its rows are measured and it has a summary. */
  summary: readonly SegmentField[];
  /** What is read of the sum of a day; undefined: a day is of no use. */
  day: readonly DayField[] | undefined;
  none(): Value;
  ofSummary(summary: PackedSummary, segment: ReadSegment): Value;
  ofDay(day: ReadDay & PackedDay): Value;
  ofRows(segment: Segment, rows: Rows): Value;
  add(into: Value, value: Value): void;
  /** About how many bytes a value takes in memory. */
  weigh(value: Value): number;
}

const OBJECT_BYTES = 200;
const ENTRY_BYTES = 100;
/** The most bytes that a UTF-16 unit takes. */
const UNIT_BYTES = 2;
const LATENCY_COLUMNS = ["latencies", "weights", "codes.statusCode", "values.statusCode"] as const;

export const totals: Measuring<Totals> = {
  key: "totals",
  columns: LATENCY_COLUMNS,
  summary: ["summary.totals"],
  day: ["totals"],
  none: noTotals,
  ofSummary: (summary) => unpackTotals(summary.totals),
  ofDay: (day) => unpackTotals(day.totals),
  ofRows: totalsOf,
  add: addTotals,
  weigh: () => OBJECT_BYTES,
};

export const latency: Measuring<Latency> = {
  key: "latency",
  columns: LATENCY_COLUMNS,
  summary: ["summary.totals", "summary.buckets", "summary.ranges"],
  day: ["totals", "buckets", "ranges"],
  none: noLatency,
  ofSummary: unpackLatency,
  ofDay: unpackLatency,
  ofRows: latencyOf,
  add: addLatency,
  weigh: ({ buckets }) => OBJECT_BYTES + buckets.size * ENTRY_BYTES,
};

/** How many events have each value, for each of some dimensions. */
export function counts(dimensions: readonly Dimension[]): Measuring<Map<string, number>[]> {
  const values = dimensions.map((dimension) => `values.${dimension}` as const);
  return {
    key: dimensions.join(),
    columns: ["weights", ...dimensions.map((dimension) => `codes.${dimension}` as const), ...values],
    summary: [...dimensions.map((dimension) => `summary.counts.${dimension}` as const), ...values],
    day: dimensions.flatMap((dimension) => [`counts.${dimension}` as const, `values.${dimension}` as const]),
    none: () => dimensions.map(() => new Map()),
    ofSummary: (summary, segment) =>
      dimensions.map((dimension) => unpackCounts(segment.values?.[dimension] ?? "[]", summary.counts[dimension])),
    ofDay: (day) => dimensions.map((dimension) => unpackCounts(day.values[dimension], day.counts[dimension])),
    ofRows: (segment, rows) => dimensions.map((dimension) => countsOf(segment, rows, dimension)),
    add(into, value) {
      for (const [index, counts] of value.entries()) addCounts(into[index] ?? new Map(), counts);
    },
    weigh: (value) => value.reduce((sum, counts) => sum + OBJECT_BYTES + weightOf(counts.keys()), 0),
  };
}

/** Values may be as long as an endpoint. */
function weightOf(values: Iterable<string>): number {
  let weight = 0;
  for (const value of values) weight += ENTRY_BYTES + value.length * UNIT_BYTES;
  return weight;
}

/** @param bucketMs a part of an hour, or a multiple of it; buckets begin at its multiples since 1970 */
export function series(bucketMs: number): Measuring<Points> {
  const isFine = bucketMs < HOUR_MS;
  const ofMinutes = (minutes: Float64Array, hourMs: number) => pointsOf(minutes, hourMs, bucketMs);
  return {
    key: `series ${bucketMs}`,
    columns: isFine ? [...LATENCY_COLUMNS, "offsets"] : LATENCY_COLUMNS,
    summary: isFine ? ["summary.minutes"] : ["summary.totals"],
    day: isFine ? undefined : ["hours"],
    none: () => new Map(),
    ofSummary: (summary, { hour }) =>
      isFine
        ? ofMinutes(unpackNumbers(summary.minutes), hour.getTime())
        : pointOf(unpackTotals(summary.totals), hour.getTime(), bucketMs),
    ofDay(day) {
      const points: Points = new Map();
      for (const hour of unpackHours(day.hours, day.day.getTime()))
        addPoints(points, pointOf(hour, hour.hourMs, bucketMs));
      return points;
    },
    ofRows: (segment, rows) =>
      isFine
        ? ofMinutes(minutesOf(segment, rows), segment.hourMs)
        : pointOf(totalsOf(segment, rows), segment.hourMs, bucketMs),
    add: addPoints,
    weigh: (value) => OBJECT_BYTES + value.size * ENTRY_BYTES,
  };
}

function pointOf(
  { events, errors, latencyUs }: Pick<Totals, "events" | "errors" | "latencyUs">,
  hourMs: number,
  bucketMs: number,
): Points {
  return new Map(events === 0 ? [] : [[bucketOf(hourMs, bucketMs), [events, errors, latencyUs]]]);
}

function pointsOf(minutes: Float64Array, hourMs: number, bucketMs: number): Points {
  const points: Points = new Map();
  for (let place = 0; place < minutes.length; place += MINUTE_WIDTH) {
    const [events = 0, errors = 0, latencyUs = 0] = minutes.subarray(place, place + MINUTE_WIDTH);
    if (events === 0) continue;
    const bucket = bucketOf(hourMs + (place / MINUTE_WIDTH) * MINUTE_MS, bucketMs);
    addPoints(points, new Map([[bucket, [events, errors, latencyUs]]]));
  }
  return points;
}

function addPoints(into: Points, points: Points): void {
  for (const [bucket, [events, errors, latencyUs]] of points) {
    const known = into.get(bucket);
    if (known === undefined) {
      into.set(bucket, [events, errors, latencyUs]);
      continue;
    }
    known[0] += events;
    known[1] += errors;
    known[2] += latencyUs;
  }
}

/** The begin of the bucket that a time falls into. */
export function bucketOf(atMs: number, bucketMs: number): number {
  return Math.floor(atMs / bucketMs) * bucketMs;
}
