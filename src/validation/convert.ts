import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { type KeyServiceValidateResponseSchema, VerdictCode as VerdictCodeProto } from "../../gen/keysvc/v1/key_pb.js";
import type { Consumer } from "../consumer/consumer.ts";
import { overageUsed, remaining, settle } from "../credits/pool.ts";
import { present } from "../lib/present.ts";
import type { LimitedAnswer } from "./rate-limit-headers.ts";
import { rateWindow, retryAfterSeconds, type VerdictCode } from "./verdict.ts";

/** A verdict with all that the answer tells. */
export interface Verdict {
  code: VerdictCode;
  requestId: string;
  /** As the caller gave it. */
  apiId: string | undefined;
  /** What was charged; 0 for a denial. */
  charged: number;
  /** undefined when the key was not found. */
  subject: { keyId: string; consumer: Consumer; nowMs: number } | undefined;
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
  const { keyId, consumer, nowMs } = subject;
  const retryAfter = retryAfterSeconds(code, consumer, nowMs);
  return {
    ...answer,
    keyId,
    consumer: {
      consumerId: consumer._id,
      // JSON.stringify wrote it.
      metadata: JSON.parse(consumer.metadata) as JsonObject,
      tags: consumer.tags,
      ...present({ name: consumer.name, externalId: consumer.externalId, planId: consumer.planId }),
    },
    ...(consumer.credits && { credits: toProtoPool(consumer.credits, charged, nowMs) }),
    ...(consumer.rateLimit && { rateLimit: toProtoRateLimit(consumer, consumer.rateLimit, nowMs) }),
    ...(retryAfter !== undefined && { retryAfterSeconds: BigInt(retryAfter) }),
  };
}

function toProtoPool(stored: NonNullable<Consumer["credits"]>, charged: number, nowMs: number) {
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

function toProtoRateLimit(consumer: Consumer, limit: NonNullable<Consumer["rateLimit"]>, nowMs: number) {
  const window = rateWindow(consumer, nowMs);
  return {
    limit: BigInt(limit.limit),
    window: limit.windowSeconds,
    remaining: BigInt(window?.remaining ?? 0),
    resetAt: BigInt(window?.resetAt ?? 0),
  };
}
