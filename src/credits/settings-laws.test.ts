import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldError } from "../lib/fault.ts";
import { CREDITS_MAX, type Pool, settle } from "./pool.ts";
import { applySettings, type CreditsRequest, type CreditsSettings, mergePool } from "./settings.ts";

const DAY_MS = 24 * 3_600_000;
const NOW = 1_767_225_600_000;

const amount = fc.oneof(fc.nat(100), fc.maxSafeNat());
const schedules = fc
  .record({
    days: fc.integer({ min: 1, max: 3 }),
    refillCredit: amount,
    refillPolicy: fc.constantFrom("reset" as const, "add" as const),
    carryover: fc.option(fc.record({ enabled: fc.boolean(), max: amount }), { nil: null }),
  })
  .map(({ days, ...schedule }) => ({ every: `${days}d`, everyMs: days * DAY_MS, ...schedule }));

const settingsArbitrary: fc.Arbitrary<CreditsSettings> = fc
  .record({
    limit: amount,
    shadowLimit: fc.option(amount, { nil: null }),
    overage: fc.option(fc.record({ enabled: fc.boolean(), limit: amount }), { nil: null }),
    refill: fc.option(schedules, { nil: null }),
    expiresAt: fc.option(fc.integer({ min: NOW - 10, max: NOW + 10 }), { nil: null }),
  })
  .map(({ overage, ...settings }) => ({
    ...settings,
    overage: overage && { ...overage, limit: Math.min(overage.limit, CREDITS_MAX - settings.limit) },
  }));

/** Pools, some of which have a refill that is due. */
const pools: fc.Arbitrary<Pool> = fc
  .record({ settings: settingsArbitrary, used: amount, dueInMs: fc.integer({ min: -90 * DAY_MS, max: DAY_MS }) })
  .map(({ settings: { refill, ...settings }, used, dueInMs }) => ({
    ...settings,
    used: Math.min(used, settings.limit),
    refill: refill && { ...refill, nextRefillAt: NOW + dueInMs },
  }));

function merged(current: Pool, request: CreditsRequest): Pool {
  const errors: FieldError[] = [];
  const pool = mergePool(current, request, NOW, errors);
  expect(errors).toEqual([]);
  return pool;
}

describe("the laws of settings", () => {
  it("merging nothing changes nothing, whatever refills have made of the pool", () => {
    fc.assert(
      fc.property(pools, (pool) => {
        expect(merged(settle(pool, NOW), {})).toEqual(settle(pool, NOW));
      }),
    );
  });

  it("merging what is there already changes nothing", () => {
    fc.assert(
      fc.property(pools, (pool) => {
        expect(merged(pool, pool)).toEqual(pool);
      }),
    );
  });

  it("applying settings keeps what was used, takes everything else from the settings, and goes on with the same `every`", () => {
    fc.assert(
      fc.property(settingsArbitrary, pools, (settings, current) => {
        const { used, refill, ...rest } = applySettings(settings, current, NOW);
        const { refill: schedule, ...settingsRest } = settings;
        expect(used).toBe(current.used);
        expect(rest).toEqual(settingsRest);
        const goesOn = current.refill?.every === schedule?.every;
        const nextRefillAt = goesOn ? current.refill?.nextRefillAt : NOW + (schedule?.everyMs ?? 0);
        expect(refill).toEqual(schedule && { ...schedule, nextRefillAt });
      }),
    );
  });
});
