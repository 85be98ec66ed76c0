import {
  type Column,
  codesFor,
  consumerValue,
  DIMENSIONS,
  type Dimension,
  hourOf,
  latenciesOf,
  type Segment,
  type SegmentEvent,
  toMicroseconds,
} from "./segment.ts";

const VALUE_OF: Readonly<Record<Dimension, (event: SegmentEvent) => string>> = {
  endpoint: ({ endpoint }) => endpoint,
  method: ({ method }) => method,
  statusCode: ({ statusCode }) => String(statusCode),
  clientIp: ({ clientIp }) => clientIp,
  consumer: ({ consumerId, consumerName }) => consumerValue(consumerId, consumerName),
  apiId: ({ apiId }) => apiId,
};

/** The segment of events of one dataset of a project in one hour, of which there is at least one. */
export function buildSegment(events: readonly SegmentEvent[]): Segment {
  const sorted = [...events].sort((one, other) => one.at - other.at);
  const hourMs = hourOf(sorted[0]?.at ?? 0);
  const columns = Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, column(sorted, VALUE_OF[dimension])]));
  return {
    hourMs,
    offsets: Uint32Array.from(sorted, ({ at }) => at - hourMs),
    latencies: latenciesOf(Float64Array.from(sorted, ({ latencyMs }) => toMicroseconds(latencyMs))),
    weights: sorted.some(({ count }) => count !== 1) ? Uint32Array.from(sorted, ({ count }) => count) : undefined,
    // It has every dimension.
    columns: columns as Record<Dimension, Column>,
  };
}

function column(events: readonly SegmentEvent[], textOf: (event: SegmentEvent) => string): Column {
  const places = new Map<string, number>();
  const codes = new Uint32Array(events.length);
  for (const [index, event] of events.entries()) {
    const value = textOf(event);
    const place = places.get(value) ?? places.size;
    if (place === places.size) places.set(value, place);
    codes[index] = place;
  }
  const narrow = codesFor(events.length, places.size);
  narrow.set(codes);
  return { values: [...places.keys()], codes: narrow };
}
