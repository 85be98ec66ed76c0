import { describe, expect, it } from "vitest";
import { changedFields } from "./audit.ts";

describe("changedFields", () => {
  it("shows of two states what differs, whole fields, and nothing of what does not", () => {
    const before = { name: "a", tags: ["x"], credits: { limit: 1, used: 0 }, gone: 1 };
    const after = { name: "b", tags: ["x"], credits: { limit: 2, used: 0 }, come: null };
    expect(changedFields(before, after)).toEqual({
      before: { name: "a", credits: { limit: 1, used: 0 }, gone: 1 },
      after: { name: "b", credits: { limit: 2, used: 0 }, come: null },
    });
  });

  it("shows all of a thing that was made or deleted", () => {
    expect(changedFields(null, { name: null })).toEqual({ before: {}, after: { name: null } });
    expect(changedFields({ name: "a" }, null)).toEqual({ before: { name: "a" }, after: {} });
  });

  it("is undefined when nothing differs", () => {
    expect(changedFields({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBeUndefined();
  });
});
