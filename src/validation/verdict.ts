import type { Consumer } from "../consumer/consumer.ts";
import { covers, settle } from "../credits/pool.ts";
import { allowsApi, type FoundKey, type Key } from "../key/key.ts";

/** Why a key may pass or not. */
export type VerdictCode =
  | "VALID"
  | "NOT_FOUND"
  | "KEY_DISABLED"
  | "KEY_EXPIRED"
  | "CONSUMER_DISABLED"
  | "CONSUMER_EXPIRED"
  | "API_NOT_ALLOWED"
  | "RATE_LIMITED"
  | "USAGE_EXCEEDED";

/** A consumer, and the database's time at which it was so, epoch milliseconds. */
export interface ConsumerAt {
  consumer: Consumer;
  nowMs: number;
}

/** A consumer as a key of it was judged. */
export interface Judged extends ConsumerAt {
  /** From when on the key, or the value that was presented, does not validate; null: without end. */
  keyEndsAt: Date | null;
}

/** What is asked of a key, and what is known when it is judged. */
export interface Question {
  /** The API that is called; undefined: no API check. */
  apiId: string | undefined;
  /** Whether the project has that API. */
  isApiKnown: boolean;
  /** Credits, a whole number from 0. */
  cost: number;
  /** Epoch milliseconds of the database. */
  nowMs: number;
}

/** A rate window as it stands. */
export interface RateWindow {
  /** Calls left in it. */
  remaining: number;
  /** When the next begins, epoch milliseconds. */
  resetAt: number;
}

/**
 * The verdict on a key of its consumer, in the order of the codes: the first reason to refuse wins. VALID means that
 * nothing stood against it when key and consumer were read; the charge decides.
 */
export function judge(key: Key, consumer: Consumer, { apiId, isApiKnown, cost, nowMs }: Question): VerdictCode {
  if (consumer.status === "deleted") return "NOT_FOUND";
  if (key.status !== "active") return "KEY_DISABLED";
  if (hasPassed(key.expiresAt, nowMs)) return "KEY_EXPIRED";
  if (consumer.status !== "active") return "CONSUMER_DISABLED";
  if (hasPassed(consumer.expiresAt, nowMs)) return "CONSUMER_EXPIRED";
  if (apiId !== undefined && !(isApiKnown && allowsApi(key, apiId))) return "API_NOT_ALLOWED";
  if (rateWindow(consumer, nowMs)?.remaining === 0) return "RATE_LIMITED";
  if (consumer.credits !== null && !covers(settle(consumer.credits, nowMs), cost, nowMs)) return "USAGE_EXCEEDED";
  return "VALID";
}

/** From when on a key does not validate by the value that it was found by; null: without end. */
export function keyEndsAt({ key: { expiresAt }, valueValidUntil }: FoundKey): Date | null {
  if (expiresAt === null || valueValidUntil === null) return expiresAt ?? valueValidUntil;
  return expiresAt < valueValidUntil ? expiresAt : valueValidUntil;
}

/** Whether a time has come; null never comes. */
export function hasPassed(time: Date | null, nowMs: number): boolean {
  return time !== null && time.getTime() <= nowMs;
}

/**
 * The consumer's rate window at `nowMs`: windows are aligned to the epoch, a changed length begins a new one, and one that
 * has begun is never left for an earlier one (clocks differ after a failover). undefined without a rate limit.
 */
export function rateWindow({ rateLimit, rateWindow }: Consumer, nowMs: number): RateWindow | undefined {
  if (rateLimit === null) return undefined;
  const windowMs = rateLimit.windowSeconds * 1_000;
  const aligned = nowMs - (nowMs % windowMs);
  const stored = rateWindow?.windowSeconds === rateLimit.windowSeconds ? rateWindow : undefined;
  const start = Math.max(aligned, stored?.start ?? 0);
  const count = stored?.start === start ? stored.count : 0;
  return { remaining: Math.max(rateLimit.limit - count, 0), resetAt: start + windowMs };
}

/** Whole seconds, at least 1, until a refused call may pass; undefined when no time is known. */
export function retryAfterSeconds(code: VerdictCode, consumer: Consumer, nowMs: number): number | undefined {
  if (code !== "RATE_LIMITED" && code !== "USAGE_EXCEEDED") return undefined;
  const at = code === "RATE_LIMITED" ? rateWindow(consumer, nowMs)?.resetAt : nextRefill(consumer, nowMs);
  return at === undefined ? undefined : Math.max(1, Math.ceil((at - nowMs) / 1_000));
}

/** When credits come back, if they do: a refill does not revive credits that have expired by then. */
function nextRefill({ credits }: Consumer, nowMs: number): number | undefined {
  const pool = credits && settle(credits, nowMs);
  const at = pool?.refill?.nextRefillAt;
  if (at === undefined || (pool?.expiresAt ?? Number.POSITIVE_INFINITY) <= at) return undefined;
  return at;
}
