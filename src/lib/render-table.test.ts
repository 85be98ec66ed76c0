import { expect, it } from "vitest";
import { renderTable } from "./render-table.ts";

it("a table aligns texts left and numbers right, under headers and above sums", () => {
  expect(
    renderTable(
      ["name", "n"],
      [
        ["a", 1_000],
        ["bcdef", 2],
      ],
      [["total", 1_002]],
    ),
  ).toEqual(["name       n", "-----  -----", "a      1,000", "bcdef      2", "-----  -----", "total  1,002"]);
});

it("a table without sums ends with its last row", () => {
  expect(renderTable(["name"], [["a"]])).toEqual(["name", "----", "a"]);
});
