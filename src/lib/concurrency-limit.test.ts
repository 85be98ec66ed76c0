import { describe, expect, it } from "vitest";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

const turn = () => new Promise(setImmediate);

function setUp() {
  const time = { nowMs: 0 };
  const limit = new ConcurrencyLimit({ runningMax: 2, waitingMax: 3, waitMaxMs: 100, monotonicMs: () => time.nowMs });
  const ends: (() => void)[] = [];
  const begin = (name: string) =>
    limit
      .run(() => new Promise<string>((resolve) => ends.push(() => resolve(name))))
      .catch((error: Error) => error.message);
  return { time, ends, begin };
}

describe("work that is limited", () => {
  it("is under way a few pieces at a time, and the others follow in their order", async () => {
    const { ends, begin } = setUp();
    const all = ["a", "b", "c", "d"].map(begin);
    await turn();
    expect(ends).toHaveLength(2);
    for (let index = 0; index < 4; index++) {
      ends[index]?.();
      await turn();
      expect(ends).toHaveLength(Math.min(4, index + 3));
    }
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  });

  it("is refused when too many pieces wait, and when one has waited for too long", async () => {
    const { time, ends, begin } = setUp();
    const all = ["a", "b", "c", "d", "e", "f"].map(begin);
    expect(await all[5]).toMatch(/^OVERLOADED/);
    time.nowMs = 101;
    for (const end of ends.splice(0)) end();
    for (const late of all.slice(2, 5)) expect(await late).toMatch(/^OVERLOADED/);
    const next = begin("next");
    await turn();
    ends[0]?.();
    expect(await next).toBe("next");
  });
});
