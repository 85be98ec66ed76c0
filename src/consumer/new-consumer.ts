import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type ConsumerServiceCreateRequest,
  ConsumerStatus as ConsumerStatusProto,
} from "../../gen/keysvc/v1/consumer_pb.js";
import { fromProtoRateLimit, fromProtoSettings } from "../credits/convert.ts";
import { mergePool } from "../credits/settings.ts";
import { type FieldError, invalidRequest } from "../lib/fault.ts";
import { createId } from "../lib/id.ts";
import type { Plan } from "../plan/plan.ts";
import { attachPlan, type Consumer, drawStamp } from "./consumer.ts";

/**
 * The consumer of a create request: credits of its own come before those of the plan, and so does a rate limit. Throws
 * INVALID_REQUEST for what the field rules cannot say.
 *
 * @param webhookProblem what is wrong with its address; undefined: nothing
 */
export function newConsumer(
  request: ConsumerServiceCreateRequest,
  plan: Plan | undefined,
  webhookProblem: string | undefined,
  { projectId, nowMs }: { projectId: string; nowMs: number },
): Consumer {
  const errors: FieldError[] = [];
  const credits = request.credits ? mergePool(null, fromProtoSettings(request.credits), nowMs, errors) : null;
  if (webhookProblem !== undefined) errors.push({ field: "webhookUrl", message: webhookProblem });
  if (errors.length > 0) throw invalidRequest(errors);
  const unplanned = emptyConsumer(projectId, nowMs);
  const consumer = plan ? attachPlan(unplanned, plan, nowMs) : unplanned;
  return {
    ...consumer,
    name: request.name ?? null,
    imageUrl: request.imageUrl ?? null,
    externalId: request.externalId ?? null,
    metadata: JSON.stringify(request.metadata ?? {}),
    webhookUrl: request.webhookUrl ?? null,
    status: request.status === ConsumerStatusProto.DISABLED ? "disabled" : "active",
    tags: request.tags,
    expiresAt: request.expiresAt ? timestampDate(request.expiresAt) : null,
    ...(credits && { credits }),
    ...(request.rateLimit && { rateLimit: fromProtoRateLimit(request.rateLimit) }),
  };
}

/** An active consumer of unlimited usage, with nothing set. */
export function emptyConsumer(projectId: string, nowMs: number): Consumer {
  const createdAt = new Date(nowMs);
  return {
    _id: createId("consumer", nowMs),
    projectId,
    name: null,
    imageUrl: null,
    externalId: null,
    metadata: "{}",
    webhookUrl: null,
    status: "active",
    planId: null,
    planRevision: null,
    tags: [],
    createdAt,
    updatedAt: createdAt,
    deletedAt: null,
    expiresAt: null,
    rateLimit: null,
    rateWindow: null,
    credits: null,
    thresholdTold: false,
    chargeSlot: 0,
    keyCount: 0,
    revision: 1,
    stamp: drawStamp(Math.random()),
  };
}
