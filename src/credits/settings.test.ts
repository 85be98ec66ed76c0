import { describe, expect, it } from "vitest";
import type { FieldError } from "../lib/fault.ts";
import { CREDITS_MAX, type Pool, type PoolRefill } from "./pool.ts";
import {
  applySettings,
  type CreditsRequest,
  type CreditsSettings,
  createSettings,
  mergePool,
  type RefillRequest,
} from "./settings.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 1_767_225_600_000;

const SCHEDULE = { every: "7d", everyMs: 7 * DAY_MS, refillCredit: 50, refillPolicy: "add", carryover: null } as const;
const REFILL: PoolRefill = { ...SCHEDULE, nextRefillAt: NOW + 5 };
const POOL: Pool = { limit: 100, used: 40, shadowLimit: 80, overage: null, refill: REFILL, expiresAt: NOW + DAY_MS };
const REQUESTED: RefillRequest = { every: "7d", refillCredit: 9, refillPolicy: "reset", carryover: null };

/** The pool after a change that is right. */
function merged(current: Pool | null, request: CreditsRequest): Pool {
  const errors: FieldError[] = [];
  const pool = mergePool(current, request, NOW, errors);
  expect(errors).toEqual([]);
  return pool;
}

/** The fields at fault of a change that is wrong. */
function faults(current: Pool | null, request: CreditsRequest): string[] {
  const errors: FieldError[] = [];
  mergePool(current, request, NOW, errors);
  expect(errors.every(({ message }) => message !== "")).toBe(true);
  return errors.map(({ field }) => field);
}

describe("mergePool", () => {
  it("makes a pool of a limit alone, with nothing used and nothing else", () => {
    const pool = { limit: 5, used: 0, shadowLimit: null, overage: null, refill: null, expiresAt: null };
    expect(merged(null, { limit: 5 })).toEqual(pool);
  });

  it.each<[CreditsRequest, Partial<Pool>]>([
    [{ limit: 7 }, { limit: 7 }],
    [{ limit: 0 }, { limit: 0 }],
    [{ used: 99 }, { used: 99 }],
    [{ used: 0 }, { used: 0 }],
    [{ used: null }, { used: 0 }],
    [{ used: 1_000 }, { used: 1_000 }],
    [{ shadowLimit: 3 }, { shadowLimit: 3 }],
    [{ shadowLimit: null }, { shadowLimit: null }],
    [{ overage: { enabled: true, limit: 4 } }, { overage: { enabled: true, limit: 4 } }],
    [{ overage: { enabled: false, limit: undefined } }, { overage: { enabled: false, limit: 0 } }],
    [{ expiresAt: NOW - 1 }, { expiresAt: NOW - 1 }],
    [{ expiresAt: null }, { expiresAt: null }],
    [{ refill: null }, { refill: null }],
    [
      { limit: 10, used: 0 },
      { limit: 10, used: 0 },
    ],
  ])("%j changes what it names, and leaves the rest", (request, change) => {
    expect(merged(POOL, request)).toEqual({ ...POOL, ...change });
  });

  it("clears overage with null", () => {
    expect(merged({ ...POOL, overage: { enabled: true, limit: 3 } }, { overage: null })).toEqual(POOL);
  });

  it("does not touch the pool that it was given", () => {
    const before = structuredClone(POOL);
    merged(POOL, { used: 1, refill: REQUESTED, overage: { enabled: true, limit: 1 } });
    expect(POOL).toEqual(before);
  });

  it("needs a limit where there are no credits, and none to change some", () => {
    expect(faults(null, {})).toEqual(["credits.limit"]);
    expect(faults(null, { used: 0, refill: REQUESTED })).toEqual(["credits.limit"]);
    expect(faults(POOL, { used: 0 })).toEqual([]);
  });

  it("does not clear the limit", () => {
    expect(faults(POOL, { limit: null })).toEqual(["credits.limit"]);
    expect(faults(null, { limit: null })).toEqual(["credits.limit"]);
  });

  it("keeps limit and overage together below 2^53, and names the one that was sent", () => {
    const overage = (limit: number) => ({ enabled: true, limit });
    expect(faults(null, { limit: CREDITS_MAX })).toEqual([]);
    expect(faults(null, { limit: CREDITS_MAX - 1, overage: overage(1) })).toEqual([]);
    expect(faults(null, { limit: CREDITS_MAX, overage: overage(1) })).toEqual(["credits.overage.limit"]);
    expect(faults(POOL, { overage: overage(CREDITS_MAX - 99) })).toEqual(["credits.overage.limit"]);
    expect(faults({ ...POOL, overage: overage(1) }, { limit: CREDITS_MAX })).toEqual(["credits.limit"]);
    expect(faults({ ...POOL, overage: overage(1) }, { limit: CREDITS_MAX, overage: null })).toEqual([]);
  });

  it("does not blame a change of something else for what refills have added", () => {
    const grown: Pool = { ...POOL, limit: CREDITS_MAX, overage: { enabled: false, limit: 1 } };
    expect(faults(grown, { shadowLimit: 1 })).toEqual([]);
    expect(faults(grown, { limit: CREDITS_MAX })).toEqual(["credits.limit"]);
  });

  it("needs the amounts of what is enabled, and names all that is missing", () => {
    const enabled = { enabled: true, limit: undefined };
    const carryover = { enabled: true, max: undefined };
    expect(faults(POOL, { overage: enabled })).toEqual(["credits.overage.limit"]);
    expect(faults(POOL, { refill: { ...REQUESTED, carryover } })).toEqual(["credits.refill.carryover.max"]);
    expect(faults(POOL, { refill: REQUESTED, carryover })).toEqual(["credits.carryover.max"]);
    expect(faults(POOL, { carryover })).toEqual(["credits.carryover.max"]);
    expect(faults(POOL, { limit: null, overage: enabled, carryover })).toEqual([
      "credits.limit",
      "credits.overage.limit",
      "credits.carryover.max",
    ]);
  });
});

