import { describe, expect, it } from "vitest";
import { planMerges, SIZE_MAX } from "./plan-merges.ts";

const plan = (sizes: readonly number[], isOver: boolean) =>
  planMerges(
    sizes.map((size, id) => ({ id, size })),
    isOver,
  ).map((group) => group.map(({ id }) => id));

describe("what is merged of an hour", () => {
  it("are eight segments of about the same size while it goes on, two when it is over", () => {
    const eight = Array.from({ length: 8 }, (_, index) => 1_000 + index);
    expect(plan(eight, false)).toEqual([[0, 1, 2, 3, 4, 5, 6, 7]]);
    expect(plan(eight.slice(1), false)).toEqual([]);
    expect(plan([1_000, 1_001], true)).toEqual([[0, 1]]);
    expect(plan([1_000], true)).toEqual([]);
  });

  it("leaves a large one alone that only small ones have come to", () => {
    expect(plan([4_000_000, 600, 700], true)).toEqual([[1, 2]]);
  });

  it("makes none that is too large", () => {
    const large = SIZE_MAX / 2 - 1;
    expect(plan([large, large, large, large], true)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(plan([SIZE_MAX, SIZE_MAX], true)).toEqual([]);
  });

  it("writes each event again a few times only, however many segments come", () => {
    let [written, sizes] = [0, [] as number[]];
    for (let added = 0; added < 4_000; added++) {
      sizes.push(1_000);
      for (const group of plan(sizes, false)) {
        const size = group.reduce((sum, id) => sum + (sizes[id] ?? 0), 0);
        written += size;
        sizes = [...sizes.filter((_size, id) => !group.includes(id)), size];
      }
    }
    expect(written / (4_000 * 1_000)).toBeLessThan(5);
    expect(sizes.length).toBeLessThan(40);
  });
});
