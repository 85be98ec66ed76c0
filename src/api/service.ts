import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ApiService } from "../../gen/keysvc/v1/api_pb.js";
import type { Handlers } from "../lib/call.ts";
import { createId } from "../lib/id.ts";
import type { Api } from "./api.ts";
import type { ApiStore } from "./store.ts";

export interface ApiServiceOptions {
  store: ApiStore;
  /** How many keys of the project may call an API, those that may call every API included. */
  countKeys: (projectId: string, apiId: string) => Promise<number>;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

/** APIs of a project. */
export function apiService({ store, countKeys, now }: ApiServiceOptions): Handlers<typeof ApiService> {
  return {
    async create({ name }, { caller }) {
      const nowMs = await now();
      const createdAt = new Date(nowMs);
      const api: Api = {
        _id: createId("api", nowMs),
        projectId: caller.projectId,
        name,
        createdAt,
        updatedAt: createdAt,
      };
      await store.insert(api);
      return {
        apiId: api._id,
        name: api.name,
        createdAt: timestampFromDate(createdAt),
        updatedAt: timestampFromDate(createdAt),
        keyCount: BigInt(await countKeys(caller.projectId, api._id)),
      };
    },
  };
}
