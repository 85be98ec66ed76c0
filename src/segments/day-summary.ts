import { addCounts, addLatency, countsOf, latencyOf, noLatency, type Totals, totalsOf } from "./measure.ts";
import {
  type PackedSummary,
  type PartlyRead,
  pack,
  packTotals,
  unpackCounts,
  unpackLatency,
  unpackNumbers,
  unpackSegment,
  unpackTotals,
} from "./packed-segment.ts";
import { DAY_MS, DIMENSIONS, type Dimension, HOUR_MS } from "./segment.ts";

/** The measures of all events of a day. */
export interface PackedDay extends Omit<PackedSummary, "minutes"> {
  /** For each hour: events, errors, and their latencies in microseconds. */
  hours: Buffer;
  /** For each dimension, its values as the JSON text of an array. */
  values: Record<Dimension, string>;
}

/** Numbers for each hour. */
const HOUR_WIDTH = 3;

/** Adds up the segments of a day, one after the other. */
export class DaySummary {
  readonly #dayMs: number;
  readonly #latency = noLatency();
  readonly #hours = new Float64Array((DAY_MS / HOUR_MS) * HOUR_WIDTH);
  readonly #counts = new Map(DIMENSIONS.map((dimension) => [dimension, new Map<string, number>()]));

  constructor(dayMs: number) {
    this.#dayMs = dayMs;
  }

  /** @param read with its summary and values, or with all columns where it has none */
  add(read: PartlyRead): void {
    const { summary, values } = read;
    const segment = unpackSegment(read);
    const all = { first: 0, end: read.rows, passes: undefined };
    this.#addHour(read.hour.getTime(), summary ? unpackTotals(summary.totals) : totalsOf(segment, all));
    addLatency(this.#latency, summary ? unpackLatency(summary) : latencyOf(segment, all));
    for (const [dimension, counts] of this.#counts) {
      const added = summary
        ? unpackCounts(values?.[dimension] ?? "[]", summary.counts[dimension])
        : countsOf(segment, all, dimension);
      addCounts(counts, added);
    }
  }

  #addHour(hourMs: number, { events, errors, latencyUs }: Totals): void {
    const place = ((hourMs - this.#dayMs) / HOUR_MS) * HOUR_WIDTH;
    for (const [index, value] of [events, errors, latencyUs].entries()) {
      this.#hours[place + index] = (this.#hours[place + index] ?? 0) + value;
    }
  }

  pack(): PackedDay {
    const { totals, buckets, ranges } = this.#latency;
    const ofEach = <Value>(make: (counts: ReadonlyMap<string, number>) => Value) =>
      // It has every dimension.
      Object.fromEntries([...this.#counts].map(([dimension, counts]) => [dimension, make(counts)])) as Record<
        Dimension,
        Value
      >;
    return {
      ...{ totals: packTotals(totals), buckets: pack(Float64Array.from([...buckets].flat())), ranges },
      hours: pack(this.#hours),
      values: ofEach((counts) => JSON.stringify([...counts.keys()])),
      counts: ofEach((counts) => pack(Float64Array.from(counts.values()))),
    };
  }
}

/** The events of each hour of a day. */
export function unpackHours(
  hours: Buffer,
  dayMs: number,
): ({ hourMs: number } & Pick<Totals, "events" | "errors" | "latencyUs">)[] {
  const numbers = unpackNumbers(hours);
  return Array.from({ length: numbers.length / HOUR_WIDTH }, (_, hour) => {
    const [events = 0, errors = 0, latencyUs = 0] = numbers.subarray(hour * HOUR_WIDTH, (hour + 1) * HOUR_WIDTH);
    return { hourMs: dayMs + hour * HOUR_MS, events, errors, latencyUs };
  });
}
