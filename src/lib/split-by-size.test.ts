import { describe, expect, it } from "vitest";
import { splitBySize } from "./split-by-size.ts";

const split = (sizes: readonly number[], sizeMax: number) => splitBySize(sizes, (size) => size, sizeMax);

describe("groups by size", () => {
  it("keep the order, and none is larger than it may be", () => {
    expect(split([3, 4, 5, 1, 9], 10)).toEqual([[3, 4], [5, 1], [9]]);
    expect(split([5, 5, 5], 10)).toEqual([[5, 5], [5]]);
  });

  it("have what is too large alone", () => {
    expect(split([1, 20, 1, 1], 10)).toEqual([[1], [20], [1, 1]]);
    expect(split([20, 20], 10)).toEqual([[20], [20]]);
  });

  it("are none for nothing", () => {
    expect(split([], 10)).toEqual([]);
  });
});
