import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Consumer } from "../consumer/consumer.ts";
import { emptyConsumer } from "../consumer/new-consumer.ts";
import type { Pool } from "../credits/pool.ts";
import type { Key } from "../key/key.ts";
import { judge, type Question, rateWindow, retryAfterSeconds } from "./verdict.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const PAST = new Date(NOW - 1);

const KEY: Key = {
  _id: "key_1",
  projectId: "project_1",
  consumerId: "consumer_1",
  hash: Buffer.alloc(32),
  ciphertext: null,
  lastSix: "abcdef",
  name: null,
  status: "active",
  allowedApis: ["*"],
  prefix: "sk",
  previous: [],
  isImported: false,
  expiresAt: null,
  metadata: "{}",
  createdAt: PAST,
  updatedAt: PAST,
};

const CONSUMER: Consumer = { ...emptyConsumer("project_1", PAST.getTime()), _id: "consumer_1", keyCount: 1 };

const POOL: Pool = { limit: 10, used: 0, shadowLimit: null, overage: null, refill: null, expiresAt: null };
const QUESTION: Question = { apiId: undefined, isApiKnown: false, cost: 1, nowMs: NOW };

const refillAt = (nextRefillAt: number): NonNullable<Pool["refill"]> => ({
  every: "1h",
  everyMs: 3_600_000,
  refillCredit: 10,
  refillPolicy: "reset",
  carryover: null,
  nextRefillAt,
});

interface Case {
  key: Key;
  consumer: Consumer;
  question: Question;
}

/** Reasons to refuse, in the order in which they are looked at, each as a change to a case that passes. */
const REASONS: [string, (given: Case) => Case][] = [
  ["NOT_FOUND", (given) => ({ ...given, consumer: { ...given.consumer, status: "deleted" } })],
  ["KEY_DISABLED", (given) => ({ ...given, key: { ...given.key, status: "disabled" } })],
  ["KEY_EXPIRED", (given) => ({ ...given, key: { ...given.key, expiresAt: PAST } })],
  [
    "CONSUMER_DISABLED",
    (given) =>
      given.consumer.status === "deleted" ? given : { ...given, consumer: { ...given.consumer, status: "disabled" } },
  ],
  ["CONSUMER_EXPIRED", (given) => ({ ...given, consumer: { ...given.consumer, expiresAt: PAST } })],
  ["API_NOT_ALLOWED", (given) => ({ ...given, question: { ...given.question, apiId: "api_x" } })],
  [
    "RATE_LIMITED",
    (given) => ({
      ...given,
      consumer: {
        ...given.consumer,
        rateLimit: { limit: 2, windowSeconds: 60 },
        rateWindow: { windowSeconds: 60, start: NOW, count: 2 },
      },
    }),
  ],
  ["USAGE_EXCEEDED", (given) => ({ ...given, consumer: { ...given.consumer, credits: { ...POOL, limit: 0 } } })],
];

const verdictOf = ({ key, consumer, question }: Case) => judge(key, consumer, question);
const PASSING: Case = { key: KEY, consumer: CONSUMER, question: QUESTION };

describe("judge", () => {
  it("lets pass what nothing stands against", () => {
    expect(verdictOf(PASSING)).toBe("VALID");
  });

  it.each(REASONS)("refuses with %s for that reason alone", (code, change) => {
    expect(verdictOf(change(PASSING))).toBe(code);
  });

  it("gives the first reason of the order, whatever else stands against the key", () => {
    fc.assert(
      fc.property(fc.subarray(REASONS, { minLength: 1 }), (reasons) => {
        const given = reasons.reduce((changed, [, change]) => change(changed), PASSING);
        expect(verdictOf(given)).toBe(reasons[0]?.[0]);
      }),
    );
  });

  it("lets an expiry bind from its very millisecond", () => {
    const at = (ms: number) => ({ ...PASSING, key: { ...KEY, expiresAt: new Date(ms) } });
    expect([NOW - 1, NOW, NOW + 1].map((ms) => verdictOf(at(ms)))).toEqual(["KEY_EXPIRED", "KEY_EXPIRED", "VALID"]);
  });

  it.each<[string, string[], boolean, string]>([
    ["an API of the project for a key of every API", ["*"], true, "VALID"],
    ["an API that the project does not have, even for a key of every API", ["*"], false, "API_NOT_ALLOWED"],
    ["an API that the key has", ["api_0", "api_1"], true, "VALID"],
    ["an API that the key has and the project has not", ["api_1"], false, "API_NOT_ALLOWED"],
    ["an API that the key has not", ["api_0"], true, "API_NOT_ALLOWED"],
    ["any API for a key of none", [], true, "API_NOT_ALLOWED"],
  ])("decides on %s", (_title, allowedApis, isApiKnown, code) => {
    const question = { ...QUESTION, apiId: "api_1", isApiKnown };
    expect(judge({ ...KEY, allowedApis }, CONSUMER, question)).toBe(code);
  });

  it("does not check the API when none is called", () => {
    expect(judge({ ...KEY, allowedApis: [] }, CONSUMER, QUESTION)).toBe("VALID");
  });

  it("counts refills that are due before it calls the credits used up", () => {
    const used: Pool = { ...POOL, used: 10, refill: refillAt(NOW) };
    const ask = (nowMs: number) => judge(KEY, { ...CONSUMER, credits: used }, { ...QUESTION, nowMs });
    expect([ask(NOW - 1), ask(NOW)]).toEqual(["USAGE_EXCEEDED", "VALID"]);
  });

  it("lets a cost of 0 pass an empty pool, but not one that has expired", () => {
    const empty: Pool = { ...POOL, limit: 0 };
    const ask = (credits: Pool) => judge(KEY, { ...CONSUMER, credits }, { ...QUESTION, cost: 0 });
    expect(ask(empty)).toBe("VALID");
    expect(ask({ ...empty, expiresAt: NOW })).toBe("USAGE_EXCEEDED");
    expect(ask({ ...empty, expiresAt: NOW + 1 })).toBe("VALID");
  });

  it("never calls unlimited usage exceeded", () => {
    expect(judge(KEY, CONSUMER, { ...QUESTION, cost: Number.MAX_SAFE_INTEGER })).toBe("VALID");
  });
});

