import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type KeyService, KeyServiceUpdateRequestSchema } from "../../gen/keysvc/v1/key_pb.js";
import type { Handlers } from "../lib/call.ts";
import { type FieldError, invalidRequest } from "../lib/fault.ts";
import { updatedPaths } from "../lib/update-mask.ts";
import { actorOf, type Change } from "../mongo/change.ts";
import { changeKey, createKey, deleteKey, type KeyOptions, noSuchKey, rotateKey, updateKey } from "./change-key.ts";
import { checkApis } from "./check-apis.ts";
import { fromProtoChange, toProtoKey, toProtoNewKey } from "./convert.ts";
import { importKeys } from "./import-keys.ts";
import { type ListKeysOptions, listKeys } from "./list-keys.ts";

export type KeyServiceOptions = KeyOptions & ListKeysOptions;

/** Keys of a project, without their validation. */
export function keyService(options: KeyServiceOptions): Handlers<typeof KeyService> {
  const { store, change: makeChange, findUnknownApis } = options;
  return {
    async create(request, { caller }) {
      await checkApis(caller.projectId, [{ path: "", allowedApis: request.allowedApis }], findUnknownApis);
      const work = (change: Change) => createKey(change, request, options);
      const { key, value } = await makeChange(actorOf(caller), work, request.consumerId);
      return toProtoNewKey(key, value);
    },
    async update(request, { caller }) {
      const errors: FieldError[] = [];
      const paths = updatedPaths(KeyServiceUpdateRequestSchema, request, errors);
      if (errors.length > 0) throw invalidRequest(errors);
      const requested = fromProtoChange(request, paths);
      await checkApis(caller.projectId, [{ path: "", ...requested }], findUnknownApis);
      return changeKey(caller, request.keyId, options, 0, async (change, key, consumer) => {
        const changed = await updateKey(change, key, requested, store);
        return toProtoKey(changed, consumer, change.nowMs);
      });
    },
    async details({ keyId }, { caller: { projectId } }) {
      const key = await store.find(projectId, keyId);
      const found = key && (await options.findConsumer(projectId, key.consumerId));
      if (key === undefined || found === undefined) throw noSuchKey();
      return toProtoKey(key, found.consumer, found.nowMs);
    },
    async list(request, { caller: { projectId } }) {
      return listKeys(projectId, request, options);
    },
    async rotate({ keyId, graceSeconds = 0n }, { caller }) {
      const rotated = await changeKey(caller, keyId, options, 0, (change, key, consumer) =>
        rotateKey(change, key, consumer, Number(graceSeconds), options),
      );
      return {
        keyId,
        key: rotated.value,
        consumerId: rotated.key.consumerId,
        ...(rotated.oldValidUntil && { previousValidUntil: timestampFromDate(rotated.oldValidUntil) }),
      };
    },
    async delete({ keyId }, { caller }) {
      await changeKey(caller, keyId, options, -1, (change, key, consumer) => deleteKey(change, key, consumer, options));
      return { keyId, deleted: true };
    },
    async import(request, { caller }) {
      const keys = await importKeys(caller, request, options);
      return { keys: keys.map(({ _id, name }) => ({ keyId: _id, ...(name !== null && { name }) })) };
    },
  };
}
