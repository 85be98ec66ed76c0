import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ImportedKey, KeyServiceCreateRequest } from "../../gen/keysvc/v1/key_pb.js";
import { createId } from "../lib/id.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { ANY_API, type Key, PREFIX_DEFAULT, type StoredValue } from "./key.ts";
import { createKeyValue } from "./key-value.ts";

/** How values are kept. */
export interface ValueOptions {
  keyring: Pick<Keyring, "hashKey" | "encryptKey">;
  /** Whether values are kept, encrypted. */
  recoverable: boolean;
}

/** Makes a value for a key, and what the key keeps of it. */
export function newValue(
  keyId: string,
  prefix: string,
  { keyring, recoverable }: ValueOptions,
): { value: string; stored: StoredValue } {
  const value = createKeyValue(prefix);
  const stored = {
    hash: keyring.hashKey(value),
    ciphertext: recoverable ? keyring.encryptKey(value, keyId) : null,
    lastSix: value.slice(-6),
    prefix,
  };
  return { value, stored };
}

/** The key of a create request, and its value. */
export function newKey(
  request: KeyServiceCreateRequest,
  projectId: string,
  nowMs: number,
  options: ValueOptions,
): { key: Key; value: string } {
  const keyId = createId("key", nowMs);
  const { value, stored } = newValue(keyId, request.prefix ?? PREFIX_DEFAULT, options);
  const key: Key = {
    ...emptyKey(keyId, projectId, request.consumerId, nowMs),
    ...stored,
    name: request.name ?? null,
    status: request.enabled === false ? "disabled" : "active",
    allowedApis: allowedApisOf(request),
    expiresAt: request.expiresAt ? timestampDate(request.expiresAt) : null,
    metadata: JSON.stringify(request.metadata ?? {}),
  };
  return { key, value };
}

/** A key of another service, and the hash by which it is looked up: that of the keyring for imported keys. */
export interface HashedImport {
  request: ImportedKey;
  hash: Buffer;
}

/** Keys of another service, for one consumer. Sorted by age, they are in the order of the request. */
export function importedKeys(
  imports: readonly HashedImport[],
  { projectId, consumerId, nowMs }: { projectId: string; consumerId: string; nowMs: number },
): Key[] {
  // All are of one millisecond, and among ids of one time chance decides which is the lower.
  const keyIds = imports.map(() => createId("key", nowMs)).sort();
  return imports.map(({ request, hash }, index) => ({
    ...emptyKey(keyIds[index] ?? createId("key", nowMs), projectId, consumerId, nowMs),
    hash,
    isImported: true,
    name: request.name ?? null,
    allowedApis: allowedApisOf(request),
    expiresAt: request.expiresAt ? timestampDate(request.expiresAt) : null,
  }));
}

/** None named is every one. */
export function allowedApisOf({ allowedApis }: { allowedApis: string[] }): string[] {
  return allowedApis.length === 0 ? [ANY_API] : allowedApis;
}

/** An active key for every API, without a value. */
export function emptyKey(keyId: string, projectId: string, consumerId: string, nowMs: number): Omit<Key, "hash"> {
  const createdAt = new Date(nowMs);
  return {
    _id: keyId,
    projectId,
    consumerId,
    ciphertext: null,
    lastSix: null,
    previous: [],
    isImported: false,
    name: null,
    status: "active",
    allowedApis: [ANY_API],
    prefix: null,
    expiresAt: null,
    metadata: "{}",
    createdAt,
    updatedAt: createdAt,
  };
}
