import type { Db } from "mongodb";
import type { Change } from "../mongo/change.ts";
import { databaseNow } from "../mongo/database-time.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import type { Plan } from "../plan/plan.ts";
import { type Consumer, drawStampStep, isGone, type ListedConsumer, RECOVERY_MS } from "./consumer.ts";

export const consumerIndexes: CollectionIndexes = {
  collection: "consumers",
  indexes: [
    // By age, because ids carry the time.
    { name: "project", key: { projectId: 1, _id: 1 } },
    { name: "project_plan", key: { projectId: 1, planId: 1, planRevision: 1 } },
    { name: "project_charge_slot", key: { projectId: 1, chargeSlot: 1 } },
    { name: "project_deleted", key: { projectId: 1, deletedAt: 1 }, partialFilterExpression: { status: "deleted" } },
    { name: "deleted", key: { deletedAt: 1 }, partialFilterExpression: { status: "deleted" } },
    // Of those alone that are told of refills.
    {
      name: "told_refill",
      key: { "credits.refill.nextRefillAt": 1 },
      partialFilterExpression: { webhookUrl: { $type: "string" } },
    },
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
  /** Consumers of the project as lists show them, in no order. */
  findMany(projectId: string, consumerIds: readonly string[]): Promise<ListedConsumer[]>;
  /** The names of those of these consumers that the project has, by their ids; empty: one without a name. */
  findNames(projectId: string, consumerIds: readonly string[]): Promise<Map<string, string>>;
  /**
   * The webhook address of a consumer, within a change or as it is now; null: it has none; undefined: there is no such
   * consumer. Those that are deleted keep theirs until they are removed.
   */
  findAddress(projectId: string, consumerId: string, change?: Change): Promise<string | null | undefined>;
  /** How many consumers there are in all projects, more or less. */
  estimatedCount(): Promise<number>;
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
  /** Consumers of the project whose recovery ended before a time, epoch milliseconds. */
  findGoneOf(projectId: string, nowMs: number): Promise<string[]>;
  /** Consumers of any project whose recovery ended before a time, epoch milliseconds. */
  findGone(nowMs: number, count: number): Promise<Pick<Consumer, "_id" | "projectId">[]>;
  /** Removes a consumer whose recovery has ended. @returns the consumer; undefined when there is no such one any more */
  removeGone(change: Change, consumerId: string): Promise<Consumer | undefined>;
  /** Holders of a plan that have been given a revision of it before this one. */
  findHolders(projectId: string, planId: string, revision: number, count: number): Promise<string[]>;
  /** As lock(), in bulk: takes those of these holders that have been given a revision of the plan before this one. */
  lockHolders(change: Change, plan: Pick<Plan, "_id" | "revision">, holderIds: readonly string[]): Promise<Consumer[]>;
  /** Consumers with a webhook address of which a refill is due, by their projects: at most so many, the longest due first. */
  findRefillable(nowMs: number, count: number): Promise<Map<string, string[]>>;
  /** Takes those of these consumers of which a refill is due, for their charges alone: nobody needs to judge them anew. */
  lockRefillable(change: Change, consumerIds: readonly string[]): Promise<Consumer[]>;
  /** Writes consumers that this change has locked. */
  saveMany(change: Change, consumers: readonly Consumer[]): Promise<void>;
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
      const shown = { name: 1, imageUrl: 1, planId: 1, createdAt: 1, status: 1, keyCount: 1, credits: 1 };
      // Without tags and metadata, of which 200 consumers can have 60 MB. Served by _id.
      return consumers
        .find({ _id: { $in: [...consumerIds] }, projectId })
        .project<ListedConsumer>(shown)
        .toArray();
    },
    async findNames(projectId, consumerIds) {
      // Served by _id.
      const found = await consumers
        .find({ _id: { $in: [...consumerIds] }, projectId }, { batchSize: consumerIds.length + 1 })
        .project<Pick<Consumer, "_id" | "name">>({ name: 1 })
        .toArray();
      return new Map(found.map(({ _id, name }) => [_id, name ?? ""]));
    },
    async findAddress(projectId, consumerId, change) {
      // Served by _id.
      const options = { projection: { webhookUrl: 1 }, ...(change && { session: change.session }) };
      return (await consumers.findOne({ _id: consumerId, projectId }, options))?.webhookUrl;
    },
    estimatedCount: () => consumers.estimatedDocumentCount(),
    async lock({ actor: { projectId }, session, nowMs, touch }, consumerId, keysAdded) {
      touch(consumerId);
      // The stamp makes the guard of every charge that was judged before fail. Served by _id.
      const consumer = await consumers.findOneAndUpdate(
        { _id: consumerId, projectId },
        { $inc: { revision: 1, stamp: drawStampStep(Math.random()), keyCount: keysAdded } },
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
    async findGoneOf(projectId, nowMs) {
      // They are few: they are cleared up as they come. Served by the index project_deleted, which has no other project's.
      const found = await consumers
        .find(
          { projectId, status: "deleted", deletedAt: { $lte: new Date(nowMs - RECOVERY_MS) } },
          { hint: "project_deleted" },
        )
        .project<Pick<Consumer, "_id">>({ _id: 1 })
        .toArray();
      return found.map(({ _id }) => _id);
    },
    findGone(nowMs, count) {
      // Served by the index deleted.
      return consumers
        .find({ status: "deleted", deletedAt: { $lte: new Date(nowMs - RECOVERY_MS) } })
        .project<Pick<Consumer, "_id" | "projectId">>({ projectId: 1 })
        .limit(count)
        .toArray();
    },
    async removeGone({ actor: { projectId }, session, nowMs, touch }, consumerId) {
      touch(consumerId);
      const deletedAt = { $lte: new Date(nowMs - RECOVERY_MS) };
      // Only if it was not restored since it was found. Served by _id.
      const filter = { _id: consumerId, projectId, status: "deleted", deletedAt } as const;
      return (await consumers.findOneAndDelete(filter, { session })) ?? undefined;
    },
    async findHolders(projectId, planId, revision, count) {
      // Served by the index project_plan, and no other: with one that has not the revision, each batch of a plan that
      // everybody holds would go through all that have it already.
      const found = await consumers
        .find({ projectId, planId, planRevision: { $lt: revision } }, { hint: "project_plan" })
        .project<Pick<Consumer, "_id">>({ _id: 1 })
        .limit(count)
        .batchSize(count)
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async lockHolders({ actor: { projectId }, session, touch }, { _id: planId, revision }, holderIds) {
      const filter = { _id: { $in: [...holderIds] }, projectId, planId, planRevision: { $lt: revision } };
      // Served by _id; with the index project_plan, which the database may prefer, it would go through all holders.
      const hint = { _id: 1 } as const;
      holderIds.forEach(touch);
      const step = drawStampStep(Math.random());
      await consumers.updateMany(filter, { $inc: { revision: 1, stamp: step } }, { session, hint });
      // In the same snapshot the filter finds what was locked, and nothing else.
      return consumers.find(filter, { session, hint, batchSize: holderIds.length }).toArray();
    },
    async findRefillable(nowMs, count) {
      // Served by the index told_refill, in order.
      const found = await consumers
        .find({ webhookUrl: { $type: "string" }, "credits.refill.nextRefillAt": { $lte: nowMs } })
        .hint("told_refill")
        .sort({ "credits.refill.nextRefillAt": 1 })
        .project<Pick<Consumer, "_id" | "projectId">>({ projectId: 1 })
        .limit(count)
        .toArray();
      const byProject = Map.groupBy(found, ({ projectId }) => projectId);
      return new Map([...byProject].map(([projectId, some]) => [projectId, some.map(({ _id }) => _id)]));
    },
    async lockRefillable({ actor: { projectId }, session, nowMs }, consumerIds) {
      const due = { "credits.refill.nextRefillAt": { $lte: nowMs } };
      const filter = { _id: { $in: [...consumerIds] }, projectId, ...due };
      const hint = { _id: 1 } as const;
      // The stamp makes the guard of every charge that was judged before fail. Served by _id.
      await consumers.updateMany(filter, { $inc: { stamp: drawStampStep(Math.random()) } }, { session, hint });
      // In the same snapshot the filter finds what was locked, and nothing else.
      return consumers.find(filter, { session, hint, batchSize: consumerIds.length }).toArray();
    },
    async saveMany({ session }, changed) {
      if (changed.length === 0) return;
      // As save(), in one go. Served by _id.
      const replacements = changed.map((consumer) => {
        const { _id, projectId } = consumer;
        return { replaceOne: { filter: { _id, projectId }, replacement: consumer } };
      });
      await consumers.bulkWrite(replacements, { session, ordered: false });
    },
  };
}
