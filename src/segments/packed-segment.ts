import { countsOf, type Latency, latencyOf, minutesOf, type Totals } from "./measure.ts";
import { type Codes, type Column, codesFor, DIMENSIONS, type Dimension, type Segment } from "./segment.ts";

/** Arrays of numbers as bytes, in the byte order of the machines that run Node: little-endian. */
type Bytes = Buffer;

/** The measures of all events of a segment, which then need not be read. */
export interface PackedSummary {
  totals: number[];
  minutes: Bytes;
  /** Pairs of a bucket and its count. */
  buckets: Bytes;
  ranges: number[];
  /** For each dimension, how many events have the n-th value. */
  counts: Record<Dimension, Bytes>;
}

/** A segment as it is stored. */
export interface PackedSegment {
  hour: Date;
  rows: number;
  offsets: Bytes;
  latencies: Bytes;
  weights: Bytes | null;
  /** For each dimension, its values as the JSON text of an array. */
  values: Record<Dimension, string>;
  codes: Record<Dimension, Bytes>;
  /** null: the segment is small enough to be measured whenever it is asked for. */
  summary: PackedSummary | null;
}

/** The parts of a packed segment that were read: the others are as if they were empty. */
export type PartOfPackedSegment = Pick<PackedSegment, "hour" | "rows"> &
  Partial<Pick<PackedSegment, "offsets" | "latencies" | "weights">> & {
    values?: Partial<PackedSegment["values"]>;
    codes?: Partial<PackedSegment["codes"]>;
  };

/** Segments of fewer rows have no summary. */
const SUMMARY_ROWS_MIN = 512;

export function packSegment(segment: Segment): PackedSegment {
  const { columns, latencies, weights } = segment;
  const rows = segment.offsets.length;
  return {
    hour: new Date(segment.hourMs),
    rows,
    offsets: pack(segment.offsets),
    latencies: pack(latencies),
    weights: weights === undefined ? null : pack(weights),
    values: ofEach((dimension) => JSON.stringify(columns[dimension].values)),
    codes: ofEach((dimension) => pack(columns[dimension].codes)),
    summary: rows < SUMMARY_ROWS_MIN ? null : packSummary(segment),
  };
}

/** What was read of a segment; its summary, where it has one, is without what was not asked for. */
export type PartlyRead = PartOfPackedSegment & { summary?: PackedSummary | null };

/** The segment of what was read of it. */
export function unpackSegment(packed: PartOfPackedSegment): Segment {
  const { hour, rows, latencies, weights } = packed;
  return {
    hourMs: hour.getTime(),
    offsets: packed.offsets === undefined ? new Uint32Array() : uint32s(packed.offsets),
    latencies: latencies === undefined ? new Uint32Array() : unpackLatencies(latencies, rows),
    weights: weights ? uint32s(weights) : undefined,
    columns: ofEach((dimension) => unpackColumn(packed.values?.[dimension], packed.codes?.[dimension], rows)),
  };
}

function packSummary(segment: Segment): PackedSummary {
  const all = { first: 0, end: segment.offsets.length, passes: undefined };
  const { totals, buckets, ranges } = latencyOf(segment, all);
  return {
    totals: packTotals(totals),
    minutes: pack(minutesOf(segment, all)),
    buckets: pack(Float64Array.from([...buckets].flat())),
    ranges,
    counts: ofEach((dimension) => {
      const counts = countsOf(segment, all, dimension);
      return pack(Float64Array.from(segment.columns[dimension].values, (value) => counts.get(value) ?? 0));
    }),
  };
}

export function unpackTotals(packed: readonly number[]): Totals {
  const [events = 0, errors = 0, latencyUs = 0, minUs = 0, maxUs = 0, rows = 0] = packed;
  return { events, errors, latencyUs, minUs, maxUs, rows };
}

export function packTotals({ events, errors, latencyUs, minUs, maxUs, rows }: Totals): number[] {
  return [events, errors, latencyUs, minUs, maxUs, rows];
}

export function unpackLatency({
  totals,
  buckets,
  ranges,
}: Pick<PackedSummary, "totals" | "buckets" | "ranges">): Latency {
  const pairs = unpackNumbers(buckets);
  const counts = new Map<number, number>();
  for (let index = 0; index < pairs.length; index += 2) counts.set(pairs[index] ?? 0, pairs[index + 1] ?? 0);
  return { totals: unpackTotals(totals), buckets: counts, ranges: [...ranges] };
}

/** @param values the JSON text of the values that are counted, in the order of the counts */
export function unpackCounts(values: string, counts: Bytes): Map<string, number> {
  const numbers = unpackNumbers(counts);
  // packSegment made it.
  return new Map((JSON.parse(values) as string[]).map((value, place) => [value, numbers[place] ?? 0]));
}

export function pack(numbers: ArrayBufferView<ArrayBuffer>): Bytes {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

export function unpackNumbers(packed: Bytes): Float64Array<ArrayBuffer> {
  return new Float64Array(copyOf(packed));
}

function uint32s(packed: Bytes): Uint32Array<ArrayBuffer> {
  return new Uint32Array(copyOf(packed));
}

function unpackLatencies(packed: Bytes, rows: number): Segment["latencies"] {
  return packed.length === rows * Float64Array.BYTES_PER_ELEMENT ? unpackNumbers(packed) : uint32s(packed);
}

function unpackColumn(values: string | undefined, codes: Bytes | undefined, rows: number): Column {
  // packSegment made it.
  const read = values === undefined ? [] : (JSON.parse(values) as string[]);
  if (codes === undefined) return { values: read, codes: new Uint8Array() };
  const kind = codesFor(0, widthRange(codes.length / rows)).constructor as new (bytes: ArrayBuffer) => Codes;
  return { values: read, codes: new kind(copyOf(codes)) };
}

/** How many values codes of so many bytes can tell apart. */
function widthRange(bytes: number): number {
  return 2 ** (8 * bytes);
}

/** Bytes of their own: those that were read lie anywhere in a buffer, where wider numbers cannot. */
function copyOf(packed: Bytes): ArrayBuffer {
  return new Uint8Array(packed).buffer;
}

function ofEach<Value>(make: (dimension: Dimension) => Value): Record<Dimension, Value> {
  // It has every dimension.
  return Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, make(dimension)])) as Record<Dimension, Value>;
}
