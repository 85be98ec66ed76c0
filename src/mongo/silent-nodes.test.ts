import { describe, expect, it } from "vitest";
import { SilentNodes } from "./silent-nodes.ts";

/** Looks at one node at these times, and answers at which of them it was silent. */
function silentAt(seen: readonly [nowMs: number, seenAtMs: number][]): number[] {
  const nodes = new SilentNodes();
  return seen.flatMap(([nowMs, seenAtMs]) =>
    nodes.look([{ nodeId: "node_a", seenAtMs }], nowMs).length > 0 ? nowMs : [],
  );
}

describe("a node", () => {
  it("is silent once nothing new was seen of it for a second", () => {
    const looks = [0, 300, 600, 900, 1_200, 1_500].map((nowMs): [number, number] => [nowMs, 7]);
    expect(silentAt(looks)).toEqual([1_200, 1_500]);
  });

  it("is not silent while it writes, whatever the clock says that it writes", () => {
    const clock = [9_000_000, 1, 5, -4, 3, 2];
    expect(silentAt(clock.map((seenAtMs, index) => [index * 900, seenAtMs]))).toEqual([]);
  });

  it("has the whole second again once something new was seen of it", () => {
    expect(
      silentAt([
        [0, 7],
        [450, 7],
        [900, 7],
        [1_000, 8],
        [1_450, 8],
        [1_900, 8],
        [2_000, 8],
      ]),
    ).toEqual([2_000]);
  });

  it("is not taken for silent by the first look after the database, or this node, stood still", () => {
    expect(
      silentAt([
        [0, 7],
        [300, 7],
        [60_000, 7],
        [60_100, 8],
      ]),
    ).toEqual([]);
  });

  it("that was taken away is forgotten", () => {
    const nodes = new SilentNodes();
    const sighting = [{ nodeId: "node_a", seenAtMs: 7 }];
    nodes.look(sighting, 0);
    nodes.look(sighting, 500);
    nodes.look([], 900);
    expect(nodes.look(sighting, 1_000)).toEqual([]);
  });
});
