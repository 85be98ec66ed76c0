import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildSegment } from "./build-segment.ts";
import { countsOf, latencyOf, minutesOf } from "./measure.ts";
import { mergeSegments } from "./merge-segments.ts";
import { packSegment, unpackCounts, unpackLatency, unpackNumbers, unpackSegment } from "./packed-segment.ts";
import { DIMENSIONS, HOUR_MS, type Segment, type SegmentEvent } from "./segment.ts";

const HOUR = Date.UTC(2026, 0, 1, 7);
const text = fc.constantFrom("", "a", "b", "ü", '"', "\n", "long ".repeat(40));
const event: fc.Arbitrary<SegmentEvent> = fc.record({
  at: fc.nat({ max: HOUR_MS - 1 }).map((offset) => HOUR + offset),
  ...{ endpoint: text, method: text, clientIp: text, consumerId: text, consumerName: text, apiId: text },
  statusCode: fc.constantFrom(100, 200, 399, 400, 599),
  latencyMs: fc.oneof(
    fc.nat({ max: 9_999_999 }).map((us) => us / 1_000),
    fc.constant(86_400_000),
  ),
  count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5_000_000 })),
});
const events = fc.array(event, { minLength: 1, maxLength: 40 });

/** The rows of a segment in an order that does not depend on how it was made. */
function rowsOf({ hourMs, offsets, latencies, weights, columns }: Segment): string[] {
  return [...offsets]
    .map((offset, row) => {
      const values = DIMENSIONS.map((dimension) => columns[dimension].values[columns[dimension].codes[row] ?? 0]);
      return JSON.stringify([hourMs + offset, latencies[row], weights?.[row] ?? 1, ...values]);
    })
    .sort();
}

const allOf = (segment: Segment) => ({ first: 0, end: segment.offsets.length, passes: undefined });

describe("segments", () => {
  it("that are merged have the same events as one that is made of all of them, in the order of their time", () => {
    fc.assert(
      fc.property(fc.array(events, { minLength: 1, maxLength: 5 }), (parts) => {
        const merged = mergeSegments(parts.map(buildSegment));
        expect(rowsOf(merged)).toEqual(rowsOf(buildSegment(parts.flat())));
        expect([...merged.offsets]).toEqual([...merged.offsets].sort((one, other) => one - other));
      }),
    );
  });

  it("are read as they were written", () => {
    fc.assert(
      fc.property(events, (some) => {
        const segment = buildSegment(some);
        expect(unpackSegment(packSegment(segment))).toEqual(segment);
      }),
    );
  });

  it("of more than 256 and 65,536 values have wider codes", () => {
    const base: SegmentEvent = {
      ...{ at: HOUR, method: "GET", clientIp: "", consumerId: "", consumerName: "", apiId: "", endpoint: "" },
      ...{ statusCode: 200, latencyMs: 1, count: 1 },
    };
    for (const [count, bytes] of [
      [256, 1],
      [257, 2],
      [65_536, 2],
      [65_537, 4],
    ] as const) {
      const segment = buildSegment(Array.from({ length: count }, (_, number) => ({ ...base, endpoint: `/${number}` })));
      expect(segment.columns.endpoint.codes.BYTES_PER_ELEMENT).toBe(bytes);
      const read = unpackSegment(packSegment(segment)).columns.endpoint;
      expect(read.values[read.codes[count - 1] ?? 0]).toBe(`/${count - 1}`);
    }
  });

  it("have a summary, once they are worth one, that says what a look at all rows would", () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 600, maxLength: 700 }), (some) => {
        const segment = buildSegment(some);
        const { summary, values } = packSegment(segment);
        if (summary === null) throw new Error("no summary");
        expect(unpackLatency(summary)).toEqual(latencyOf(segment, allOf(segment)));
        expect(unpackNumbers(summary.minutes)).toEqual(minutesOf(segment, allOf(segment)));
        for (const dimension of DIMENSIONS) {
          const counts = unpackCounts(values[dimension], summary.counts[dimension]);
          expect(counts).toEqual(countsOf(segment, allOf(segment), dimension));
        }
      }),
      { numRuns: 5 },
    );
  });
});
