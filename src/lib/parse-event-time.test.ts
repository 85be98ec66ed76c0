import { expect, it } from "vitest";
import { parseEventTime } from "./parse-event-time.ts";

const TIME = Date.UTC(2026, 0, 31, 12, 0, 1);

it.each([
  ["2026-01-31 12:00:01", TIME],
  ["2026-01-31T12:00:01Z", TIME],
  ["2026-01-31T13:00:01.250+01:00", TIME + 250],
  [String(TIME / 1_000), TIME],
  [`${TIME / 1_000}.25`, TIME + 250],
  [String(TIME), TIME],
  [`${TIME}.4`, TIME],
  ["0", 0],
  ["99999999999", 99_999_999_999_000],
  ["100000000000", 100_000_000_000],
])("%s is a time of an event", (text, time) => {
  expect(parseEventTime(text)).toBe(time);
});

it.each(["", " ", "now", "-1", "1e9", "0x10", "1.", "2026-02-30 12:00:00", "2026-01-31 25:00:00", "1".repeat(16)])(
  "%j is none",
  (text) => {
    expect(parseEventTime(text)).toBeUndefined();
  },
);
