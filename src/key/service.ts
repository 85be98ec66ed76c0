import type { JsonObject } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { KeyService, KeyServiceCreateRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Consumer } from "../consumer/consumer.ts";
import type { Handlers } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";
import { createId } from "../lib/id.ts";
import { actorOf, type Change, type MakeChange } from "../mongo/change.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { ANY_API, type Key } from "./key.ts";
import { createKeyValue } from "./key-value.ts";
import type { KeyStore } from "./store.ts";

export interface KeyServiceOptions {
  store: KeyStore;
  keyring: Keyring;
  /** Whether values are kept, encrypted. */
  recoverable: boolean;
  change: MakeChange;
  /** Takes the consumer that owns the keys of a change. Throws when there is none, or it is deleted. */
  lockConsumer: (change: Change, consumerId: string, keysAdded: number) => Promise<Consumer>;
  /** Which of these ids are no APIs of the project. */
  findUnknownApis: (projectId: string, apiIds: readonly string[]) => Promise<string[]>;
}

const PREFIX_DEFAULT = "sk";
/** Unknown APIs that an error names. */
const NAMED_MAX = 10;

/** Keys of a project, without their validation. */
export function keyService(options: KeyServiceOptions): Handlers<typeof KeyService> {
  const { store, change: makeChange } = options;
  return {
    async create(request, { caller }) {
      await checkApis(request.allowedApis, caller.projectId, options);
      const { key, value } = await makeChange(actorOf(caller), async (change) => {
        await options.lockConsumer(change, request.consumerId, 1);
        const made = newKey(request, caller.projectId, change.nowMs, options);
        await store.insert(change, made.key);
        change.record({ action: "key.create", targetId: made.key._id, before: null, after: toAudit(made.key) });
        return made;
      });
      return {
        keyId: key._id,
        key: value,
        consumerId: key.consumerId,
        status: key.status,
        allowedApis: key.allowedApis,
        ...(key.prefix !== null && { prefix: key.prefix }),
        // JSON.stringify wrote it.
        metadata: JSON.parse(key.metadata) as JsonObject,
        createdAt: timestampFromDate(key.createdAt),
        ...(key.name !== null && { name: key.name }),
        ...(key.expiresAt && { expiresAt: timestampFromDate(key.expiresAt) }),
      };
    },
  };
}

async function checkApis(
  allowedApis: readonly string[],
  projectId: string,
  { findUnknownApis }: KeyServiceOptions,
): Promise<void> {
  const named = allowedApis.filter((apiId) => apiId !== ANY_API);
  const unknown = named.length === 0 ? [] : await findUnknownApis(projectId, named);
  if (unknown.length > 0)
    throw new Fault("NOT_FOUND", `allowedApis: there is no API ${unknown.slice(0, NAMED_MAX).join(", ")}`);
}

function newKey(
  request: KeyServiceCreateRequest,
  projectId: string,
  nowMs: number,
  { keyring, recoverable }: KeyServiceOptions,
): { key: Key; value: string } {
  const keyId = createId("key", nowMs);
  const prefix = request.prefix ?? PREFIX_DEFAULT;
  const value = createKeyValue(prefix);
  const createdAt = new Date(nowMs);
  const key: Key = {
    _id: keyId,
    projectId,
    consumerId: request.consumerId,
    hash: keyring.hashKey(value),
    ciphertext: recoverable ? keyring.encryptKey(value, keyId) : null,
    lastSix: value.slice(-6),
    previous: [],
    isImported: false,
    name: request.name ?? null,
    status: request.enabled === false ? "disabled" : "active",
    allowedApis: request.allowedApis.length === 0 ? [ANY_API] : request.allowedApis,
    prefix,
    expiresAt: request.expiresAt ? timestampDate(request.expiresAt) : null,
    metadata: JSON.stringify(request.metadata ?? {}),
    createdAt,
    updatedAt: createdAt,
  };
  return { key, value };
}

/** A key as the audit log shows it: nothing of its value. */
function toAudit({ consumerId, name, status, allowedApis, prefix, expiresAt, metadata }: Key): Record<string, unknown> {
  return {
    ...{ consumerId, name, status, allowedApis, prefix, metadata: JSON.parse(metadata) },
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
