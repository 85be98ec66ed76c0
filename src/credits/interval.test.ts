import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseInterval } from "./interval.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ONE_DAY = { every: "1d", everyMs: DAY_MS };

describe("parseInterval", () => {
  it.each([
    ["1h", HOUR_MS],
    ["24h", DAY_MS],
    ["1d", DAY_MS],
    ["7d", 7 * DAY_MS],
    ["30d", 30 * DAY_MS],
    ["3650d", 3_650 * DAY_MS],
    ["87600h", 3_650 * DAY_MS],
    ["01h", HOUR_MS],
    ["0000000030d", 30 * DAY_MS],
  ])("reads %s as %i ms, and keeps it as it was written", (text, everyMs) => {
    expect(parseInterval(text)).toEqual({ every: text, everyMs });
  });

  it.each([
    "",
    " ",
    "h",
    "d",
    "1",
    "1w",
    "1m",
    "1s",
    "1y",
    "0h",
    "0d",
    "00d",
    "-1d",
    "+1d",
    "1.5d",
    "1e3h",
    "0x1h",
    "1 d",
    " 1d",
    "1d ",
    "1d\n",
    "1D",
    "1H",
    "1dh",
    "1d1h",
    "١d",
    "one day",
    "3651d",
    "87601h",
    `${"9".repeat(400)}d`,
    `${"0".repeat(400)}7d`,
    "Infinityd",
    "NaNh",
  ])("takes %j for one day", (text) => {
    expect(parseInterval(text)).toEqual(ONE_DAY);
  });

  it("takes exactly the whole numbers of hours and days from 1 to 3,650 days", () => {
    const bounds = { h: 87_600, d: 3_650 };
    fc.assert(
      fc.property(fc.nat(200_000), fc.constantFrom("h" as const, "d" as const), (count, unit) => {
        const text = `${count}${unit}`;
        const { every, everyMs } = parseInterval(text);
        const isTaken = count >= 1 && count <= bounds[unit];
        expect(every).toBe(isTaken ? text : "1d");
        expect(everyMs).toBe(isTaken ? count * (unit === "h" ? HOUR_MS : DAY_MS) : DAY_MS);
      }),
    );
  });

  it("never throws, and always answers from an hour to 3,650 days", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { everyMs } = parseInterval(text);
        expect(everyMs % HOUR_MS).toBe(0);
        expect(everyMs).toBeGreaterThanOrEqual(HOUR_MS);
        expect(everyMs).toBeLessThanOrEqual(3_650 * DAY_MS);
      }),
    );
  });
});
