import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTime } from "./parse-time.ts";

const isoOf = (text: string): string | undefined => {
  const time = parseTime(text);
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe("parseTime", () => {
  it.each([
    ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00.5Z", "2026-01-31T12:00:00.500Z"],
    ["2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31T12:00Z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31t12:00:00z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31 12:00:00Z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["2026-01-31T12:00:00", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31 12:00", "2026-01-31T12:00:00.000Z"],
    ["1969-12-31T23:59:59.500Z", "1969-12-31T23:59:59.500Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["0099-06-01", "0099-06-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("%s is %s", (text, expected) => {
    expect(isoOf(text)).toBe(expected);
  });

  it.each([
    ["2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00.000Z"],
    ["2026-01-31T12:00:00-05:30", "2026-01-31T17:30:00.000Z"],
    ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"],
    ["2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00.000Z"],
    ["2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00+23:59", "2026-01-30T12:01:00.000Z"],
  ])("an offset is taken off: %s is %s", (text, expected) => {
    expect(isoOf(text)).toBe(expected);
  });

  it.each(["2024-02-29", "2000-02-29", "2400-02-29", "2026-02-28", "2026-04-30", "2026-12-31"])(
    "%s is a day of the calendar",
    (text) => {
      expect(isoOf(text)).toBe(`${text}T00:00:00.000Z`);
    },
  );

  it.each([
    "2026-02-29",
    "2026-02-30",
    "1900-02-29",
    "2100-02-29",
    "2026-04-31",
    "2026-00-10",
    "2026-13-01",
    "2026-01-00",
    "2026-01-32",
    "0000-01-01",
    "0000-12-31T23:30-01:00",
  ])("%s is no day of the calendar", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it.each([
    "2026-01-31T24:00:00Z",
    "2026-01-15T24:00Z",
    "2026-01-15T12:60Z",
    "2026-01-15T12:00:60Z",
    "2026-01-31T23:60:00Z",
    "2026-01-31T23:59:60Z",
    "2016-12-31T23:59:60Z",
    "2026-01-31T12:00:00+24:00",
    "2026-01-31T12:00:00+01:60",
  ])("%s has a time of day that does not exist", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it.each([
    "",
    " ",
    "now",
    "0",
    "1767225600",
    "2026",
    "2026-01",
    "2026-1-31",
    "26-01-31",
    "12026-01-31",
    "+012026-01-31",
    "-2026-01-31",
    "20260131",
    "2026-01-31T",
    "2026-01-31T12",
    "2026-01-31Z",
    "2026-01-31T12:00:00,5Z",
    "2026-01-31T12:00:00.Z",
    "2026-01-31T12:00:00.1234567890Z",
    "2026-01-31T12:00:00+0200",
    "2026-01-31T12:00:00+02",
    "2026-01-31T12:00:00 Z",
    "2026-01-31T12:00:00Z\n",
    " 2026-01-31",
    "2026-01-31T12:00:00Zjunk",
    "٢٠٢٦-01-31",
  ])("%j is not in the form of ISO 8601 that is taken", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it("reads back every time that it could have been written from", () => {
    const instants = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    fc.assert(fc.property(instants, (date) => parseTime(date.toISOString()) === date.getTime()));
  });

  it.each(["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"])(
    "%s is refused, because in UTC it lies outside the years 1 to 9999 that a Timestamp holds",
    (text) => {
      expect(parseTime(text)).toBeUndefined();
    },
  );
});
