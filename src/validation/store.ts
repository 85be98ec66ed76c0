import type { Collection, Db, Document } from "mongodb";
import type { Consumer } from "../consumer/consumer.ts";
import { databaseNow, poolCovers, settledCredits } from "../credits/pool-expression.ts";

/** A consumer, and the database's time at which it was so, epoch milliseconds. */
export interface ConsumerAt {
  consumer: Consumer;
  nowMs: number;
}

export interface ValidationStore {
  /** A consumer of the project; undefined when there is none. */
  find(projectId: string, consumerId: string): Promise<ConsumerAt | undefined>;
  /**
   * Charges the cost and a rate token, both or nothing, if at that moment the consumer is the one that was judged (its
   * revision), is active, its window has room and its pool covers the cost.
   *
   * @returns the consumer after the charge; undefined when a condition did not hold
   */
  charge(judged: Consumer, cost: number): Promise<ConsumerAt | undefined>;
}

export function createValidationStore(db: Db, clockOffsetMs: number, find: ValidationStore["find"]): ValidationStore {
  const consumers: Collection<Consumer> = db.collection<Consumer>("consumers");
  const now = databaseNow(clockOffsetMs);
  return {
    find,
    async charge({ _id, projectId, revision, credits, rateLimit }, cost) {
      // One update of one document: it is charged once, or not at all, and two calls at once never share the last credit.
      // The filter repeats all that judge() found, by the database's clock; it is served by _id.
      const charged = await consumers.findOneAndUpdate(
        { _id, projectId, revision, status: "active", $expr: mayCharge(now, cost, credits !== null, rateLimit) },
        [
          { $set: { chargedAt: now } },
          {
            $set: {
              ...(credits && { credits: spend(cost) }),
              ...(rateLimit && { rateWindow: countedWindow("$chargedAt", rateLimit) }),
            },
          },
        ],
        { returnDocument: "after" },
      );
      return charged?.chargedAt ? { consumer: charged, nowMs: charged.chargedAt } : undefined;
    },
  };
}

function mayCharge(now: Document, cost: number, hasCredits: boolean, rateLimit: Consumer["rateLimit"]): Document {
  const isCurrent = { $or: [{ $eq: ["$expiresAt", null] }, { $gt: [{ $toDouble: "$expiresAt" }, "$$now"] }] };
  const isCovered = { $let: { vars: { pool: settledCredits("$$now") }, in: poolCovers("$$pool", cost, "$$now") } };
  const hasRoom = rateLimit && { $lt: [windowCount("$$now", rateLimit), rateLimit.limit] };
  return {
    $let: {
      vars: { now },
      in: { $and: [isCurrent, ...(hasCredits ? [isCovered] : []), ...(hasRoom ? [hasRoom] : [])] },
    },
  };
}

/** The settled pool, less the cost. */
function spend(cost: number): Document {
  return {
    $let: {
      vars: { pool: settledCredits("$chargedAt") },
      in: { $mergeObjects: ["$$pool", { used: { $add: ["$$pool.used", cost] } }] },
    },
  };
}

type Limit = NonNullable<Consumer["rateLimit"]>;

/** The window at `now` and the calls counted in it: rateWindow() of verdict.ts. */
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
