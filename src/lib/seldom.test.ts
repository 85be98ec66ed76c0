import { expect, it } from "vitest";
import { seldom } from "./seldom.ts";

it("the first report is handed on, and after half a minute the next", () => {
  let nowMs = 5;
  const told: string[] = [];
  const report = seldom<string>(
    (one) => told.push(one),
    () => nowMs,
  );
  report("first");
  report("at once");
  nowMs += 29_999;
  report("too soon");
  nowMs += 1;
  report("later");
  expect(told).toEqual(["first", "later"]);
});
