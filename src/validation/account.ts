import type { Consumer } from "../consumer/consumer.ts";
import type { Key } from "../key/key.ts";
import type { TimeBounds } from "../mongo/database-clock.ts";

/** A consumer as this node knows it, shared by all calls with its keys. */
export interface Account {
  consumer: Consumer;
  /** Whether it is stored exactly so, as far as this node knows; its stamp proves it when it is charged. */
  isKnown: boolean;
  /** Until then others are expected to charge it too, so that it is read before it is charged; on `performance.now()`. */
  sharedUntilMs: number;
  /** Batches that have charged it, and of which it is not known whether a majority has them. */
  unproven: number;
  /** When it was certainly so, on `performance.now()`. */
  asOfMs: number;
}

/** A key that was found by one of its values, and its consumer, both as of one moment. */
export interface KnownKey {
  key: Key;
  /** From when on the key, or the value that was presented, does not validate, epoch milliseconds; Infinity: without end. */
  endsAtMs: number;
  /** The same of the value alone: what was rotated away is not found any more, whatever the key is. */
  valueEndsAtMs: number;
  account: Account;
  /** Of the consumer when the key was read: as long as it is the same, so is the key. */
  revision: number;
  /** The value as it is shown. */
  maskedValue: string;
}

/**
 * When the database's clock changes what is known of a key and its consumer: the ends of the key, the consumer and its
 * credits, the next refill, the end of the rate window.
 */
export function turningPoints({ endsAtMs, valueEndsAtMs, account: { consumer } }: KnownKey): number[] {
  const { credits, rateLimit, rateWindow, expiresAt } = consumer;
  const points = [endsAtMs, valueEndsAtMs];
  if (expiresAt !== null) points.push(expiresAt.getTime());
  if (credits !== null && credits.expiresAt !== null) points.push(credits.expiresAt);
  if (credits !== null && credits.refill !== null) points.push(credits.refill.nextRefillAt);
  if (rateLimit !== null && rateWindow !== null) points.push(rateWindow.start + rateWindow.windowSeconds * 1_000);
  return points;
}

/** Whether the clock may be on either side of a turning point: only the database can tell. */
export function isTurning(points: readonly number[], { earliestMs, latestMs }: TimeBounds): boolean {
  return points.some((point) => earliestMs < point && point <= latestMs);
}

/** The first turning point that is still to come; Infinity: none. */
export function nextTurningPoint(points: readonly number[], { latestMs }: TimeBounds): number {
  return Math.min(Number.POSITIVE_INFINITY, ...points.filter((point) => point > latestMs));
}

/** Whether its pool or window takes part in verdicts; if not, a VALID verdict changes nothing. */
export function isCharged({ credits, rateLimit }: Consumer): boolean {
  return credits !== null || rateLimit !== null;
}

/** Whether a charge is no more than an addition: no refill is due, and the rate window has begun and runs. */
export function isPlainlyCharged({ credits, rateLimit, rateWindow }: Consumer, { latestMs }: TimeBounds): boolean {
  if (credits !== null && credits.refill !== null && credits.refill.nextRefillAt <= latestMs) return false;
  if (rateLimit === null) return true;
  if (rateWindow === null || rateWindow.windowSeconds !== rateLimit.windowSeconds) return false;
  return latestMs < rateWindow.start + rateWindow.windowSeconds * 1_000;
}

/** Whether somebody else has charged it lately, and is expected to do so again. */
export function isShared({ sharedUntilMs }: Account): boolean {
  return sharedUntilMs > performance.now();
}
