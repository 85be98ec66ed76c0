import type { Db } from "mongodb";
import { databaseNow } from "../credits/pool-expression.ts";
import type { Change } from "../mongo/change.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import { type Consumer, isGone, RECOVERY_MS } from "./consumer.ts";

export const consumerIndexes: CollectionIndexes = {
  collection: "consumers",
  indexes: [
    // By age, because ids carry the time.
    { name: "project", key: { projectId: 1, _id: 1 } },
    { name: "project_plan", key: { projectId: 1, planId: 1, planRevision: 1 } },
    { name: "project_charge_slot", key: { projectId: 1, chargeSlot: 1 } },
    { name: "deleted", key: { deletedAt: 1 }, partialFilterExpression: { status: "deleted" } },
  ],
};

/** A consumer, and the database's time at which it was so, epoch milliseconds. */
export interface ConsumerFound {
  consumer: Consumer;
  nowMs: number;
}

export interface ConsumerStore {
  insert(change: Change, consumer: Consumer): Promise<void>;
  /** A consumer of the project; undefined when there is none, or none any more. */
  find(projectId: string, consumerId: string): Promise<ConsumerFound | undefined>;
  /** Consumers of the project, in no order. */
  findMany(projectId: string, consumerIds: readonly string[]): Promise<Consumer[]>;
  /**
   * Takes the consumer for this change: charges and other changes wait until it has ended, and whoever has judged the
   * consumer before judges it anew. The first operation of a change, so that it never has to start over because of them.
   *
   * @param keysAdded by how much the number of its keys changes
   * @returns undefined when there is none, or none any more
   */
  lock(change: Change, consumerId: string, keysAdded: number): Promise<Consumer | undefined>;
  /** Writes a consumer that this change has locked. */
  save(change: Change, consumer: Consumer): Promise<void>;
  remove(change: Change, consumerId: string): Promise<void>;
  /** Consumers of any project whose recovery ended before a time, epoch milliseconds. */
  findGone(nowMs: number, count: number): Promise<Pick<Consumer, "_id" | "projectId">[]>;
  /** Holders of a plan that have been given a revision of it before this one. */
  findHolders(projectId: string, planId: string, revision: number, count: number): Promise<string[]>;
}

export function createConsumerStore(db: Db, clockOffsetMs: number): ConsumerStore {
  const consumers = db.collection<Consumer>("consumers");
  return {
    async insert({ session }, consumer) {
      await consumers.insertOne(consumer, { session });
    },
    async find(projectId, consumerId) {
      // Served by _id.
      const [found] = await consumers
        .aggregate<Consumer & { now: number }>([
          { $match: { _id: consumerId, projectId } },
          { $set: { now: databaseNow(clockOffsetMs) } },
        ])
        .toArray();
      if (found === undefined) return undefined;
      const { now, ...consumer } = found;
      return isGone(consumer, now) ? undefined : { consumer, nowMs: now };
    },
    findMany(projectId, consumerIds) {
      // Served by _id.
      return consumers.find({ _id: { $in: [...consumerIds] }, projectId }).toArray();
    },
    async lock({ actor: { projectId }, session, nowMs }, consumerId, keysAdded) {
      // The revision makes every guard of a charge that was judged before fail. Served by _id.
      const consumer = await consumers.findOneAndUpdate(
        { _id: consumerId, projectId },
        { $inc: { revision: 1, keyCount: keysAdded } },
        { session, returnDocument: "after" },
      );
      return consumer === null || isGone(consumer, nowMs) ? undefined : consumer;
    },
    async save({ session }, consumer) {
      // As a whole: since lock(), nobody else has written it. Served by _id.
      await consumers.replaceOne({ _id: consumer._id, projectId: consumer.projectId }, consumer, { session });
    },
    async remove({ actor: { projectId }, session }, consumerId) {
      // Served by _id.
      await consumers.deleteOne({ _id: consumerId, projectId }, { session });
    },
    findGone(nowMs, count) {
      // Served by the index deleted.
      return consumers
        .find({ status: "deleted", deletedAt: { $lte: new Date(nowMs - RECOVERY_MS) } })
        .project<Pick<Consumer, "_id" | "projectId">>({ projectId: 1 })
        .limit(count)
        .toArray();
    },
    async findHolders(projectId, planId, revision, count) {
      // Served by the index project_plan.
      const found = await consumers
        .find({ projectId, planId, planRevision: { $lt: revision } })
        .project<Pick<Consumer, "_id">>({ _id: 1 })
        .limit(count)
        .toArray();
      return found.map(({ _id }) => _id);
    },
  };
}
