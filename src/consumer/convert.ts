import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type ConsumerServiceDetailsResponseSchema,
  ConsumerStatus as ConsumerStatusProto,
} from "../../gen/keysvc/v1/consumer_pb.js";
import {
  type Carryover,
  type CreditsSchema,
  type CreditsSettings as CreditsSettingsProto,
  type RateLimit as RateLimitProto,
  RefillPolicy,
} from "../../gen/keysvc/v1/credits_pb.js";
import { overageUsed, type Pool, remaining, settle } from "../credits/pool.ts";
import { present } from "../lib/present.ts";
import type { CarryoverSettings, Consumer, CreditsSettings, RateLimit } from "./consumer.ts";

const STATUSES = {
  active: ConsumerStatusProto.ACTIVE,
  disabled: ConsumerStatusProto.DISABLED,
  deleted: ConsumerStatusProto.DELETED,
} as const;

/** The settings of a request. The field rules have seen to its required fields; amounts are below 2^53. */
export function fromProtoCredits(credits: CreditsSettingsProto): CreditsSettings {
  const { overage, refill, carryover } = credits;
  return {
    limit: Number(credits.limit),
    shadowLimit: fromLong(credits.shadowLimit) ?? null,
    overage: overage ? { enabled: overage.enabled ?? false, limit: fromLong(overage.limit) } : null,
    refill: refill
      ? {
          every: refill.every ?? "",
          refillCredit: Number(refill.refillCredit),
          refillPolicy: refill.refillPolicy === RefillPolicy.ADD ? "add" : "reset",
          carryover: fromProtoCarryover(refill.carryover),
        }
      : null,
    carryover: fromProtoCarryover(carryover),
    expiresAt: fromLong(credits.expiresAt) ?? null,
  };
}

function fromProtoCarryover(carryover: Carryover | undefined): CarryoverSettings | null {
  return carryover ? { enabled: carryover.enabled ?? false, max: fromLong(carryover.max) } : null;
}

export function fromProtoRateLimit(rateLimit: RateLimitProto): RateLimit {
  // A window of 1 second is the specification's default.
  return { limit: Number(rateLimit.limit), windowSeconds: rateLimit.window ?? 1 };
}

function fromLong(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** The pool at `nowMs`, refills that are due included. */
export function toProtoCredits(stored: Pool, nowMs: number): MessageInitShape<typeof CreditsSchema> {
  const pool = settle(stored, nowMs);
  const { refill } = pool;
  return {
    limit: BigInt(pool.limit),
    used: BigInt(pool.used),
    remaining: BigInt(remaining(pool, nowMs)),
    overageUsed: BigInt(overageUsed(pool)),
    ...(pool.shadowLimit !== null && { shadowLimit: BigInt(pool.shadowLimit) }),
    ...(pool.overage && { overage: { enabled: pool.overage.enabled, limit: BigInt(pool.overage.limit) } }),
    ...(refill && {
      refill: {
        every: refill.every,
        refillCredit: BigInt(refill.refillCredit),
        refillPolicy: refill.refillPolicy === "add" ? RefillPolicy.ADD : RefillPolicy.RESET,
        ...(refill.carryover && {
          carryover: { enabled: refill.carryover.enabled, max: BigInt(refill.carryover.max) },
        }),
        nextRefillAt: BigInt(refill.nextRefillAt),
      },
    }),
    ...(pool.expiresAt !== null && { expiresAt: BigInt(pool.expiresAt) }),
  };
}

export function toProtoStatus(status: Consumer["status"]): ConsumerStatusProto {
  return STATUSES[status];
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
    ...(consumer.rateLimit && {
      rateLimit: { limit: BigInt(consumer.rateLimit.limit), window: consumer.rateLimit.windowSeconds },
    }),
    ...(consumer.credits && { credits: toProtoCredits(consumer.credits, nowMs) }),
  };
}
