import type { Binary, Db } from "mongodb";
import type { Page } from "../lib/page.ts";
import type { Change } from "../mongo/change.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import { ANY_API, type Key } from "./key.ts";

export const keyIndexes: CollectionIndexes = {
  collection: "keys",
  indexes: [
    { name: "hash", key: { hash: 1 }, unique: true },
    // Sparse: without the many keys that have no previous values.
    { name: "previous_hash", key: { "previous.hash": 1 }, sparse: true },
    { name: "project", key: { projectId: 1, _id: 1 } },
    { name: "project_consumer", key: { projectId: 1, consumerId: 1, _id: 1 } },
    { name: "project_apis", key: { projectId: 1, allowedApis: 1 } },
    {
      name: "project_any_and_named",
      key: { projectId: 1 },
      partialFilterExpression: { allowedApis: ANY_API, "allowedApis.1": { $exists: true } },
    },
    { name: "project_imports", key: { projectId: 1 }, partialFilterExpression: { isImported: true } },
  ],
};

export interface KeyStore {
  insert(change: Change, keys: readonly Key[]): Promise<void>;
  /** A key of the project; undefined when there is none. */
  find(projectId: string, keyId: string): Promise<Key | undefined>;
  /** The same, read within a change. */
  findWithin(change: Change, keyId: string): Promise<Key | undefined>;
  /** Writes a key whose consumer this change has locked. */
  save(change: Change, key: Key): Promise<void>;
  remove(change: Change, keyId: string): Promise<void>;
  /** Whether the project may have keys that are to be looked up by the SHA-256 of their values. */
  hasImports(projectId: string): Promise<boolean>;
  /** Hashes of all keys that have one of these, and of their previous values that still validate. */
  findHashes(change: Change, hashes: readonly Buffer[]): Promise<(Binary | Buffer)[]>;
  /** Of these consumers, removes the keys that have one of these hashes, or had it. */
  removeByHash(change: Change, consumerIds: readonly string[], hashes: readonly Buffer[]): Promise<void>;
  /** Keys of the project or of one consumer, newest first, and how many there are. */
  list(query: ListedKeys, page: Page): Promise<{ total: number; keys: Key[] }>;
  /** The keys of a consumer, oldest first. */
  findOfConsumer(projectId: string, consumerId: string): Promise<ShownKey[]>;
  /** Removes the keys of a consumer for good. */
  removeOfConsumer(change: Change, consumerId: string): Promise<void>;
  /**
   * For each of these APIs, how many keys of the project may call it, those that may call every API included. Keys of a
   * deleted consumer count until they are gone.
   */
  countAllowingEach(projectId: string, apiIds: readonly string[]): Promise<Map<string, number>>;
}

/** What /consumer/keys shows of a key, and makes its value of. */
export type ShownKey = Pick<Key, "_id" | "ciphertext" | "lastSix" | "status" | "createdAt" | "allowedApis">;

export interface ListedKeys {
  projectId: string;
  /** undefined: of all consumers but `exceptConsumers`. */
  consumerId: string | undefined;
  exceptConsumers: readonly string[];
}

