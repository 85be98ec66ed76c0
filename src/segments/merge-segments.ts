import { type Column, codesFor, DIMENSIONS, type Dimension, latenciesOf, type Segment } from "./segment.ts";

/** More rows than a segment has; with the milliseconds of an hour, places still fit into a number. */
const ROWS_LIMIT = 2 ** 24;

/** The events of several segments of the same hour as one, in the order of their time. */
export function mergeSegments(segments: readonly Segment[]): Segment {
  const order = orderOf(segments);
  const columns = DIMENSIONS.map((dimension) => [
    dimension,
    mergeColumns(
      segments.map(({ columns }) => columns[dimension]),
      order,
    ),
  ]);
  const latencies = new Float64Array(order.length);
  const hasWeights = segments.some(({ weights }) => weights !== undefined);
  const weights = segments.map(({ weights, offsets }) => weights ?? new Uint32Array(offsets.length).fill(1));
  pick(
    segments.map((segment) => segment.latencies),
    order,
    latencies,
  );
  const offsets = new Uint32Array(order.length);
  pick(
    segments.map((segment) => segment.offsets),
    order,
    offsets,
  );
  return {
    hourMs: segments[0]?.hourMs ?? 0,
    offsets,
    latencies: latenciesOf(latencies),
    weights: hasWeights ? pick(weights, order, new Uint32Array(order.length)) : undefined,
    // It has every dimension.
    columns: Object.fromEntries(columns) as Record<Dimension, Column>,
  };
}

/** For each place of the result, the place in the segments laid end to end. Of events of one time, the first comes first. */
function orderOf(segments: readonly Segment[]): Uint32Array<ArrayBuffer> {
  const length = segments.reduce((sum, { offsets }) => sum + offsets.length, 0);
  const keys = new Float64Array(length);
  let place = 0;
  for (const { offsets } of segments) {
    for (const offset of offsets) {
      keys[place] = offset * ROWS_LIMIT + place;
      place++;
    }
  }
  return Uint32Array.from(keys.sort(), (key) => key % ROWS_LIMIT);
}

type Numbers =
  | Float64Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>;

/** Fills in the values of arrays, laid end to end, in an order. */
function pick<Into extends Numbers>(arrays: readonly Numbers[], order: Uint32Array<ArrayBuffer>, into: Into): Into {
  const all = new Float64Array(order.length);
  let start = 0;
  for (const array of arrays) {
    all.set(array, start);
    start += array.length;
  }
  for (const [index, place] of order.entries()) into[index] = all[place] ?? 0;
  return into;
}

function mergeColumns(columns: readonly Column[], order: Uint32Array<ArrayBuffer>): Column {
  const places = new Map<string, number>();
  const moved = columns.map(({ values, codes }) => {
    const placeOf = values.map((value) => {
      const place = places.get(value) ?? places.size;
      if (place === places.size) places.set(value, place);
      return place;
    });
    return Uint32Array.from(codes, (code) => placeOf[code] ?? 0);
  });
  return { values: [...places.keys()], codes: pick(moved, order, codesFor(order.length, places.size)) };
}
