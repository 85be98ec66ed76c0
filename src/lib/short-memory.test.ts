import { describe, expect, it } from "vitest";
import { ShortMemory } from "./short-memory.ts";

function memory(entriesMax: number) {
  const clock = { nowMs: 0 };
  return { clock, values: new ShortMemory<string>({ ageMaxMs: 150, entriesMax, monotonicMs: () => clock.nowMs }) };
}

describe("ShortMemory", () => {
  it("forgets a value when it is too old, counted from when it was known to be right", () => {
    const { clock, values } = memory(10);
    clock.nowMs = 40;
    values.set("a", "value", 10);
    clock.nowMs = 160;
    expect(values.get("a")).toBe("value");
    clock.nowMs = 161;
    expect(values.get("a")).toBeUndefined();
  });

  it("keeps the newest when there are too many; setting a value anew makes it the newest", () => {
    const { values } = memory(2);
    values.set("a", "1", 0);
    values.set("b", "2", 0);
    values.set("a", "3", 0);
    values.set("c", "4", 0);
    expect(["a", "b", "c"].map((key) => values.get(key))).toEqual(["3", undefined, "4"]);
  });

  it("forgets what it is told to", () => {
    const { values } = memory(2);
    values.set("a", "1", 0);
    values.delete("a");
    expect(values.get("a")).toBeUndefined();
  });
});
