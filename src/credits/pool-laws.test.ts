import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CREDITS_MAX, covers, overageLimit, type Pool, type PoolRefill, remaining, settle } from "./pool.ts";

const HOUR_MS = 3_600_000;
const NOW = 1_767_225_600_000;
const RUNS = { numRuns: 1_000 };

/** Amounts as people use them, small ones that meet each other's bounds, and such as reach the end of the exact range. */
const amount = fc.oneof(
  fc.nat(20),
  fc.nat(100_000),
  fc.maxSafeNat(),
  fc.nat(50).map((less) => CREDITS_MAX - less),
);
const carryover = fc.option(fc.record({ enabled: fc.boolean(), max: amount }), { nil: null });

/** A refill that has been due for up to `missedMax` intervals, or is not due yet. */
const refillArbitrary = (missedMax: number) =>
  fc
    .record({
      hours: fc.oneof(fc.integer({ min: 1, max: 48 }), fc.integer({ min: 1, max: 87_600 })),
      missed: fc.integer({ min: -1, max: missedMax }),
      lateMs: fc.oneof(fc.constant(0), fc.nat(HOUR_MS - 1)),
      refillCredit: amount,
      refillPolicy: fc.constantFrom("reset" as const, "add" as const),
      carryover,
    })
    .map(({ hours, missed, lateMs, ...settings }): PoolRefill => {
      const everyMs = hours * HOUR_MS;
      return { every: `${hours}h`, everyMs, ...settings, nextRefillAt: NOW - missed * everyMs - lateMs };
    });

/** Pools that keep the law: limit and overage together below 2^53, used no more than both. */
const poolArbitrary = (missedMax: number): fc.Arbitrary<Pool> =>
  fc
    .record({
      limit: amount,
      usedShare: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      overage: fc.option(fc.record({ enabled: fc.boolean(), limit: amount }), { nil: null }),
      refill: fc.option(refillArbitrary(missedMax), { nil: null, freq: 20 }),
      expiresAt: fc.option(fc.integer({ min: NOW - 1_000, max: NOW + 1_000 }), { nil: null }),
    })
    .map(({ limit, usedShare, overage, refill, expiresAt }) => {
      const bounded = overage && { ...overage, limit: Math.min(overage.limit, CREDITS_MAX - limit) };
      const spendable = limit + (bounded?.enabled ? bounded.limit : 0);
      const used = Math.min(Math.floor(spendable * usedShare), spendable);
      return { limit, used, shadowLimit: null, overage: bounded, refill, expiresAt };
    });

const pools = poolArbitrary(1_000_000);

/** One refill by the words of the README, one at a time, in integers of any size. */
function refillOnce(pool: Pool): Pool {
  const { refill } = pool;
  if (refill === null) return pool;
  const [limit, used, credit] = [pool.limit, pool.used, refill.refillCredit].map(BigInt) as [bigint, bigint, bigint];
  const least = (a: bigint, b: bigint) => (a < b ? a : b);
  const max = refill.carryover?.enabled ? BigInt(refill.carryover.max) : undefined;
  const left = limit - used;
  let size: bigint;
  if (refill.refillPolicy === "reset") {
    const rolls = left > 0n && max !== undefined ? least(left, max) : 0n;
    size = credit + rolls;
  } else {
    const kept = max === undefined ? left : least(left, max);
    size = used + kept + credit;
  }
  const room = BigInt(CREDITS_MAX - overageLimit(pool));
  return {
    ...pool,
    limit: Number(least(size, room)),
    used: refill.refillPolicy === "reset" ? 0 : pool.used,
    refill: { ...refill, nextRefillAt: refill.nextRefillAt + refill.everyMs },
  };
}

/** settle() step by step. */
function settleByStep(pool: Pool, nowMs: number): Pool {
  let settled = pool;
  while (settled.refill !== null && settled.refill.nextRefillAt <= nowMs) settled = refillOnce(settled);
  return settled;
}

