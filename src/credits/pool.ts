import type { Interval } from "./interval.ts";

/** Pool and overage together stay below it, so that every amount is exact as a double. */
export const CREDITS_MAX = Number.MAX_SAFE_INTEGER;

/** A credit pool as it is stored. Amounts are integers from 0, times epoch milliseconds. */
export interface Pool {
  /** The size of the pool now. */
  limit: number;
  /** Credits used, overage included. */
  used: number;
  shadowLimit: number | null;
  overage: { enabled: boolean; limit: number } | null;
  refill: PoolRefill | null;
  expiresAt: number | null;
}

export interface PoolRefill extends Interval {
  refillCredit: number;
  refillPolicy: "reset" | "add";
  carryover: { enabled: boolean; max: number } | null;
  nextRefillAt: number;
}

/**
 * The pool with every refill that is due at `nowMs`, as if each had happened in time, in closed form. The law is in
 * README.md.
 */
export function settle(pool: Pool, nowMs: number): Pool {
  const { refill } = pool;
  if (refill === null || nowMs < refill.nextRefillAt) return pool;
  const intervals = Math.floor((nowMs - refill.nextRefillAt) / refill.everyMs) + 1;
  const nextRefillAt = refill.nextRefillAt + intervals * refill.everyMs;
  return { ...pool, ...refilled(pool, refill, intervals), refill: { ...refill, nextRefillAt } };
}

function refilled(pool: Pool, refill: PoolRefill, intervals: number): Pick<Pool, "limit" | "used"> {
  const { refillCredit, carryover } = refill;
  const left = pool.limit - pool.used;
  // What is granted before the last refill; it rolls over with what is left, up to the cap.
  const grantedBefore = (intervals - 1) * refillCredit;
  const limitMax = CREDITS_MAX - overageLimit(pool);
  if (refill.refillPolicy === "reset") {
    const rolled = carryover?.enabled ? Math.min(Math.max(left, 0) + grantedBefore, carryover.max) : 0;
    return { limit: Math.min(rolled + refillCredit, limitMax), used: 0 };
  }
  const kept = carryover?.enabled ? Math.min(left + grantedBefore, carryover.max) : left + grantedBefore;
  return { limit: Math.min(pool.used + kept + refillCredit, limitMax), used: pool.used };
}

/** Credits that may be spent beyond the pool. */
export function overageLimit({ overage }: Pool): number {
  return overage?.enabled ? overage.limit : 0;
}

/** Whether the credits as a whole have expired. */
export function isExpired({ expiresAt }: Pool, nowMs: number): boolean {
  return expiresAt !== null && expiresAt <= nowMs;
}

/** What is left in a settled pool, never below 0; nothing once the credits have expired. */
export function remaining(pool: Pool, nowMs: number): number {
  return isExpired(pool, nowMs) ? 0 : Math.max(pool.limit - pool.used, 0);
}

/** Credits of a settled pool that were used beyond its size. */
export function overageUsed(pool: Pool): number {
  return Math.max(pool.used - pool.limit, 0);
}

/** Whether a settled pool covers a cost. A cost of 0 only asks whether the credits have expired. */
export function covers(pool: Pool, cost: number, nowMs: number): boolean {
  if (isExpired(pool, nowMs)) return false;
  // used + cost could leave the exact range; limit + overage - used cannot.
  return cost === 0 || cost <= pool.limit + overageLimit(pool) - pool.used;
}
