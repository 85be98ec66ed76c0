import { consumerOf, DIMENSIONS, type Dimension, isErrorStatus } from "../segments/segment.ts";
import type { Filter } from "../segments/select-rows.ts";
import type { SegmentField, Series } from "../segments/store.ts";

export type StatusFilter = "all" | "success" | "error";

/** Which events a question is about: those of a series from a time on, up to another, that a filter lets pass. */
export interface Selection extends Series {
  fromMs: number;
  untilMs: number;
  /** An event passes when each dimension that is named has one of its values. */
  filters: Filters;
  status: StatusFilter;
}

export type Filters = Readonly<Partial<Record<Dimension, readonly string[]>>>;

/** What is asked of the events. */
export type Measure =
  | { kind: "totals" }
  | { kind: "series"; bucketMs: number }
  | { kind: "latency" }
  /** How many events the values of some dimensions have; of each, so many of the most frequent values at most. */
  | { kind: "rankings"; dimensions: readonly Dimension[]; most: number };

/** Bytes of the segments that are read at once, more or less: of most, a part of the columns is. */
export const READ_BYTES = 24_000_000;

const SUCCESS_MIN = 200;

/** What the filters of a selection come to. */
export function filterOf({ filters, status }: Pick<Selection, "filters" | "status">): Filter {
  const filter: Partial<Record<Dimension, (value: string) => boolean>> = {};
  for (const dimension of DIMENSIONS) {
    const wanted = filters[dimension];
    if (wanted === undefined) continue;
    const values = new Set(wanted);
    filter[dimension] = dimension === "consumer" ? consumerIn(values) : (value) => values.has(value);
  }
  if (status === "all") return filter;
  const { statusCode = () => true } = filter;
  return { ...filter, statusCode: (value) => statusCode(value) && hasStatus(Number(value), status) };
}

/** The columns that a filter looks at. */
export function columnsOf(filter: Filter): SegmentField[] {
  return Object.keys(filter).flatMap((dimension): SegmentField[] => [`codes.${dimension}`, `values.${dimension}`]);
}

export function hasStatus(statusCode: number, status: StatusFilter): boolean {
  if (status === "all") return true;
  return status === "error" ? isErrorStatus(statusCode) : statusCode >= SUCCESS_MIN && !isErrorStatus(statusCode);
}

/** A consumer can be asked for by its id and by its name; the empty text is for events that have neither. */
function consumerIn(values: ReadonlySet<string>): (value: string) => boolean {
  return (value) => {
    const named = consumerOf(value).filter((text) => text !== "");
    return named.length === 0 ? values.has("") : named.some((text) => values.has(text));
  };
}

/** The same text for the same filters, whatever order they are named in; empty: there are none. */
export function filterKeyOf({ filters, status }: Pick<Selection, "filters" | "status">): string {
  const named = DIMENSIONS.flatMap((dimension) => {
    const values = filters[dimension];
    return values === undefined ? [] : [[dimension, [...new Set(values)].sort()]];
  });
  return named.length === 0 && status === "all" ? "" : JSON.stringify([named, status]);
}

/** What a list of counts calls a value: a consumer by its id, else by its name. */
export function labelOf(dimension: Dimension, value: string): string {
  if (dimension !== "consumer") return value;
  const [id, name] = consumerOf(value);
  return id === "" ? name : id;
}
