import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { TimeRange } from "../../gen/keysvc/v1/analytics_pb.js";
import { granularityOf, keptPart, windowOf } from "./window.ts";

const NOW = Date.UTC(2026, 5, 15, 12, 34, 56, 789);
const exact = (fromMs: number, untilMs: number) =>
  windowOf(
    { timeRange: TimeRange.UNSPECIFIED, startTime: timestampFromMs(fromMs), endTime: timestampFromMs(untilMs) },
    NOW,
    false,
  );
const HOUR = 3_600_000;

describe("the window of a question", () => {
  it.each([
    [TimeRange.HOURS_1, HOUR, 2_000, "1 MINUTE"],
    [TimeRange.HOURS_3, 3 * HOUR, 5_000, "5 MINUTE"],
    [TimeRange.HOURS_6, 6 * HOUR, 5_000, "10 MINUTE"],
    [TimeRange.HOURS_12, 12 * HOUR, 5_000, "15 MINUTE"],
    [TimeRange.HOURS_24, 24 * HOUR, 5_000, "30 MINUTE"],
    [TimeRange.DAYS_7, 168 * HOUR, 30_000, "6 HOUR"],
    [TimeRange.DAYS_30, 720 * HOUR, 30_000, "1 DAY"],
  ])(
    "of range %i is as long as that, ends at the last full step, and has its parts",
    (timeRange, lengthMs, stepMs, parts) => {
      const window = windowOf({ timeRange }, NOW, false);
      expect(window.untilMs - window.fromMs).toBe(lengthMs);
      expect(window.untilMs % stepMs).toBe(0);
      expect(NOW - window.untilMs).toBeLessThan(stepMs);
      expect(granularityOf(window.bucketMs)).toBe(parts);
      expect(exact(0, lengthMs).bucketMs).toBe(window.bucketMs);
      expect(windowOf({ timeRange }, NOW, true)).toMatchObject({
        fromMs: NOW - lengthMs,
        untilMs: NOW + 5 * 60_000 + 1,
      });
    },
  );

  it("is the last day when nothing is said", () => {
    expect(windowOf({ timeRange: TimeRange.UNSPECIFIED }, NOW, false).timeRange).toBe(TimeRange.HOURS_24);
  });

  it("is exactly what was given, to the millisecond", () => {
    expect(exact(NOW, NOW + 1)).toMatchObject({ fromMs: NOW, untilMs: NOW + 1, timeRange: undefined });
    expect(exact(NOW, NOW)).toMatchObject({ fromMs: NOW, untilMs: NOW });
  });

  it.each([
    ["timeRange", { timeRange: TimeRange.HOURS_1, startTime: timestampFromMs(0), endTime: timestampFromMs(1) }],
    ["startTime", { timeRange: TimeRange.UNSPECIFIED, endTime: timestampFromMs(1) }],
    ["endTime", { timeRange: TimeRange.UNSPECIFIED, startTime: timestampFromMs(1) }],
    ["startTime", { timeRange: TimeRange.UNSPECIFIED, startTime: timestampFromMs(2), endTime: timestampFromMs(1) }],
    [
      "startTime",
      {
        timeRange: TimeRange.UNSPECIFIED,
        startTime: timestampFromMs(Date.parse("0001-01-01T00:00:00Z")),
        endTime: timestampFromMs(Date.parse("9999-12-31T23:59:59Z")),
      },
    ],
  ])("is refused by its %s", (field, request) => {
    expect(() => windowOf(request, NOW, false)).toThrow(new RegExp(`^INVALID_REQUEST: ${field}`));
  });

  it("is looked at no further back than events are kept", () => {
    const edgeMs = Date.UTC(2026, 5, 8, 12, 34, 30);
    expect(keptPart({ fromMs: 0, untilMs: NOW }, NOW, 7)).toEqual({ fromMs: edgeMs, untilMs: NOW });
    expect(keptPart({ fromMs: edgeMs + 1, untilMs: NOW }, NOW, 7)).toEqual({ fromMs: edgeMs + 1, untilMs: NOW });
  });
});