describe("the laws of pools", () => {
  it("refills in closed form are the same as one at a time", () => {
    fc.assert(
      fc.property(poolArbitrary(60), (pool) => {
        expect(settle(pool, NOW)).toEqual(settleByStep(pool, NOW));
      }),
      RUNS,
    );
  });

  it("settling twice is settling once", () => {
    fc.assert(
      fc.property(pools, (pool) => {
        const settled = settle(pool, NOW);
        expect(settle(settled, NOW)).toBe(settled);
      }),
      RUNS,
    );
  });

  it("settling at one time and then at a later one is settling at the later one", () => {
    fc.assert(
      fc.property(pools, fc.nat(400 * 24 * HOUR_MS), fc.nat(400 * 24 * HOUR_MS), (pool, first, second) => {
        const between = NOW - 200 * 24 * HOUR_MS + first;
        const later = between + second;
        expect(settle(settle(pool, between), later)).toEqual(settle(pool, later));
      }),
      RUNS,
    );
  });

  it("the next refill lies ahead, by no more than an interval, and in whole intervals from the first", () => {
    fc.assert(
      fc.property(pools, ({ refill, ...pool }) => {
        fc.pre(refill !== null && refill.nextRefillAt <= NOW);
        const next = settle({ ...pool, refill }, NOW).refill?.nextRefillAt ?? Number.NaN;
        expect(next).toBeGreaterThan(NOW);
        expect(next - NOW).toBeLessThanOrEqual(refill.everyMs);
        expect((next - refill.nextRefillAt) % refill.everyMs).toBe(0);
      }),
      RUNS,
    );
  });

  it("every amount stays a whole number from 0, and limit and overage together below 2^53", () => {
    fc.assert(
      fc.property(pools, (pool) => {
        const settled = settle(pool, NOW);
        const left = remaining(settled, NOW);
        for (const value of [settled.limit, settled.used, left]) {
          expect(Number.isSafeInteger(value) && value >= 0, String(value)).toBe(true);
        }
        expect(settled.limit + overageLimit(settled)).toBeLessThanOrEqual(CREDITS_MAX);
        expect(left).toBeLessThanOrEqual(settled.limit);
      }),
      RUNS,
    );
  });

  it("a reset without carryover never leaves more than refillCredit", () => {
    fc.assert(
      fc.property(pools, refillArbitrary(1_000), (pool, refill) => {
        fc.pre(refill.nextRefillAt <= NOW);
        const reset: Pool = { ...pool, refill: { ...refill, refillPolicy: "reset", carryover: null } };
        const settled = settle(reset, NOW);
        expect(settled.limit).toBeLessThanOrEqual(refill.refillCredit);
        expect(settled.used).toBe(0);
      }),
      RUNS,
    );
  });

  it("a refill that adds without a carryover never takes anything away", () => {
    fc.assert(
      fc.property(pools, refillArbitrary(1_000), (pool, refill) => {
        const adding: Pool = { ...pool, refill: { ...refill, refillPolicy: "add", carryover: null } };
        expect(settle(adding, NOW).limit).toBeGreaterThanOrEqual(adding.limit);
        expect(settle(adding, NOW).used).toBe(adding.used);
      }),
      RUNS,
    );
  });

  it("whatever is covered leaves, once charged, no more used than pool and overage hold", () => {
    fc.assert(
      fc.property(pools, amount, (pool, cost) => {
        const settled = settle(pool, NOW);
        fc.pre(settled.used <= settled.limit + overageLimit(settled));
        const spendable = BigInt(settled.limit) + BigInt(overageLimit(settled)) - BigInt(settled.used);
        const isExpired = settled.expiresAt !== null && settled.expiresAt <= NOW;
        expect(covers(settled, cost, NOW)).toBe(!isExpired && BigInt(cost) <= spendable);
      }),
      RUNS,
    );
  });

  it("what remains is always covered, unless the credits have expired", () => {
    fc.assert(
      fc.property(pools, (pool) => {
        const settled = settle({ ...pool, expiresAt: null }, NOW);
        expect(covers(settled, remaining(settled, NOW), NOW)).toBe(true);
      }),
      RUNS,
    );
  });
});
