import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { KeyServiceCreateResponseSchema, KeyServiceUpdateRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Consumer } from "../consumer/consumer.ts";
import { present } from "../lib/present.ts";
import { type Key, type KeyChange, maskedValue, previousValidUntil } from "./key.ts";
import { allowedApisOf } from "./new-key.ts";

/** A key that was made, with its value. */
export function toProtoNewKey(key: Key, value: string): MessageInitShape<typeof KeyServiceCreateResponseSchema> {
  const { updatedAt: _updatedAt, ...fields } = toProtoFields(key);
  return { ...fields, key: value, status: key.status };
}

/** A key at `nowMs`: deleted with its consumer, whatever its own status. */
export function toProtoKey(key: Key, consumer: Pick<Consumer, "status">, nowMs: number) {
  const validUntil = previousValidUntil(key, nowMs);
  return {
    ...toProtoFields(key),
    key: maskedValue(key),
    status: consumer.status === "deleted" ? "deleted" : key.status,
    ...(validUntil && { previousValidUntil: timestampFromDate(validUntil) }),
  };
}

function toProtoFields({ _id, consumerId, name, prefix, allowedApis, expiresAt, ...key }: Key) {
  return {
    keyId: _id,
    consumerId,
    ...present({ name, prefix }),
    allowedApis,
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
    // JSON.stringify wrote it.
    metadata: JSON.parse(key.metadata) as JsonObject,
    createdAt: timestampFromDate(key.createdAt),
    updatedAt: timestampFromDate(key.updatedAt),
  };
}

/**
 * The change of an update request. What is cleared is as if it had not been given when the key was made.
 *
 * @param paths what changes, as paths of the update mask
 */
export function fromProtoChange(request: KeyServiceUpdateRequest, paths: ReadonlySet<string>): KeyChange {
  return {
    ...(paths.has("name") && { name: request.name ?? null }),
    ...(paths.has("allowed_apis") && { allowedApis: allowedApisOf(request) }),
    ...(paths.has("expires_at") && { expiresAt: request.expiresAt ? timestampDate(request.expiresAt) : null }),
    ...(paths.has("metadata") && { metadata: JSON.stringify(request.metadata ?? {}) }),
    ...(paths.has("enabled") && { status: request.enabled === false ? "disabled" : "active" }),
  };
}

/** A key as the audit log shows it: nothing of its value. */
export function toAudit({ consumerId, name, status, allowedApis, prefix, expiresAt, metadata }: Key) {
  return {
    ...{ consumerId, name, status, allowedApis, prefix, metadata: JSON.parse(metadata) as JsonObject },
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
