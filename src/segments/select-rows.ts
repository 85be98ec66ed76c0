import { DIMENSIONS, type Dimension, type Segment } from "./segment.ts";

/** What events are narrowed by: for each dimension that is named, whether a value passes. */
export type Filter = Readonly<Partial<Record<Dimension, (value: string) => boolean>>>;

/** Rows of a segment: a range of them, and which of all rows pass; undefined: all. */
export interface Rows {
  first: number;
  end: number;
  passes: Uint8Array<ArrayBuffer> | undefined;
}

/** The rows of events from a time on, up to another. */
export function rowsBetween(
  { hourMs, offsets }: Pick<Segment, "hourMs" | "offsets">,
  fromMs: number,
  untilMs: number,
): Rows {
  return { first: placeOf(offsets, fromMs - hourMs), end: placeOf(offsets, untilMs - hourMs), passes: undefined };
}

/** Those of a range of rows that a filter lets pass; undefined: none. */
export function selectRows(
  { columns }: Pick<Segment, "columns">,
  { first, end }: Pick<Rows, "first" | "end">,
  filter: Filter,
): Rows | undefined {
  if (first >= end) return undefined;
  let passes: Uint8Array<ArrayBuffer> | undefined;
  for (const dimension of DIMENSIONS) {
    const isWanted = filter[dimension];
    if (isWanted === undefined) continue;
    const { values, codes } = columns[dimension];
    const wanted = Uint8Array.from(values, (value) => (isWanted(value) ? 1 : 0));
    if (!wanted.includes(1)) return undefined;
    if (wanted.includes(0)) passes = narrow(passes, codes, wanted, { first, end });
  }
  return { first, end, passes };
}

function narrow(
  passes: Uint8Array<ArrayBuffer> | undefined,
  codes: Segment["columns"]["endpoint"]["codes"],
  wanted: Uint8Array<ArrayBuffer>,
  { first, end }: Pick<Rows, "first" | "end">,
): Uint8Array<ArrayBuffer> {
  const narrowed = passes ?? new Uint8Array(codes.length);
  // Loops of their own: they run over millions of rows.
  if (passes === undefined) for (let row = first; row < end; row++) narrowed[row] = wanted[codes[row] ?? 0] ?? 0;
  else for (let row = first; row < end; row++) if (wanted[codes[row] ?? 0] === 0) narrowed[row] = 0;
  return narrowed;
}

/** The first place whose offset is not below the given one. */
function placeOf(offsets: Uint32Array, offset: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
