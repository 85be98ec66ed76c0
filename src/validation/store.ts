import type { ClientSession, Db, Document, MongoClient } from "mongodb";
import { CHARGE_SLOT_MS, type Consumer } from "../consumer/consumer.ts";
import { databaseNow, poolCovers, settledCredits } from "../credits/pool-expression.ts";
import { isDuplicateKey } from "../mongo/classify-error.ts";
import { runTransaction } from "../mongo/run-transaction.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import { REMEMBERED_MS, type RememberedVerdict } from "./idempotency.ts";
import type { ConsumerAt, Judged } from "./verdict.ts";

export const verdictIndexes: CollectionIndexes = {
  collection: "verdicts",
  // Only clears up: how long a verdict counts is decided when it is read.
  indexes: [{ name: "expiry", key: { at: 1 }, expireAfterSeconds: REMEMBERED_MS / 1_000 }],
};

export interface ValidationStoreOptions {
  client: MongoClient;
  db: Db;
  clockOffsetMs: number;
  /** A consumer of the project; undefined when there is none. */
  find: (projectId: string, consumerId: string) => Promise<ConsumerAt | undefined>;
}

export interface ValidationStore {
  find: ValidationStoreOptions["find"];
  /**
   * Charges the cost and a rate token, both or nothing, if at that moment the consumer is the one that was judged (its
   * revision), is active, its window has room, its pool covers the cost, and the key has not ended.
   *
   * @returns the consumer after the charge; undefined when a condition did not hold
   */
  charge(judged: Judged, cost: number): Promise<ConsumerAt | undefined>;
  /** The verdict that was given under an id; undefined when there is none. */
  findVerdict(id: string): Promise<RememberedVerdict | undefined>;
  /**
   * Charges the consumer that was judged, unless it is free, and remembers the verdict, both or neither.
   *
   * @returns the consumer after the charge; undefined when a condition did not hold, or another call was first
   */
  remember(
    verdict: Omit<RememberedVerdict, "pool" | "at">,
    judged: Judged,
    isFree: boolean,
  ): Promise<ConsumerAt | undefined>;
}

export function createValidationStore(options: ValidationStoreOptions): ValidationStore {
  const { client, db, clockOffsetMs, find } = options;
  const consumers = db.collection<Consumer>("consumers");
  const verdicts = db.collection<RememberedVerdict>("verdicts");
  const now = databaseNow(clockOffsetMs);
  async function charge(
    { consumer: judged, keyEndsAt }: Judged,
    cost: number,
    session?: ClientSession,
  ): Promise<ConsumerAt | undefined> {
    const { _id, projectId, revision, credits, rateLimit } = judged;
    // One update of one document: it is charged once, or not at all, and two calls at once never share the last credit.
    // The filter repeats all that judge() found, by the database's clock; it is served by _id.
    const charged = await consumers.findOneAndUpdate(
      { _id, projectId, revision, status: "active", $expr: mayCharge(now, cost, judged, keyEndsAt) },
      [
        { $set: { chargedAt: now, ...(credits && { chargeSlot: CHARGE_SLOT }) } },
        {
          $set: {
            ...(credits && { credits: spend(cost) }),
            ...(rateLimit && { rateWindow: countedWindow("$chargedAt", rateLimit) }),
          },
        },
      ],
      { returnDocument: "after", ...(session && { session }) },
    );
    return charged?.chargedAt ? { consumer: charged, nowMs: charged.chargedAt } : undefined;
  }

  return {
    find,
    charge: (judged, cost) => charge(judged, cost),
    async findVerdict(id) {
      // Only what a majority has: a verdict that a failover takes back was never given. Served by _id.
      return (await verdicts.findOne({ _id: id }, { readConcern: "majority" })) ?? undefined;
    },
    async remember({ _id, ...call }, judged, isFree) {
      const transaction = async (session: ClientSession) => {
        const subject = isFree ? judged : await charge(judged, call.cost, session);
        if (subject === undefined) return undefined;
        const at = new Date(subject.nowMs);
        const { credits, rateLimit, rateWindow } = subject.consumer;
        const remembered = { ...call, at, pool: { credits, rateLimit, rateWindow } };
        // Takes the place of a verdict that no longer counts; one that does makes the insert fail, and with it the
        // charge. Served by _id.
        const forgotten = { _id, at: { $lte: new Date(subject.nowMs - REMEMBERED_MS) } };
        await verdicts.replaceOne(forgotten, remembered, { upsert: true, session });
        return subject;
      };
      try {
        return await runTransaction(client, transaction);
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },
  };
}

/** Of the clock that no setting shifts, so that all nodes speak of the same slots. */
const CHARGE_SLOT: Document = { $floor: { $divide: [databaseNow(0), CHARGE_SLOT_MS] } };

function mayCharge(now: Document, cost: number, { credits, rateLimit }: Consumer, keyEndsAt: Date | null): Document {
  const isCurrent = { $or: [{ $eq: ["$expiresAt", null] }, { $gt: [{ $toDouble: "$expiresAt" }, "$$now"] }] };
  const isCovered = { $let: { vars: { pool: settledCredits("$$now") }, in: poolCovers("$$pool", cost, "$$now") } };
  const isInTime = keyEndsAt && { $lt: ["$$now", keyEndsAt.getTime()] };
  const hasRoom = rateLimit && { $lt: [windowCount("$$now", rateLimit), rateLimit.limit] };
  const conditions = [isCurrent, isInTime, credits && isCovered, hasRoom];
  return { $let: { vars: { now }, in: { $and: conditions.filter((condition) => condition !== null) } } };
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