describe("a refill schedule", () => {
  const refillAfter = (current: Pool | null, request: CreditsRequest) =>
    merged(current, { limit: 1, ...request }).refill;

  it("is replaced as a whole, carryover included", () => {
    const current = { ...POOL, refill: { ...REFILL, carryover: { enabled: true, max: 5 } } };
    expect(refillAfter(current, { refill: REQUESTED })).toEqual({
      ...{ every: "7d", everyMs: 7 * DAY_MS, refillCredit: 9, refillPolicy: "reset", carryover: null },
      nextRefillAt: REFILL.nextRefillAt,
    });
  });

  it.each([
    ["7d", REFILL.nextRefillAt],
    ["1h", NOW + HOUR_MS],
    // As long, but another text: it is what callers see change.
    ["168h", NOW + 7 * DAY_MS],
    ["30d", NOW + 30 * DAY_MS],
  ])("every %s: it starts anew only when `every` changes", (every, nextRefillAt) => {
    expect(refillAfter(POOL, { refill: { ...REQUESTED, every } })).toMatchObject({ every, nextRefillAt });
  });

  it.each(["", "monthly", "1w", "0d", "3651d"])("every %j is stored as 1d", (every) => {
    const refill = { every: "1d", everyMs: DAY_MS, nextRefillAt: NOW + DAY_MS };
    expect(refillAfter(POOL, { refill: { ...REQUESTED, every } })).toMatchObject(refill);
    const running = { ...POOL, refill: { ...REFILL, every: "1d", everyMs: DAY_MS } };
    expect(refillAfter(running, { refill: { ...REQUESTED, every } })?.nextRefillAt).toBe(REFILL.nextRefillAt);
  });

  it("begins one interval from now where there was none", () => {
    expect(refillAfter(null, { refill: REQUESTED })?.nextRefillAt).toBe(NOW + 7 * DAY_MS);
    expect(refillAfter({ ...POOL, refill: null }, { refill: REQUESTED })?.nextRefillAt).toBe(NOW + 7 * DAY_MS);
  });

  it("has its carryover from within, else from beside it", () => {
    const inner = { enabled: true, max: 1 };
    const outer = { enabled: true, max: 2 };
    const carried = (request: CreditsRequest) => refillAfter(POOL, request)?.carryover;
    expect(carried({ refill: { ...REQUESTED, carryover: inner } })).toEqual(inner);
    expect(carried({ refill: REQUESTED, carryover: outer })).toEqual(outer);
    expect(carried({ refill: { ...REQUESTED, carryover: inner }, carryover: outer })).toEqual(inner);
    expect(carried({ refill: { ...REQUESTED, carryover: inner }, carryover: null })).toEqual(inner);
    expect(carried({ refill: { ...REQUESTED, carryover: { enabled: false, max: undefined } } })).toEqual({
      enabled: false,
      max: 0,
    });
  });

  it("takes a carryover by itself, and goes on with the rest", () => {
    const carryover = { enabled: true, max: 2 };
    const carrying = { ...REFILL, carryover };
    expect(refillAfter(POOL, { carryover })).toEqual(carrying);
    expect(refillAfter({ ...POOL, refill: carrying }, { carryover: null })).toEqual(REFILL);
    expect(refillAfter({ ...POOL, refill: carrying }, {})).toEqual(carrying);
  });

  it("is needed for a carryover", () => {
    const carryover = { enabled: true, max: 2 };
    expect(faults(null, { limit: 1, carryover })).toEqual(["credits.carryover"]);
    expect(faults({ ...POOL, refill: null }, { carryover })).toEqual(["credits.carryover"]);
    expect(faults(POOL, { refill: null, carryover })).toEqual(["credits.carryover"]);
    expect(faults(POOL, { refill: null, carryover: null })).toEqual([]);
  });
});

describe("createSettings", () => {
  it("keeps no time and nothing used, because the same settings make many pools", () => {
    const errors: FieldError[] = [];
    const settings = createSettings({ limit: 3, used: 2, refill: REQUESTED }, errors);
    const refill = { every: "7d", everyMs: 7 * DAY_MS, refillCredit: 9, refillPolicy: "reset", carryover: null };
    expect(settings).toEqual({ limit: 3, shadowLimit: null, overage: null, expiresAt: null, refill });
    expect(errors).toEqual([]);
  });

  it("names what is wrong as credits of a consumer do", () => {
    const errors: FieldError[] = [];
    createSettings(
      { limit: CREDITS_MAX, overage: { enabled: true, limit: 1 }, carryover: { enabled: true, max: 1 } },
      errors,
    );
    expect(errors.map(({ field }) => field)).toEqual(["credits.carryover", "credits.overage.limit"]);
  });
});

describe("applySettings", () => {
  it("makes a new pool with nothing used, whose refill begins one interval from now", () => {
    const settings: CreditsSettings = { limit: 3, shadowLimit: 2, overage: null, refill: SCHEDULE, expiresAt: null };
    const refill = { ...SCHEDULE, nextRefillAt: NOW + 7 * DAY_MS };
    expect(applySettings(settings, null, NOW)).toEqual({ ...settings, used: 0, refill });
  });
});