export function createKeyStore(db: Db): KeyStore {
  const keys = db.collection<Key>("keys");
  return {
    async insert({ session }, added) {
      await keys.insertMany(added, { session });
    },
    async find(projectId, keyId) {
      // Served by _id.
      return (await keys.findOne({ _id: keyId, projectId })) ?? undefined;
    },
    async findWithin({ actor: { projectId }, session }, keyId) {
      // Served by _id.
      return (await keys.findOne({ _id: keyId, projectId }, { session })) ?? undefined;
    },
    async save({ session }, key) {
      // As a whole: since its consumer was locked, nobody else has written it. Served by _id.
      await keys.replaceOne({ _id: key._id, projectId: key.projectId }, key, { session });
    },
    async remove({ actor: { projectId }, session }, keyId) {
      // Served by _id.
      await keys.deleteOne({ _id: keyId, projectId }, { session });
    },
    async hasImports(projectId) {
      // Served by the index project_imports. By another one, a project without imports would be read as a whole.
      const options = { projection: { _id: 1 }, hint: "project_imports" };
      return (await keys.findOne({ projectId, isImported: true }, options)) !== null;
    },
    async findHashes({ session, nowMs }, hashes) {
      const validates = { hash: { $in: [...hashes] }, validUntil: { $gt: new Date(nowMs) } };
      // Served by the indexes hash and previous_hash.
      const found = await keys
        .find({ $or: [{ hash: { $in: [...hashes] } }, { previous: { $elemMatch: validates } }] }, { session })
        .project<Pick<Key, "hash" | "previous">>({ hash: 1, previous: 1 })
        .toArray();
      return found.flatMap(({ hash, previous }) => [
        hash,
        ...previous.filter(({ validUntil }) => validUntil.getTime() > nowMs).map((value) => value.hash),
      ]);
    },
    async removeByHash({ actor: { projectId }, session }, consumerIds, hashes) {
      // Served by the indexes hash and previous_hash, or by project_consumer where that is less.
      const has = [{ hash: { $in: [...hashes] } }, { "previous.hash": { $in: [...hashes] } }];
      await keys.deleteMany({ $or: has, projectId, consumerId: { $in: [...consumerIds] } }, { session });
    },
    async list({ projectId, consumerId, exceptConsumers }, { skip, limit }) {
      const filter = {
        projectId,
        ...(exceptConsumers.length > 0 && { consumerId: { $nin: [...exceptConsumers] } }),
        ...(consumerId !== undefined && { consumerId }),
      };
      // The page is read in the order of an index; what is counted is in one, too. Others begin with the project as well.
      const ordered = consumerId === undefined ? "project" : "project_consumer";
      const counted = "consumerId" in filter ? "project_consumer" : "project";
      const [total, found] = await Promise.all([
        keys.countDocuments(filter, { hint: counted }),
        keys.find(filter, { hint: ordered }).sort({ _id: -1 }).skip(skip).limit(limit).toArray(),
      ]);
      return { total, keys: found };
    },
    findOfConsumer(projectId, consumerId) {
      // Without the metadata, of which 10,000 keys can have 640 MB. Served by the index project_consumer, in order.
      return keys
        .find({ projectId, consumerId })
        .project<ShownKey>({ ciphertext: 1, lastSix: 1, status: 1, createdAt: 1, allowedApis: 1 })
        .sort({ _id: 1 })
        .toArray();
    },
    async removeOfConsumer({ actor: { projectId }, session }, consumerId) {
      // Served by the index project_consumer.
      await keys.deleteMany({ projectId, consumerId }, { session });
    },
    async countAllowingEach(projectId, apiIds) {
      const counts = new Map<string, number>();
      if (apiIds.length === 0) return counts;
      // A key that may call every API and names some all the same is in two counts. Served by the index
      // project_any_and_named, which has those few alone.
      const twice = keys.aggregate<{ _id: string; count: number }>(
        [
          { $match: { projectId, allowedApis: ANY_API, "allowedApis.1": { $exists: true } } },
          { $project: { apiId: { $setIntersection: ["$allowedApis", { $literal: apiIds }] } } },
          { $unwind: "$apiId" },
          { $group: { _id: "$apiId", count: { $sum: 1 } } },
        ],
        { hint: "project_any_and_named" },
      );
      const countedTwice = new Map((await twice.toArray()).map(({ _id, count }) => [_id, count]));
      // Counts in the index project_apis, which has a key once under each API, and reads no key.
      const count = (apiId: string) => keys.countDocuments({ projectId, allowedApis: apiId }, { hint: "project_apis" });
      const countOfAny = await count(ANY_API);
      for (const apiId of apiIds) {
        counts.set(apiId, countOfAny + (await count(apiId)) - (countedTwice.get(apiId) ?? 0));
      }
      return counts;
    },
  };
}
