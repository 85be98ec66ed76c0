import type { Document } from "mongodb";
import { CREDITS_MAX } from "../../src/credits/pool.ts";

/**
 * The rules of src/credits/pool.ts as aggregation expressions over a document whose pool is in `credits`. `now` is an expression in
 * epoch milliseconds. Amounts are made doubles, in which the arithmetic is exact below 2^53 and the same as JavaScript's.
 */
const amount = (path: string): Document => ({ $toDouble: path });
const LIMIT = amount("$credits.limit");
const USED = amount("$credits.used");
const REFILL_CREDIT = amount("$credits.refill.refillCredit");
const CARRYOVER_MAX = amount("$credits.refill.carryover.max");
const CARRIES_OVER: Document = { $eq: ["$credits.refill.carryover.enabled", true] };
const OVERAGE_LIMIT: Document = {
  $cond: [{ $eq: ["$credits.overage.enabled", true] }, amount("$credits.overage.limit"), 0],
};

/** `credits` with every refill that is due: settle() of pool.ts. */
export function settledCredits(now: Document | string): Document {
  const isDue = {
    $and: [{ $eq: [{ $type: "$credits.refill" }, "object"] }, { $gte: [now, "$credits.refill.nextRefillAt"] }],
  };
  return {
    $cond: [
      isDue,
      {
        $let: {
          vars: {
            intervals: {
              $add: [
                {
                  $floor: {
                    $divide: [{ $subtract: [now, "$credits.refill.nextRefillAt"] }, "$credits.refill.everyMs"],
                  },
                },
                1,
              ],
            },
          },
          in: { $mergeObjects: ["$credits", refilled("$$intervals")] },
        },
      },
      "$credits",
    ],
  };
}

function refilled(intervals: string): Document {
  const left = { $subtract: [LIMIT, USED] };
  const grantedBefore = { $multiply: [{ $subtract: [intervals, 1] }, REFILL_CREDIT] };
  const limitMax = { $subtract: [CREDITS_MAX, OVERAGE_LIMIT] };
  const isReset = { $eq: ["$credits.refill.refillPolicy", "reset"] };
  const rolled = {
    $cond: [CARRIES_OVER, { $min: [{ $add: [{ $max: [left, 0] }, grantedBefore] }, CARRYOVER_MAX] }, 0],
  };
  const leftAndGranted = { $add: [left, grantedBefore] };
  const kept = { $cond: [CARRIES_OVER, { $min: [leftAndGranted, CARRYOVER_MAX] }, leftAndGranted] };
  return {
    limit: {
      $min: [{ $cond: [isReset, { $add: [rolled, REFILL_CREDIT] }, { $add: [USED, kept, REFILL_CREDIT] }] }, limitMax],
    },
    used: { $cond: [isReset, 0, USED] },
    refill: {
      $mergeObjects: [
        "$credits.refill",
        {
          nextRefillAt: {
            $add: ["$credits.refill.nextRefillAt", { $multiply: [intervals, "$credits.refill.everyMs"] }],
          },
        },
      ],
    },
  };
}

/** Whether the settled pool in the variable covers a cost: covers() of pool.ts. */
export function poolCovers(pool: string, cost: number, now: Document | string): Document {
  const overage = { $cond: [{ $eq: [`${pool}.overage.enabled`, true] }, `${pool}.overage.limit`, 0] };
  const isExpired = {
    $and: [{ $isNumber: `${pool}.expiresAt` }, { $lte: [`${pool}.expiresAt`, now] }],
  };
  // used + cost could leave the exact range; limit + overage - used cannot.
  const isCovered = { $gte: [{ $subtract: [{ $add: [`${pool}.limit`, overage] }, `${pool}.used`] }, cost] };
  return { $and: [{ $not: isExpired }, cost === 0 ? true : isCovered] };
}
