import { describe, expect, it } from "vitest";
import { Fault } from "../lib/fault.ts";
import { parseSlice } from "./parse-slice.ts";

const SECOND = { fromMs: Date.UTC(2026, 1, 28, 23, 59, 59), untilMs: Date.UTC(2026, 2, 1) };

describe("the timestamp of a log row", () => {
  it.each(["2026-02-28 23:59:59", "1772323199", "1772323199.75", "1772323199000", "1772323199999"])(
    "%s names its second",
    (timestamp) => {
      expect(parseSlice(timestamp)).toEqual(SECOND);
    },
  );

  it.each([
    ...[
      "",
      "now",
      "2026-02-28",
      "2026-02-28T23:59:59Z",
      "2026-02-30 00:00:00",
      "2026-13-01 00:00:00",
      "2026-02-28 24:00:01",
    ],
    ...["-1", "1e400", "NaN", "99999999999999999999", "２０２６-02-28 23:59:59", " 1772323199"],
  ])("%j is refused, and the field is named", (timestamp) => {
    expect(() => parseSlice(timestamp)).toThrow(Fault);
    expect(() => parseSlice(timestamp)).toThrow(/^INVALID_REQUEST: timestamp/);
  });
});
