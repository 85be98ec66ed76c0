import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Pool, type PoolRefill, settle } from "./pool.ts";
import { poolNotices } from "./pool-notices.ts";

const HOUR_MS = 3_600_000;
const REFILL: PoolRefill = {
  ...{ every: "1h", everyMs: HOUR_MS, refillCredit: 10, refillPolicy: "reset", carryover: null },
  nextRefillAt: HOUR_MS,
};
const POOL: Pool = { limit: 10, used: 0, shadowLimit: 8, overage: null, refill: null, expiresAt: null };

const kinds = (before: Pool | null, after: Pool | null, isTold = false, nowMs = 0) =>
  poolNotices(before, after, isTold, nowMs).notices.map(({ kind }) => kind);

describe("a write of a pool tells", () => {
  it.each([
    ["nothing below the threshold", 0, 7, []],
    ["the threshold when it is reached exactly", 7, 8, ["threshold_reached"]],
    ["nothing when the threshold was told before", 8, 9, []],
    ["that nothing is left", 9, 10, ["exhausted"]],
    ["both at once, in their order", 0, 10, ["threshold_reached", "exhausted"]],
    ["the overage, and what comes before it", 0, 11, ["threshold_reached", "exhausted", "overage_started"]],
    ["the overage once", 11, 12, []],
  ])("%s", (_title, usedBefore, used, expected) => {
    const pool: Pool = { ...POOL, overage: { enabled: true, limit: 5 } };
    const isTold = usedBefore >= 8;
    expect(kinds({ ...pool, used: usedBefore }, { ...pool, used }, isTold)).toEqual(expected);
  });

  it("the threshold again once the use has fallen below it, without a schedule", () => {
    const fallen = poolNotices({ ...POOL, used: 9 }, { ...POOL, used: 2 }, true, 0);
    expect(fallen).toEqual({ notices: [], isThresholdTold: false });
    expect(kinds({ ...POOL, used: 2 }, { ...POOL, used: 8 }, false)).toEqual(["threshold_reached"]);
  });

  it("the threshold not again within a refill period, also when the use has fallen below it", () => {
    const pool = { ...POOL, refill: REFILL };
    expect(poolNotices({ ...pool, used: 9 }, { ...pool, used: 2 }, true, 0).isThresholdTold).toBe(true);
    expect(kinds({ ...pool, used: 2 }, { ...pool, used: 9 }, true)).toEqual([]);
  });

  it("one refill for all that were due, as it left the pool, and the threshold of the new period", () => {
    const before = { ...POOL, used: 9, refill: REFILL };
    const settled = settle(before, 3 * HOUR_MS);
    const { notices, isThresholdTold } = poolNotices(before, { ...settled, used: 8 }, true, 3 * HOUR_MS);
    expect(notices).toEqual([
      { kind: "refilled", pool: settled },
      { kind: "threshold_reached", pool: { ...settled, used: 8 } },
    ]);
    expect(isThresholdTold).toBe(true);
  });

  it("no threshold by a refill alone, which leaves the use of a policy `add` above it", () => {
    const before: Pool = { ...POOL, used: 9, refill: { ...REFILL, refillPolicy: "add" } };
    const settled = settle(before, HOUR_MS);
    const refilled = poolNotices(before, settled, true, HOUR_MS);
    expect(refilled).toEqual({ notices: [{ kind: "refilled", pool: settled }], isThresholdTold: false });
    expect(kinds(settled, { ...settled, used: 10 }, false, HOUR_MS)).toEqual(["threshold_reached"]);
  });

  it("nothing of a refill that is due when the pool is left as it is", () => {
    const pool = { ...POOL, used: 9, refill: REFILL };
    expect(poolNotices(pool, pool, true, HOUR_MS)).toEqual({ notices: [], isThresholdTold: true });
  });

  it("no refill of credits that have expired", () => {
    const before = { ...POOL, refill: REFILL, expiresAt: HOUR_MS };
    expect(kinds(before, settle(before, HOUR_MS), false, HOUR_MS)).toEqual([]);
  });

  it("no overage where there is none, when an empty pool is made smaller, nor its end again", () => {
    const empty: Pool = { ...POOL, used: 10 };
    expect(kinds(empty, { ...empty, limit: 5 }, true)).toEqual([]);
    const off = { enabled: false, limit: 5 };
    expect(kinds({ ...empty, overage: off }, { ...empty, overage: off, limit: 5 }, true)).toEqual([]);
  });

  it("the overage once, when use beyond the pool comes to count as one without being spent anew", () => {
    const overage = { enabled: true, limit: 5 };
    const smaller: Pool = { ...POOL, used: 10, limit: 8 };
    expect(kinds({ ...POOL, used: 10, overage }, { ...smaller, overage }, true)).toEqual(["overage_started"]);
    expect(kinds(smaller, { ...smaller, overage }, true)).toEqual(["overage_started"]);
    expect(kinds({ ...smaller, overage }, { ...smaller, overage, used: 11 }, true)).toEqual([]);
  });

  it("what a pool lacks from the start to a consumer that was unlimited, and nothing to one that becomes so", () => {
    expect(kinds(null, { ...POOL, limit: 0, shadowLimit: null })).toEqual(["exhausted"]);
    expect(poolNotices({ ...POOL, used: 9 }, null, true, 0)).toEqual({ notices: [], isThresholdTold: false });
  });
});

describe("the threshold", () => {
  it("is told at most once in each period, and exactly once when a charge takes or keeps the use above it", () => {
    const step = fc.record({ cost: fc.nat(6), afterMs: fc.nat(HOUR_MS) });
    const policy = fc.constantFrom("reset" as const, "add" as const);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), policy, (steps, refillPolicy) => {
        let pool: Pool = { ...POOL, limit: 1_000, refill: { ...REFILL, refillPolicy } };
        let isTold = false;
        let nowMs = 0;
        const told = new Map<number, number>();
        const due = new Set<number>();
        for (const { cost, afterMs } of steps) {
          nowMs += afterMs;
          const settled = settle(pool, nowMs);
          const after = { ...settled, used: settled.used + cost };
          const period = after.refill?.nextRefillAt ?? 0;
          const result = poolNotices(pool, after, isTold, nowMs);
          if (cost > 0 && after.used >= 8) due.add(period);
          for (const { kind } of result.notices) {
            if (kind === "threshold_reached") told.set(period, (told.get(period) ?? 0) + 1);
          }
          pool = after;
          isTold = result.isThresholdTold;
        }
        expect([...told.keys()]).toEqual([...due]);
        expect([...told.values()].every((count) => count === 1)).toBe(true);
      }),
    );
  });
});
