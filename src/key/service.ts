import type { JsonObject } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { KeyService, KeyServiceCreateRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Consumer } from "../consumer/consumer.ts";
import type { Handlers } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";
import { createId } from "../lib/id.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { ANY_API, type Key } from "./key.ts";
import { createKeyValue } from "./key-value.ts";
import type { KeyStore } from "./store.ts";

export interface KeyServiceOptions {
  store: KeyStore;
  keyring: Keyring;
  /** Whether values are kept, encrypted. */
  recoverable: boolean;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
  /** A consumer of the project; undefined when there is none. */
  findConsumer: (projectId: string, consumerId: string) => Promise<{ consumer: Consumer } | undefined>;
  /** Which of these ids are no APIs of the project. */
  findUnknownApis: (projectId: string, apiIds: readonly string[]) => Promise<string[]>;
}

const PREFIX_DEFAULT = "sk";
/** Unknown APIs that an error names. */
const NAMED_MAX = 10;

/** Keys of a project, without their validation. */
export function keyService(options: KeyServiceOptions): Handlers<typeof KeyService> {
  const { store, now } = options;
  return {
    async create(request, { caller }) {
      await checkReferences(request, caller.projectId, options);
      const { key, value } = newKey(request, caller.projectId, await now(), options);
      await store.insert(key);
      return {
        keyId: key._id,
        key: value,
        consumerId: key.consumerId,
        status: key.status,
        allowedApis: key.allowedApis,
        prefix: key.prefix,
        // JSON.stringify wrote it.
        metadata: JSON.parse(key.metadata) as JsonObject,
        createdAt: timestampFromDate(key.createdAt),
        ...(key.name !== null && { name: key.name }),
        ...(key.expiresAt && { expiresAt: timestampFromDate(key.expiresAt) }),
      };
    },
  };
}

async function checkReferences(
  { consumerId, allowedApis }: KeyServiceCreateRequest,
  projectId: string,
  { findConsumer, findUnknownApis }: KeyServiceOptions,
): Promise<void> {
  const found = await findConsumer(projectId, consumerId);
  if (found === undefined) throw new Fault("NOT_FOUND", "consumerId: there is no such consumer");
  if (found.consumer.status === "deleted") throw new Fault("CONFLICT", "consumerId: the consumer is deleted");
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
