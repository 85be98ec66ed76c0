import { splitBySize } from "../lib/split-by-size.ts";

/** A segment that may be merged with others of its hour. */
export interface Mergeable<Id> {
  id: Id;
  /** About how many bytes it takes. */
  size: number;
}

/** Larger than this, a segment is not merged any more, and none is made. */
export const SIZE_MAX = 8_000_000;
/** Segments of sizes between one power of this and the next are merged with each other. */
const SIZE_FACTOR = 8;
/** So many of about the same size are merged while the hour goes on. */
export const OPEN_COUNT_MIN = 8;
/** The same when it is over, and few are yet to come. */
const OVER_COUNT_MIN = 2;

/**
 * Which segments of an hour to make one of. Only those of about the same size, so that each event is written again a few times
 * at most, however many come.
 *
 * @param isOver whether the hour is over
 */
export function planMerges<Id>(segments: readonly Mergeable<Id>[], isOver: boolean): Mergeable<Id>[][] {
  const countMin = isOver ? OVER_COUNT_MIN : OPEN_COUNT_MIN;
  const ofSize = Map.groupBy(segments, ({ size }) => Math.floor(Math.log(Math.max(size, 1)) / Math.log(SIZE_FACTOR)));
  return [...ofSize.values()]
    .flatMap((similar) => splitBySize(similar, ({ size }) => size, SIZE_MAX))
    .filter((group) => group.length >= countMin);
}
