import {
  type ApiService,
  type ApiServiceUpdateRequest,
  ApiServiceUpdateRequestSchema,
} from "../../gen/keysvc/v1/api_pb.js";
import type { Handlers } from "../lib/call.ts";
import { Fault, type FieldError, invalidRequest } from "../lib/fault.ts";
import { createId } from "../lib/id.ts";
import { pageOf } from "../lib/page.ts";
import { updatedPaths } from "../lib/update-mask.ts";
import { actorOf, type Change, type MakeChange } from "../mongo/change.ts";
import { type Api, toAudit } from "./api.ts";
import { toProtoApi } from "./convert.ts";
import type { ApiStore } from "./store.ts";

export interface ApiServiceOptions {
  store: ApiStore;
  change: MakeChange;
  /** For each of these APIs, how many keys of the project may call it, those that may call every API included. */
  countKeys: (projectId: string, apiIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

/** APIs of a project. */
export function apiService({ store, change: makeChange, countKeys }: ApiServiceOptions): Handlers<typeof ApiService> {
  const show = async (api: Api) => toProtoApi(api, await countKeys(api.projectId, [api._id]));
  const find = async (projectId: string, apiId: string) => orNotFound(await store.find(projectId, apiId));
  return {
    async create({ name }, { caller }) {
      return show(await makeChange(actorOf(caller), (change) => create(change, name, store)));
    },
    async update(request, { caller }) {
      const name = newName(request);
      // An update of nothing changes nothing, the time of the last change neither.
      if (name === undefined) return show(await find(caller.projectId, request.apiId));
      const { apiId } = request;
      return show(await makeChange(actorOf(caller), (change) => rename(change, apiId, name, store), apiId));
    },
    async details({ apiId }, { caller }) {
      return show(await find(caller.projectId, apiId));
    },
    async list(request, { caller: { projectId } }) {
      const page = pageOf(request);
      const { total, apis } = await store.list(projectId, page);
      const apiIds = apis.map(({ _id }) => _id);
      const keyCounts = await countKeys(projectId, apiIds);
      return {
        total: BigInt(total),
        page: page.page,
        limit: page.limit,
        apis: apis.map((api) => toProtoApi(api, keyCounts)),
      };
    },
    async delete({ apiId }, { caller }) {
      const remove = async (change: Change) => {
        const before = orNotFound(await store.remove(change, apiId));
        change.record({ action: "api.delete", targetId: apiId, before: toAudit(before), after: null });
      };
      await makeChange(actorOf(caller), remove, apiId);
      return { apiId, deleted: true };
    },
  };
}

function orNotFound(api: Api | undefined): Api {
  if (api === undefined) throw new Fault("NOT_FOUND", "apiId: there is no such API");
  return api;
}

async function create(change: Change, name: string, store: ApiStore): Promise<Api> {
  const createdAt = new Date(change.nowMs);
  const { projectId } = change.actor;
  const api: Api = { _id: createId("api", change.nowMs), projectId, name, createdAt, updatedAt: createdAt };
  await store.insert(change, api);
  change.record({ action: "api.create", targetId: api._id, before: null, after: toAudit(api) });
  return api;
}

/** The name that an update gives; undefined when it gives none. */
function newName(request: ApiServiceUpdateRequest): string | undefined {
  const errors: FieldError[] = [];
  const paths = updatedPaths(ApiServiceUpdateRequestSchema, request, errors);
  if (paths.has("name") && request.name === undefined) errors.push({ field: "name", message: "cannot be cleared" });
  if (errors.length > 0) throw invalidRequest(errors);
  return paths.has("name") ? request.name : undefined;
}

async function rename(change: Change, apiId: string, name: string, store: ApiStore): Promise<Api> {
  const before = orNotFound(await store.rename(change, apiId, name));
  const after = { ...before, name, updatedAt: new Date(change.nowMs) };
  change.record({ action: "api.update", targetId: apiId, before: toAudit(before), after: toAudit(after) });
  return after;
}
