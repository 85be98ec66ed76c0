import type { Db } from "mongodb";
import type { Page } from "../lib/page.ts";
import type { Change } from "../mongo/change.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import type { Api } from "./api.ts";

export const apiIndexes: CollectionIndexes = {
  collection: "apis",
  indexes: [{ name: "project", key: { projectId: 1, _id: 1 } }],
};

export interface ApiStore {
  insert(change: Change, api: Api): Promise<void>;
  /** An API of the project; undefined when there is none. */
  find(projectId: string, apiId: string): Promise<Api | undefined>;
  /** Gives an API a name, and answers it as it was; undefined when there is none. */
  rename(change: Change, apiId: string, name: string): Promise<Api | undefined>;
  /** Removes an API, and answers it as it was; undefined when there is none. */
  remove(change: Change, apiId: string): Promise<Api | undefined>;
  /** APIs of the project, newest first, and how many there are. */
  list(projectId: string, page: Page): Promise<{ total: number; apis: Api[] }>;
  /** The names of those of these APIs that the project has, by their ids. */
  findNames(projectId: string, apiIds: readonly string[]): Promise<Map<string, string>>;
  /** Which of these ids are no APIs of the project. */
  findUnknown(projectId: string, apiIds: readonly string[]): Promise<string[]>;
}

export function createApiStore(db: Db): ApiStore {
  const apis = db.collection<Api>("apis");
  return {
    async insert({ session }, api) {
      await apis.insertOne(api, { session });
    },
    async find(projectId, apiId) {
      // Served by _id.
      return (await apis.findOne({ _id: apiId, projectId })) ?? undefined;
    },
    async rename({ actor: { projectId }, session, nowMs }, apiId, name) {
      // The one write of its change: what it answers is what it has changed. Served by _id.
      const before = await apis.findOneAndUpdate(
        { _id: apiId, projectId },
        { $set: { name, updatedAt: new Date(nowMs) } },
        { session, returnDocument: "before" },
      );
      return before ?? undefined;
    },
    async remove({ actor: { projectId }, session }, apiId) {
      // Of two that delete at once, one gets the API. Served by _id.
      return (await apis.findOneAndDelete({ _id: apiId, projectId }, { session })) ?? undefined;
    },
    async list(projectId, { skip, limit }) {
      // Both served by the index project, the page in order.
      const [total, found] = await Promise.all([
        apis.countDocuments({ projectId }),
        apis.find({ projectId }).sort({ _id: -1 }).skip(skip).limit(limit).toArray(),
      ]);
      return { total, apis: found };
    },
    async findNames(projectId, apiIds) {
      // Served by _id.
      const found = await apis.find({ _id: { $in: [...apiIds] }, projectId }, { projection: { name: 1 } }).toArray();
      return new Map(found.map(({ _id, name }) => [_id, name]));
    },
    async findUnknown(projectId, apiIds) {
      // Served by _id.
      const found = await apis.find({ _id: { $in: [...apiIds] }, projectId }, { projection: { _id: 1 } }).toArray();
      const known = new Set(found.map(({ _id }) => _id));
      return apiIds.filter((apiId) => !known.has(apiId));
    },
  };
}
