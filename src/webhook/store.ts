import type { Db, Filter } from "mongodb";
import type { Change } from "../mongo/change.ts";
import { isDuplicateKey } from "../mongo/classify-error.ts";
import type { CollectionIndexes, ExpiringCollection } from "../mongo/schema.ts";
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
  hostOf,
  newDelivery,
  type Progress,
} from "./delivery.ts";
import { EVENT_TYPES, type EventType, type TellEvents } from "./event.ts";
import { type SigningSecrets, secretsId } from "./secret.ts";

export const webhookIndexes: CollectionIndexes[] = [
  {
    collection: "webhook_deliveries",
    indexes: [
      { name: "project", key: { projectId: 1, _id: -1 } },
      { name: "project_consumer", key: { projectId: 1, consumerId: 1, _id: -1 } },
      { name: "project_status", key: { projectId: 1, status: 1, _id: -1 } },
      { name: "project_type", key: { projectId: 1, type: 1, status: 1, _id: -1 } },
      { name: "project_consumer_type", key: { projectId: 1, consumerId: 1, type: 1, status: 1, _id: -1 } },
      // What waits alone; host and project tell whose turn it is without looking at the document.
      {
        name: "due",
        key: { dueAt: 1, host: 1, projectId: 1 },
        partialFilterExpression: { status: "pending" },
      },
    ],
  },
  { collection: "webhook_secrets", indexes: [] },
];

/** What is finished is kept as long as the events of the analytics. */
export const deliveryExpiry: ExpiringCollection = {
  collection: "webhook_deliveries",
  field: "finishedAt",
  spanSeconds: 0,
};

/** What may be claimed, as far as it was looked at. */
export type DueDelivery = Pick<Delivery, "_id" | "host" | "projectId" | "dueAt">;

/** Which page. */
export interface DeliveryQuery {
  projectId: string;
  /** undefined: of all of them, and so on. */
  consumerId: string | undefined;
  type: EventType | undefined;
  status: DeliveryStatus | undefined;
  /** Events before this one; undefined: from the newest on. */
  beforeId: string | undefined;
  count: number;
}

export interface WebhookStore {
  tell: TellEvents;
  /** What is due, the longest first, without that of some hosts and projects. */
  findDue(nowMs: number, count: number, without: { hosts: string[]; projectIds: string[] }): Promise<DueDelivery[]>;
  /**
   * Takes a delivery, for so long by the database's clock.
   *
   * @returns undefined when somebody else has it, or it is not due any more
   */
  claim(due: DueDelivery, claimId: string, lockMs: number): Promise<Delivery | undefined>;
  /** Writes how far a delivery is, and gives it back; nothing when somebody else has taken it meanwhile. */
  release(delivery: Pick<Delivery, "_id">, claimId: string, url: string, progress: Progress): Promise<void>;
  /** A delivery of the project within a change; undefined when there is none. */
  findWithin(change: Change, eventId: string): Promise<Delivery | undefined>;
  save(change: Change, delivery: Delivery): Promise<void>;
  /** Newest first. */
  list(query: DeliveryQuery): Promise<Delivery[]>;
  findSecrets(projectId: string, change?: Change): Promise<SigningSecrets | undefined>;
  /** @returns false when the project has some already */
  insertSecrets(secrets: SigningSecrets): Promise<boolean>;
  saveSecrets(change: Change, secrets: SigningSecrets): Promise<void>;
}

export function createWebhookStore(db: Db, clockOffsetMs: number): WebhookStore {
  const deliveries = db.collection<Delivery>("webhook_deliveries");
  const secrets = db.collection<SigningSecrets>("webhook_secrets");
  const within = (change: Change | undefined) => (change === undefined ? {} : { session: change.session });
  return {
    async tell(events, session) {
      if (events.length > 0) await deliveries.insertMany(events.map(newDelivery), { session });
    },
    findDue(nowMs, count, { hosts, projectIds }) {
      // Served by the index due, in order; what is left out is passed over in the index.
      return deliveries
        .find({
          status: "pending",
          dueAt: { $lte: new Date(nowMs) },
          ...(hosts.length > 0 && { host: { $nin: hosts } }),
          ...(projectIds.length > 0 && { projectId: { $nin: projectIds } }),
        })
        .hint("due")
        .sort({ dueAt: 1 })
        .limit(count)
        .project<DueDelivery>({ host: 1, projectId: 1, dueAt: 1 })
        .toArray();
    },
    async claim({ _id, dueAt }, claimId, lockMs) {
      // Of several that claim it at once, one finds it as it was seen. Served by _id.
      const claimed = await deliveries.findOneAndUpdate(
        { _id, status: "pending", dueAt },
        [{ $set: { dueAt: { $add: ["$$NOW", clockOffsetMs + lockMs] }, claimId: { $literal: claimId } } }],
        { returnDocument: "after" },
      );
      return claimed ?? undefined;
    },
    async release({ _id }, claimId, url, progress) {
      // Only by who has it: who was too late, or was overtaken by a replay, changes nothing. Served by _id.
      await deliveries.updateOne({ _id, claimId }, { $set: { url, host: hostOf(url), ...progress } });
    },
    async findWithin({ actor: { projectId }, session }, eventId) {
      // Served by _id.
      return (await deliveries.findOne({ _id: eventId, projectId }, { session })) ?? undefined;
    },
    async save({ session }, delivery) {
      // As a whole: whoever releases or claims it meanwhile makes one of the two fail. Served by _id.
      const { _id, projectId } = delivery;
      await deliveries.replaceOne({ _id, projectId }, delivery, { session });
    },
    list(query) {
      const { projectId, beforeId, count } = query;
      const { index, filter } = listBy(query);
      const page = { projectId, ...filter, ...(beforeId !== undefined && { _id: { $lt: beforeId } }) };
      return deliveries.find(page).hint(index).sort({ _id: -1 }).limit(count).toArray();
    },
    async findSecrets(projectId, change) {
      // Served by _id.
      return (await secrets.findOne({ _id: secretsId(projectId) }, within(change))) ?? undefined;
    },
    async insertSecrets(made) {
      try {
        await secrets.insertOne(made);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async saveSecrets({ session }, changed) {
      // As a whole: changes of one project's secrets take turns, by the project. Served by _id.
      await secrets.replaceOne({ _id: changed._id }, changed, { session, upsert: true });
    },
  };
}

/**
 * The index that has all filters of a list, so that nothing is read that is not listed. Of what an index has and the list
 * leaves open, every value is named: the database reads a range for each of them, in order, and merges them.
 */
function listBy({ consumerId, type, status }: DeliveryQuery): { index: string; filter: Filter<Delivery> } {
  const anyOf = { type: type ?? { $in: [...EVENT_TYPES] }, status: status ?? { $in: [...DELIVERY_STATUSES] } };
  if (consumerId !== undefined) {
    if (type === undefined && status === undefined) return { index: "project_consumer", filter: { consumerId } };
    return { index: "project_consumer_type", filter: { consumerId, ...anyOf } };
  }
  if (type !== undefined) return { index: "project_type", filter: anyOf };
  return status === undefined ? { index: "project", filter: {} } : { index: "project_status", filter: { status } };
}
