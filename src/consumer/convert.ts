import { isFieldSet, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type ConsumerKeySchema,
  type ConsumerServiceDetailsResponseSchema,
  type ConsumerServiceUpdateRequest,
  ConsumerStatus as ConsumerStatusProto,
} from "../../gen/keysvc/v1/consumer_pb.js";
import { type CreditsUpdate, CreditsUpdateSchema } from "../../gen/keysvc/v1/credits_pb.js";
import { fromProtoRateLimit, fromProtoUpdate, toProtoCredits, toProtoRateLimit } from "../credits/convert.ts";
import { settle } from "../credits/pool.ts";
import { present } from "../lib/present.ts";
import type { Consumer, ConsumerChange, ConsumerKey } from "./consumer.ts";

const STATUSES = {
  active: ConsumerStatusProto.ACTIVE,
  disabled: ConsumerStatusProto.DISABLED,
  deleted: ConsumerStatusProto.DELETED,
} as const;

export function toProtoStatus(status: Consumer["status"]): ConsumerStatusProto {
  return STATUSES[status];
}

/**
 * The change of an update request.
 *
 * @param paths what changes, as paths of the update mask
 */
export function fromProtoChange(request: ConsumerServiceUpdateRequest, paths: ReadonlySet<string>): ConsumerChange {
  const changesCredits = isEmpty(request.credits) || [...paths].some((path) => path.startsWith("credits."));
  return {
    ...(paths.has("name") && { name: request.name ?? null }),
    ...(paths.has("status") && { status: request.status === ConsumerStatusProto.DISABLED ? "disabled" : "active" }),
    ...(paths.has("plan_id") && { planId: request.planId ?? null }),
    ...(paths.has("webhook_url") && { webhookUrl: request.webhookUrl ?? null }),
    ...(paths.has("image_url") && { imageUrl: request.imageUrl ?? null }),
    ...(paths.has("external_id") && { externalId: request.externalId ?? null }),
    ...(paths.has("tags") && { tags: request.tags }),
    ...(paths.has("metadata") && { metadata: JSON.stringify(request.metadata ?? {}) }),
    ...(paths.has("expires_at") && { expiresAt: request.expiresAt ? timestampDate(request.expiresAt) : null }),
    ...(paths.has("rate_limit") && { rateLimit: request.rateLimit ? fromProtoRateLimit(request.rateLimit) : null }),
    ...(changesCredits && { credits: fromProtoUpdate(request.credits, paths) }),
    ...(paths.has("credits") && { credits: null }),
  };
}

/** Whether credits were sent without a field. No mask can name those; others that it does not name are left alone. */
function isEmpty(credits: CreditsUpdate | undefined): boolean {
  return credits !== undefined && !CreditsUpdateSchema.fields.some((field) => isFieldSet(credits, field));
}

/** A consumer at `nowMs`, as /consumer/details shows it. */
export function toProtoDetails(
  consumer: Consumer,
  projectKey: string,
  nowMs: number,
): MessageInitShape<typeof ConsumerServiceDetailsResponseSchema> {
  return {
    consumerId: consumer._id,
    projectKey,
    ...present({
      name: consumer.name,
      imageUrl: consumer.imageUrl,
      externalId: consumer.externalId,
      webhookUrl: consumer.webhookUrl,
      planId: consumer.planId,
    }),
    // JSON.stringify wrote it.
    metadata: JSON.parse(consumer.metadata) as JsonObject,
    status: toProtoStatus(consumer.status),
    tags: consumer.tags,
    createdAt: timestampFromDate(consumer.createdAt),
    updatedAt: timestampFromDate(consumer.updatedAt),
    ...(consumer.expiresAt && { expiresAt: timestampFromDate(consumer.expiresAt) }),
    ...(consumer.rateLimit && { rateLimit: toProtoRateLimit(consumer.rateLimit) }),
    ...(consumer.credits && { credits: toProtoCredits(consumer.credits, nowMs) }),
  };
}

/** A key of a consumer: deleted with it, whatever its own status. */
export function toProtoKey(key: ConsumerKey, { status }: Consumer): MessageInitShape<typeof ConsumerKeySchema> {
  return {
    keyId: key.keyId,
    key: key.value,
    status: status === "deleted" ? status : key.status,
    createdAt: timestampFromDate(key.createdAt),
    allowedApis: key.allowedApis,
  };
}

/** A consumer at `nowMs`, as the audit log shows it. */
export function toAudit(consumer: Consumer, nowMs: number): Record<string, unknown> {
  const { name, imageUrl, externalId, webhookUrl, status, planId, tags, expiresAt, rateLimit, credits } = consumer;
  return {
    ...{ name, imageUrl, externalId, metadata: JSON.parse(consumer.metadata), webhookUrl, status, planId, tags },
    expiresAt: expiresAt?.toISOString() ?? null,
    rateLimit: rateLimit && { limit: rateLimit.limit, window: rateLimit.windowSeconds },
    credits: credits && auditedPool(credits, nowMs),
  };
}

/** Without what is derived. */
function auditedPool(stored: NonNullable<Consumer["credits"]>, nowMs: number): object {
  const { refill, ...pool } = settle(stored, nowMs);
  if (refill === null) return { ...pool, refill };
  const { everyMs: _everyMs, ...schedule } = refill;
  return { ...pool, refill: schedule };
}
