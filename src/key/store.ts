import type { Db } from "mongodb";
import type { Change } from "../mongo/change.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import { ANY_API, type Key } from "./key.ts";

export const keyIndexes: CollectionIndexes = {
  collection: "keys",
  indexes: [
    { name: "hash", key: { hash: 1 }, unique: true },
    { name: "project_consumer", key: { projectId: 1, consumerId: 1, _id: 1 } },
    { name: "project_apis", key: { projectId: 1, allowedApis: 1 } },
  ],
};

export interface KeyStore {
  insert(change: Change, key: Key): Promise<void>;
  /** The key with this HMAC, in whichever project; undefined when there is none. */
  findByHash(hash: Buffer): Promise<Key | undefined>;
  /** The keys of a consumer, oldest first. */
  findOfConsumer(projectId: string, consumerId: string): Promise<Key[]>;
  /** Removes the keys of a consumer for good. */
  removeOfConsumer(change: Change, consumerId: string): Promise<void>;
  /** How many keys of the project may call an API, those that may call every API included. */
  countAllowing(projectId: string, apiId: string): Promise<number>;
}

export function createKeyStore(db: Db): KeyStore {
  const keys = db.collection<Key>("keys");
  return {
    async insert({ session }, key) {
      await keys.insertOne(key, { session });
    },
    async findByHash(hash) {
      // Served by the index hash.
      return (await keys.findOne({ hash })) ?? undefined;
    },
    findOfConsumer(projectId, consumerId) {
      // Served by the index project_consumer, in order.
      return keys.find({ projectId, consumerId }).sort({ _id: 1 }).toArray();
    },
    async removeOfConsumer({ actor: { projectId }, session }, consumerId) {
      // Served by the index project_consumer.
      await keys.deleteMany({ projectId, consumerId }, { session });
    },
    countAllowing(projectId, apiId) {
      // Served by the index project_apis.
      return keys.countDocuments({ projectId, allowedApis: { $in: [ANY_API, apiId] } });
    },
  };
}
