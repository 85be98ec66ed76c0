import type { Db } from "mongodb";
import type { CollectionIndexes } from "../mongo/schema.ts";
import type { Api } from "./api.ts";

export const apiIndexes: CollectionIndexes = {
  collection: "apis",
  indexes: [{ name: "project", key: { projectId: 1, _id: 1 } }],
};

export interface ApiStore {
  insert(api: Api): Promise<void>;
  /** Which of these ids are no APIs of the project. */
  findUnknown(projectId: string, apiIds: readonly string[]): Promise<string[]>;
}

export function createApiStore(db: Db): ApiStore {
  const apis = db.collection<Api>("apis");
  return {
    async insert(api) {
      await apis.insertOne(api);
    },
    async findUnknown(projectId, apiIds) {
      // Served by _id.
      const found = await apis.find({ _id: { $in: [...apiIds] }, projectId }, { projection: { _id: 1 } }).toArray();
      const known = new Set(found.map(({ _id }) => _id));
      return apiIds.filter((apiId) => !known.has(apiId));
    },
  };
}
