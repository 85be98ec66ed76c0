import { expect, it } from "vitest";
import { isAfter } from "./version.ts";

it.each([
  ["0.1.1", "0.1.0", true],
  ["0.10.0", "0.9.9", true],
  ["1.0.0", "0.99.0", true],
  ["0.1.0", "0.1.0", false],
  ["0.1.0", "0.2.0", false],
  ["1.0.0", "1.0.0-rc.1", true],
  ["1.0.0-rc.10", "1.0.0-rc.9", true],
  ["1.0.0-rc.1", "1.0.0", false],
])("%s after %s: %s", (version, other, expected) => expect(isAfter(version, other)).toBe(expected));

it.each(["1.0", "v1.0.0", "01.0.0", "1.0.0 ", ""])("refuses %j", (version) => {
  expect(() => isAfter(version, "0.1.0")).toThrow("is no version");
  expect(() => isAfter("0.1.0", version)).toThrow("is no version");
});
