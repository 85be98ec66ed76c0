import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CREDITS_MAX, covers, isExpired, overageUsed, type Pool, remaining, settle } from "./pool.ts";

/** Pools and what is to become of them; the database's expression is held to the same file. */
interface Vector {
  name: string;
  pool: Pool;
  nowMs: number;
  expect: { limit: number; used: number; remaining: number; nextRefillAt: number | null };
}

const file = new URL("../../test/vectors/credits.json", import.meta.url);
const VECTORS = JSON.parse(readFileSync(file, "utf8")) as Vector[];
const NOW = 1_767_225_600_000;
const POOL: Pool = { limit: 100, used: 0, shadowLimit: 80, overage: null, refill: null, expiresAt: null };

describe("settle", () => {
  it.each(VECTORS.map((vector) => [vector.name, vector] as const))("%s", (_name, { pool, nowMs, expect: wanted }) => {
    const settled = settle(pool, nowMs);
    const { limit, used, refill } = settled;
    const nextRefillAt = refill?.nextRefillAt ?? null;
    expect({ limit, used, remaining: remaining(settled, nowMs), nextRefillAt }).toEqual(wanted);
  });

  it("has vectors without a double name", () => {
    expect(VECTORS.length).toBeGreaterThanOrEqual(25);
    expect(new Set(VECTORS.map(({ name }) => name)).size).toBe(VECTORS.length);
  });

  it("changes limit, used and nextRefillAt alone, and not the pool that it was given", () => {
    for (const { pool, nowMs } of VECTORS) {
      const before = structuredClone(pool);
      const { limit: _limit, used: _used, refill, ...rest } = settle(pool, nowMs);
      expect(pool).toEqual(before);
      const { limit: _limitBefore, used: _usedBefore, refill: refillBefore, ...restBefore } = before;
      expect(rest).toEqual(restBefore);
      expect(refill).toEqual(refillBefore && { ...refillBefore, nextRefillAt: refill?.nextRefillAt });
    }
  });
});

describe("covers", () => {
  it("takes a cost up to what is left, and no more", () => {
    const pool = { ...POOL, used: 40 };
    expect([1, 60, 61].map((cost) => covers(pool, cost, NOW))).toEqual([true, true, false]);
  });

  it("adds the overage where it is enabled", () => {
    const pool = (enabled: boolean): Pool => ({ ...POOL, used: 40, overage: { enabled, limit: 5 } });
    expect([65, 66].map((cost) => covers(pool(true), cost, NOW))).toEqual([true, false]);
    expect([60, 61].map((cost) => covers(pool(false), cost, NOW))).toEqual([true, false]);
  });

  it("takes a cost of 0 always, except when the credits have expired", () => {
    expect(covers({ ...POOL, used: 1_000 }, 0, NOW)).toBe(true);
    expect(covers({ ...POOL, limit: 0 }, 0, NOW)).toBe(true);
    expect(covers({ ...POOL, expiresAt: NOW }, 0, NOW)).toBe(false);
    expect(covers({ ...POOL, expiresAt: NOW + 1 }, 0, NOW)).toBe(true);
  });

  it("takes nothing once the credits have expired, overage included", () => {
    const pool: Pool = { ...POOL, overage: { enabled: true, limit: 50 }, expiresAt: NOW - 1 };
    expect(covers(pool, 1, NOW)).toBe(false);
    expect(isExpired(pool, NOW)).toBe(true);
    expect(remaining(pool, NOW)).toBe(0);
  });

  it("is exact at the bound of 2^53 - 1", () => {
    const pool: Pool = { ...POOL, limit: CREDITS_MAX, used: 1 };
    expect(covers(pool, CREDITS_MAX, NOW)).toBe(false);
    expect(covers(pool, CREDITS_MAX - 1, NOW)).toBe(true);
    const split: Pool = { ...POOL, limit: CREDITS_MAX - 7, overage: { enabled: true, limit: 7 } };
    expect(covers(split, CREDITS_MAX, NOW)).toBe(true);
    expect(covers({ ...split, used: 1 }, CREDITS_MAX, NOW)).toBe(false);
  });
});

it("overageUsed is what was used beyond the pool, never below 0", () => {
  const used = [0, 100, 101, 150].map((amount) => overageUsed({ ...POOL, used: amount }));
  expect(used).toEqual([0, 0, 1, 50]);
});
