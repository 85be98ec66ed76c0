import type { ListedSegment, ReadDay } from "./store.ts";

/**
 * The segments of a day that are not in its sum; undefined when the sum cannot be used, because it has some that were merged
 * with others since.
 *
 * @param segments all of the day
 */
export function uncoveredBy({ covers = [] }: ReadDay, segments: readonly ListedSegment[]): ListedSegment[] | undefined {
  const covered = new Set(covers.map((id) => id.toHexString()));
  const uncovered = segments.filter(({ _id }) => !covered.delete(_id.toHexString()));
  return covered.size === 0 ? uncovered : undefined;
}
