import { create, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type KeyServiceValidateResponseSchema,
  type ValidatedConsumer,
  ValidatedConsumerSchema,
  VerdictCode as VerdictCodeProto,
} from "../../gen/keysvc/v1/key_pb.js";
import type { Consumer } from "../consumer/consumer.ts";
import { overageUsed, remaining, settle } from "../credits/pool.ts";
import { present } from "../lib/present.ts";
import type { KnownKey } from "./account.ts";
import type { LimitedAnswer } from "./rate-limit-headers.ts";
import { type Meter, rateWindow, retryAfterSeconds, type VerdictCode } from "./verdict.ts";

/** A verdict with all that the answer tells. */
export interface Verdict {
  code: VerdictCode;
  requestId: string;
  /** As the caller gave it. */
  apiId: string | undefined;
  /** What was charged; 0 for a denial. */
  charged: number;
  /** undefined when the key was not found. */
  subject: { known: KnownKey; consumer: Consumer; meter: Meter; nowMs: number } | undefined;
}

/** The answer of /key/validate. */
export function toProtoVerdict(
  verdict: Verdict,
): MessageInitShape<typeof KeyServiceValidateResponseSchema> & LimitedAnswer {
  const { code, requestId, apiId, charged, subject } = verdict;
  const answer = {
    valid: code === "VALID",
    code: VerdictCodeProto[code],
    requestId,
    ...(apiId !== undefined && { apiId }),
  };
  if (subject === undefined) return answer;
  const { known, consumer, meter, nowMs } = subject;
  const retryAfter = retryAfterSeconds(code, meter, nowMs);
  return {
    ...answer,
    keyId: known.key._id,
    consumer: toProtoConsumer(known, consumer),
    ...(meter.credits && { credits: toProtoPool(meter.credits, charged, nowMs) }),
    ...(meter.rateLimit && { rateLimit: toProtoRateLimit(meter, meter.rateLimit, nowMs) }),
    ...(retryAfter !== undefined && { retryAfterSeconds: BigInt(retryAfter) }),
  };
}

/** What answers show of consumers: it stays the same with their revision, which a known key has. */
const shownConsumers = new WeakMap<KnownKey, ValidatedConsumer>();

function toProtoConsumer(known: KnownKey, consumer: Consumer): ValidatedConsumer {
  const shown = shownConsumers.get(known);
  if (shown !== undefined) return shown;
  const made = create(ValidatedConsumerSchema, {
    consumerId: consumer._id,
    // JSON.stringify wrote it.
    metadata: JSON.parse(consumer.metadata) as JsonObject,
    tags: consumer.tags,
    ...present({ name: consumer.name, externalId: consumer.externalId, planId: consumer.planId }),
  });
  shownConsumers.set(known, made);
  return made;
}

function toProtoPool(stored: NonNullable<Meter["credits"]>, charged: number, nowMs: number) {
  const pool = settle(stored, nowMs);
  return {
    limit: BigInt(pool.limit),
    used: BigInt(pool.used),
    remaining: BigInt(remaining(pool, nowMs)),
    overageUsed: BigInt(overageUsed(pool)),
    cost: BigInt(charged),
    ...(pool.refill && { nextRefillAt: BigInt(pool.refill.nextRefillAt) }),
  };
}

function toProtoRateLimit(meter: Meter, limit: NonNullable<Meter["rateLimit"]>, nowMs: number) {
  const window = rateWindow(meter, nowMs);
  return {
    limit: BigInt(limit.limit),
    window: limit.windowSeconds,
    remaining: BigInt(window?.remaining ?? 0),
    resetAt: BigInt(window?.resetAt ?? 0),
  };
}
