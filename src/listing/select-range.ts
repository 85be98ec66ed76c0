/** Below this many, sorting is as fast as selecting. */
const SORTED_MAX = 1_000;

/**
 * Puts into the places from `start` up to `end` what would stand there if all items were sorted, and nothing certain into
 * the others: a page of a million sorted items costs three looks at each instead of twenty.
 *
 * @param compare a total order: no two items are equal
 * @param rest is awaited between steps, so that a long selection does not hold up others
 */
export async function selectRange(
  items: Uint32Array,
  compare: (a: number, b: number) => number,
  start: number,
  end: number,
  rest: () => Promise<void>,
): Promise<void> {
  /** Parts that may still hold items of the range. */
  const parts: [from: number, to: number][] = [[0, items.length]];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const [from, to] = part;
    if (to <= start || from >= end) continue;
    if (to - from <= SORTED_MAX) {
      items.subarray(from, to).sort(compare);
      continue;
    }
    const pivot = partition(items, compare, from, to);
    parts.push([from, pivot], [pivot + 1, to]);
    await rest();
  }
}

/** Moves what is less than a chosen item before it, and the others behind it. Returns its place. */
function partition(items: Uint32Array, compare: (a: number, b: number) => number, from: number, to: number): number {
  const pivotAt = middleOfThree(items, compare, from, to);
  const pivot = at(items, pivotAt);
  swap(items, pivotAt, to - 1);
  let place = from;
  for (let index = from; index < to - 1; index++) {
    if (compare(at(items, index), pivot) < 0) swap(items, index, place++);
  }
  swap(items, place, to - 1);
  return place;
}

/** Random places, so that no order of the data makes the selection slow. */
function middleOfThree(
  items: Uint32Array,
  compare: (a: number, b: number) => number,
  from: number,
  to: number,
): number {
  const places = Array.from({ length: 3 }, () => from + Math.floor(Math.random() * (to - from)));
  places.sort((a, b) => compare(at(items, a), at(items, b)));
  return places[1] ?? from;
}

/** Items within the array, which has no holes. */
function at(items: Uint32Array, index: number): number {
  return items[index] ?? 0;
}

function swap(items: Uint32Array, a: number, b: number): void {
  const item = at(items, a);
  items[a] = at(items, b);
  items[b] = item;
}
