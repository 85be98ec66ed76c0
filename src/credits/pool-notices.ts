import { isExpired, overageLimit, overageUsed, type Pool, remaining, settle } from "./pool.ts";

/** What of a pool is told to its consumer. */
export type PoolNoticeKind = "refilled" | "threshold_reached" | "exhausted" | "overage_started";

export interface PoolNotice {
  kind: PoolNoticeKind;
  /** The pool that the notice tells of: of a refill, as the refill left it. */
  pool: Pool;
}

/** What a write of a pool has to tell. */
export interface PoolNotices {
  /** In the order in which they happened. */
  notices: PoolNotice[];
  /** Whether the threshold counts as told after the write. */
  isThresholdTold: boolean;
}

/**
 * What the write of a pool has to tell: `after` is to be written where `before` is stored. Of refills that were due and are
 * settled by the write, there is one notice, however many they are. The threshold is told once until the next refill;
 * without a schedule, until the use has fallen below it. A refill alone tells no threshold: with the policy `add` the use
 * stays above it for ever.
 *
 * @param before null: unlimited, of which nothing ever runs out
 * @param isTold whether the threshold counts as told before the write
 */
export function poolNotices(before: Pool | null, after: Pool | null, isTold: boolean, nowMs: number): PoolNotices {
  if (after === null) return { notices: [], isThresholdTold: false };
  const settled = before && settle(before, nowMs);
  // A write that leaves the pool as it is stored settles nothing.
  const isRefilled = settled !== null && settled !== before && after !== before;
  const start = after === before ? after : settled;
  const notices: PoolNotice[] = [];
  if (isRefilled && !isExpired(settled, nowMs)) notices.push({ kind: "refilled", pool: settled });
  const threshold = thresholdAfter(start, after, isTold && !isRefilled);
  if (threshold.isReached) notices.push({ kind: "threshold_reached", pool: after });
  if (remaining(after, nowMs) === 0 && (start === null || remaining(start, nowMs) > 0)) {
    notices.push({ kind: "exhausted", pool: after });
  }
  if (isInOverage(after) && !(start !== null && isInOverage(start))) {
    notices.push({ kind: "overage_started", pool: after });
  }
  return { notices, isThresholdTold: threshold.isTold };
}

/** Whether credits beyond the pool are used that may be. Without overage, a smaller pool leaves use beyond it as well. */
function isInOverage(pool: Pool): boolean {
  return overageLimit(pool) > 0 && overageUsed(pool) > 0;
}

function thresholdAfter(start: Pool | null, after: Pool, isTold: boolean): { isReached: boolean; isTold: boolean } {
  const { shadowLimit, used, refill } = after;
  const isAbove = shadowLimit !== null && used >= shadowLimit;
  if (!isAbove) return { isReached: false, isTold: isTold && refill !== null };
  const isTouched = start === null || used !== start.used || shadowLimit !== start.shadowLimit;
  return { isReached: !isTold && isTouched, isTold: isTold || isTouched };
}
