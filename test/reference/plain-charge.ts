import type { Db, Document } from "mongodb";
import { CHARGE_SLOT_MS, type Consumer } from "../../src/consumer/consumer.ts";
import { databaseNow } from "../../src/mongo/database-time.ts";
import { poolCovers, settledCredits } from "./pool-expression.ts";

/**
 * The plain way to charge, which the settlement is compared with: one update of one document, whose guard and new values are
 * aggregation expressions under the database's own clock. It was the service's only way once, and shares no line with the
 * settlement.
 *
 * @returns the consumer after the charge; undefined when its window or its pool does not allow it
 */
export async function plainCharge(
  db: Db,
  { _id, projectId, revision, credits, rateLimit, expiresAt }: Consumer,
  cost: number,
  now: Document = databaseNow(0),
): Promise<Consumer | undefined> {
  const isCovered = { $let: { vars: { pool: settledCredits("$$now") }, in: poolCovers("$$pool", cost, "$$now") } };
  const hasRoom = rateLimit && { $lt: [windowCount("$$now", rateLimit), rateLimit.limit] };
  const isCurrent = expiresAt && { $lt: ["$$now", expiresAt.getTime()] };
  const conditions = [isCurrent, credits && isCovered, hasRoom].filter((condition) => condition !== null);
  const charged = await db.collection<Consumer>("consumers").findOneAndUpdate(
    { _id, projectId, revision, status: "active", $expr: { $let: { vars: { now }, in: { $and: conditions } } } },
    [
      { $set: { now, ...(credits && { chargeSlot: CHARGE_SLOT }) } },
      {
        $set: {
          stamp: { $add: ["$stamp", 1] },
          ...(credits && { credits: spend(cost) }),
          ...(rateLimit && { rateWindow: countedWindow("$now", rateLimit) }),
        },
      },
      { $unset: "now" },
    ],
    { returnDocument: "after" },
  );
  return charged ?? undefined;
}

const CHARGE_SLOT: Document = { $floor: { $divide: [databaseNow(0), CHARGE_SLOT_MS] } };

/** The settled pool, less the cost. */
function spend(cost: number): Document {
  return {
    $let: {
      vars: { pool: settledCredits("$now") },
      in: { $mergeObjects: ["$$pool", { used: { $add: ["$$pool.used", cost] } }] },
    },
  };
}

type Limit = NonNullable<Consumer["rateLimit"]>;

function windowStart(now: string, { windowSeconds }: Limit): Document {
  const aligned = { $subtract: [now, { $mod: [now, windowSeconds * 1_000] }] };
  return { $cond: [isSameLength(windowSeconds), { $max: ["$rateWindow.start", aligned] }, aligned] };
}

function isSameLength(windowSeconds: number): Document {
  return { $eq: ["$rateWindow.windowSeconds", windowSeconds] };
}

function windowCount(now: string, limit: Limit): Document {
  const isSame = {
    $and: [isSameLength(limit.windowSeconds), { $eq: ["$rateWindow.start", windowStart(now, limit)] }],
  };
  return { $cond: [isSame, "$rateWindow.count", 0] };
}

function countedWindow(now: string, limit: Limit): Document {
  return {
    windowSeconds: limit.windowSeconds,
    start: windowStart(now, limit),
    count: { $add: [windowCount(now, limit), 1] },
  };
}
