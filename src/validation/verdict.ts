import type { Consumer } from "../consumer/consumer.ts";
import { covers, settle } from "../credits/pool.ts";
import { allowsApi, type Key } from "../key/key.ts";

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

/** Whether a time has come; null never comes. */
export function hasPassed(time: Date | null, nowMs: number): boolean {
  return time !== null && time.getTime() <= nowMs;
}

/** The rate window of a consumer at `nowMs`; undefined without a rate limit. */
export function rateWindow(consumer: Consumer, nowMs: number): RateWindow | undefined {
  const window = runningWindow(consumer, nowMs);
  if (window === null || consumer.rateLimit === null) return undefined;
  const { start, count, windowSeconds } = window;
  return { remaining: Math.max(consumer.rateLimit.limit - count, 0), resetAt: start + windowSeconds * 1_000 };
}

/**
 * The window that runs at `nowMs` and the calls counted in it: windows are aligned to the epoch, a changed length begins a
 * new one, and one that has begun is never left for an earlier one (clocks differ after a failover). null without a limit.
 */
function runningWindow({ rateLimit, rateWindow }: Consumer, nowMs: number): Consumer["rateWindow"] {
  if (rateLimit === null) return null;
  const { windowSeconds } = rateLimit;
  const aligned = nowMs - (nowMs % (windowSeconds * 1_000));
  const stored = rateWindow?.windowSeconds === windowSeconds ? rateWindow : undefined;
  if (stored !== undefined && stored.start >= aligned) return stored;
  return { windowSeconds, start: aligned, count: 0 };
}

/** The consumer after a call that judge() found VALID at `nowMs`: its pool less the cost, a call more in its window. */
export function charge(consumer: Consumer, cost: number, nowMs: number): Consumer {
  const window = runningWindow(consumer, nowMs);
  const pool = consumer.credits && settle(consumer.credits, nowMs);
  return {
    ...consumer,
    credits: pool && { ...pool, used: pool.used + cost },
    rateWindow: window ? { ...window, count: window.count + 1 } : consumer.rateWindow,
  };
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
