import type { Dimension } from "../segments/segment.ts";
import { labelOf } from "./question.ts";

/** The most frequent values of a dimension, under the names that answers have, most frequent first. */
export interface Ranking {
  /** How many events there are, those of values that are not listed included. */
  total: number;
  ranked: [label: string, count: number][];
}

/**
 * Ranks counts. Of equal ones, the first by name comes first.
 *
 * @param most how many are listed: millions of values are neither sorted nor handed from thread to thread
 */
export function rankingOf(counts: ReadonlyMap<string, number>, dimension: Dimension, most: number): Ranking {
  const ranking: Ranking = { total: 0, ranked: [] };
  const { ranked } = ranking;
  for (const [label, count] of byLabel(counts, dimension)) {
    ranking.total += count;
    const last = ranked[most - 1];
    if (last !== undefined && !isBefore(label, count, last)) continue;
    if (last !== undefined) ranked.pop();
    ranked.splice(placeOf(ranked, label, count), 0, [label, count]);
  }
  return ranking;
}

/** A consumer has several values: one for each name that it had. */
function byLabel(counts: ReadonlyMap<string, number>, dimension: Dimension): ReadonlyMap<string, number> {
  if (dimension !== "consumer") return counts;
  const merged = new Map<string, number>();
  for (const [value, count] of counts) {
    const label = labelOf(dimension, value);
    merged.set(label, (merged.get(label) ?? 0) + count);
  }
  return merged;
}

/** How many of a ranking's entries come before another. */
function placeOf(ranked: Ranking["ranked"], label: string, count: number): number {
  let [low, high] = [0, ranked.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = ranked[middle];
    if (entry !== undefined && isBefore(label, count, entry)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isBefore(label: string, count: number, [otherLabel, otherCount]: [string, number]): boolean {
  return count === otherCount ? label < otherLabel : count > otherCount;
}
