import type { Db } from "mongodb";
import { databaseNow } from "../credits/pool-expression.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import type { Consumer } from "./consumer.ts";

export const consumerIndexes: CollectionIndexes = {
  collection: "consumers",
  indexes: [{ name: "project_created", key: { projectId: 1, createdAt: -1, _id: -1 } }],
};

export interface ConsumerStore {
  insert(consumer: Consumer): Promise<void>;
  /** A consumer of the project with the database's time, epoch milliseconds; undefined when there is none. */
  find(projectId: string, consumerId: string): Promise<{ consumer: Consumer; nowMs: number } | undefined>;
}

export function createConsumerStore(db: Db, clockOffsetMs: number): ConsumerStore {
  const consumers = db.collection<Consumer>("consumers");
  return {
    async insert(consumer) {
      await consumers.insertOne(consumer);
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
      return { consumer, nowMs: now };
    },
  };
}