describe("rateWindow", () => {
  const rateLimit = { limit: 5, windowSeconds: 60 };
  const at = (stored: Consumer["rateWindow"], nowMs: number, limit = rateLimit) =>
    rateWindow({ ...CONSUMER, rateLimit: limit, rateWindow: stored }, nowMs);

  it("is nothing without a rate limit", () => {
    const stored = { windowSeconds: 60, start: NOW, count: 9 };
    expect(rateWindow({ ...CONSUMER, rateWindow: stored }, NOW)).toBeUndefined();
  });

  it("is aligned to the epoch", () => {
    expect(at(null, NOW + 59_999)).toEqual({ remaining: 5, resetAt: NOW + 60_000 });
    expect(at(null, NOW + 60_000)).toEqual({ remaining: 5, resetAt: NOW + 120_000 });
    expect(at(null, NOW + 1, { limit: 5, windowSeconds: 86_400 })?.resetAt).toBe(NOW + 86_400_000);
    expect(at(null, NOW + 1, { limit: 5, windowSeconds: 7 })?.resetAt).toBe(Math.ceil((NOW + 1) / 7_000) * 7_000);
  });

  it("counts what was stored for it, and begins anew when it is over", () => {
    const stored = { windowSeconds: 60, start: NOW, count: 3 };
    expect(at(stored, NOW + 59_999)).toEqual({ remaining: 2, resetAt: NOW + 60_000 });
    expect(at(stored, NOW + 60_000)).toEqual({ remaining: 5, resetAt: NOW + 120_000 });
  });

  it("is never left for an earlier one when the clock goes back", () => {
    const stored = { windowSeconds: 60, start: NOW, count: 3 };
    expect(at(stored, NOW - 1)).toEqual({ remaining: 2, resetAt: NOW + 60_000 });
    expect(at(stored, NOW - 3_600_000)).toEqual({ remaining: 2, resetAt: NOW + 60_000 });
  });

  it("keeps its count when the limit changes, and is never below 0", () => {
    const stored = { windowSeconds: 60, start: NOW, count: 3 };
    expect(at(stored, NOW, { limit: 4, windowSeconds: 60 })?.remaining).toBe(1);
    expect(at(stored, NOW, { limit: 2, windowSeconds: 60 })?.remaining).toBe(0);
  });

  it("begins anew when its length changes, even to an earlier start", () => {
    const stored = { windowSeconds: 60, start: NOW + 60_000, count: 3 };
    expect(at(stored, NOW + 61_000, { limit: 5, windowSeconds: 3_600 })).toEqual({
      remaining: 5,
      resetAt: NOW + 3_600_000,
    });
  });
});

describe("retryAfterSeconds", () => {
  const limited = { ...CONSUMER, rateLimit: { limit: 1, windowSeconds: 60 } };
  const withPool = (pool: Partial<Pool>) => ({ ...CONSUMER, credits: { ...POOL, ...pool } });

  it("is the rest of the window for RATE_LIMITED, rounded up, at least 1", () => {
    const ask = (nowMs: number) => retryAfterSeconds("RATE_LIMITED", limited, nowMs);
    expect([NOW, NOW + 1, NOW + 59_000, NOW + 59_999].map(ask)).toEqual([60, 60, 1, 1]);
  });

  it("is the time to the next refill for USAGE_EXCEEDED, refills that were missed left behind", () => {
    const ask = (at: number) => retryAfterSeconds("USAGE_EXCEEDED", withPool({ refill: refillAt(at) }), NOW);
    expect([NOW + 1, NOW + 1_001, NOW, NOW - 3_600_000].map(ask)).toEqual([1, 2, 3_600, 3_600]);
  });

  it("is unknown for USAGE_EXCEEDED without a refill, or when the credits expire before it", () => {
    const ask = (pool: Partial<Pool>) => retryAfterSeconds("USAGE_EXCEEDED", withPool(pool), NOW);
    expect(ask({})).toBeUndefined();
    expect(ask({ refill: refillAt(NOW + 10), expiresAt: NOW + 10 })).toBeUndefined();
    expect(ask({ refill: refillAt(NOW + 10), expiresAt: NOW - 1 })).toBeUndefined();
    expect(ask({ refill: refillAt(NOW + 10), expiresAt: NOW + 11 })).toBe(1);
  });

  it("is given for no other verdict", () => {
    const consumer = { ...limited, credits: { ...POOL, refill: refillAt(NOW + 10) } };
    for (const code of ["VALID", "NOT_FOUND", "KEY_DISABLED", "KEY_EXPIRED", "CONSUMER_DISABLED"] as const) {
      expect(retryAfterSeconds(code, consumer, NOW)).toBeUndefined();
    }
  });
});
