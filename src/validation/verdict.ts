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

/** What of a consumer a validation charges, and what bounds it. */
export type Meter = Pick<Consumer, "credits" | "rateLimit" | "rateWindow">;

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
 *
 * @param meter what calls before this one have left, where it is not what is stored
 */
export function judge(
  key: Key,
  consumer: Consumer,
  { apiId, isApiKnown, cost, nowMs }: Question,
  meter: Meter = consumer,
): VerdictCode {
  if (consumer.status === "deleted") return "NOT_FOUND";
  if (key.status !== "active") return "KEY_DISABLED";
  if (hasPassed(key.expiresAt, nowMs)) return "KEY_EXPIRED";
  if (consumer.status !== "active") return "CONSUMER_DISABLED";
  if (hasPassed(consumer.expiresAt, nowMs)) return "CONSUMER_EXPIRED";
  if (apiId !== undefined && !(isApiKnown && allowsApi(key, apiId))) return "API_NOT_ALLOWED";
  if (rateWindow(meter, nowMs)?.remaining === 0) return "RATE_LIMITED";
  if (meter.credits !== null && !covers(settle(meter.credits, nowMs), cost, nowMs)) return "USAGE_EXCEEDED";
  return "VALID";
}

/** Whether a time has come; null never comes. */
export function hasPassed(time: Date | null, nowMs: number): boolean {
  return time !== null && time.getTime() <= nowMs;
}

/** The rate window at `nowMs`; undefined without a rate limit. */
export function rateWindow(meter: Meter, nowMs: number): RateWindow | undefined {
  const window = runningWindow(meter, nowMs);
  if (window === null || meter.rateLimit === null) return undefined;
  const { start, count, windowSeconds } = window;
  return { remaining: Math.max(meter.rateLimit.limit - count, 0), resetAt: start + windowSeconds * 1_000 };
}

/**
 * The window that runs at `nowMs` and the calls counted in it: windows are aligned to the epoch, a changed length begins a
 * new one, and one that has begun is never left for an earlier one (clocks differ after a failover). null without a limit.
 */
function runningWindow({ rateLimit, rateWindow }: Meter, nowMs: number): Consumer["rateWindow"] {
  if (rateLimit === null) return null;
  const { windowSeconds } = rateLimit;
  const aligned = nowMs - (nowMs % (windowSeconds * 1_000));
  const stored = rateWindow?.windowSeconds === windowSeconds ? rateWindow : undefined;
  if (stored !== undefined && stored.start >= aligned) return stored;
  return { windowSeconds, start: aligned, count: 0 };
}

/** The meter after a call that judge() found VALID at `nowMs`: the pool less the cost, a call more in the window. */
export function charge(meter: Meter, cost: number, nowMs: number): Meter {
  const window = runningWindow(meter, nowMs);
  const pool = meter.credits && settle(meter.credits, nowMs);
  return {
    credits: pool && { ...pool, used: pool.used + cost },
    rateLimit: meter.rateLimit,
    rateWindow: window ? { ...window, count: window.count + 1 } : meter.rateWindow,
  };
}

/** Whole seconds, at least 1, until a refused call may pass; undefined when no time is known. */
export function retryAfterSeconds(code: VerdictCode, meter: Meter, nowMs: number): number | undefined {
  if (code !== "RATE_LIMITED" && code !== "USAGE_EXCEEDED") return undefined;
  const at = code === "RATE_LIMITED" ? rateWindow(meter, nowMs)?.resetAt : nextRefill(meter, nowMs);
  return at === undefined ? undefined : Math.max(1, Math.ceil((at - nowMs) / 1_000));
}

/** When credits come back, if they do: a refill does not revive credits that have expired by then. */
function nextRefill({ credits }: Meter, nowMs: number): number | undefined {
  const pool = credits && settle(credits, nowMs);
  const at = pool?.refill?.nextRefillAt;
  if (at === undefined || (pool?.expiresAt ?? Number.POSITIVE_INFINITY) <= at) return undefined;
  return at;
}
