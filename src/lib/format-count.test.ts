import { expect, it } from "vitest";
import { formatCount } from "./format-count.ts";

it("counts have separators", () => {
  expect([0, 999, 1_000, 1_234_567].map(formatCount)).toEqual(["0", "999", "1,000", "1,234,567"]);
});
