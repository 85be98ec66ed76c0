import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type ConsumerService,
  type ConsumerServiceCreateRequest,
  ConsumerStatus as ConsumerStatusProto,
} from "../../gen/keysvc/v1/consumer_pb.js";
import type { Handlers } from "../lib/call.ts";
import { Fault, type FieldError, invalidRequest } from "../lib/fault.ts";
import { createId } from "../lib/id.ts";
import { present } from "../lib/present.ts";
import { type Consumer, checkWebhookUrl, createPool } from "./consumer.ts";
import { fromProtoCredits, fromProtoRateLimit, toProtoDetails, toProtoStatus } from "./convert.ts";
import type { ConsumerStore } from "./store.ts";

export interface ConsumerServiceOptions {
  store: ConsumerStore;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

/** Consumers of a project (the specification, Consumer endpoints). */
export function consumerService({ store, now }: ConsumerServiceOptions): Handlers<typeof ConsumerService> {
  return {
    async create(request, { caller }) {
      // No plan exists yet, so none can be inherited.
      if (request.planId !== undefined) throw new Fault("NOT_FOUND", "planId: there is no such plan");
      const consumer = newConsumer(request, caller.projectId, await now());
      await store.insert(consumer);
      return {
        consumerId: consumer._id,
        projectKey: caller.credential,
        createdAt: timestampFromDate(consumer.createdAt),
        status: toProtoStatus(consumer.status),
        tags: consumer.tags,
        ...present({ name: consumer.name, externalId: consumer.externalId }),
      };
    },
    async details({ consumerId }, { caller }) {
      const found = await store.find(caller.projectId, consumerId);
      if (found === undefined) throw new Fault("NOT_FOUND", "consumerId: there is no such consumer");
      return toProtoDetails(found.consumer, caller.credential, found.nowMs);
    },
  };
}

/** The consumer of a create request. Throws INVALID_REQUEST for what the field rules cannot say. */
function newConsumer(request: ConsumerServiceCreateRequest, projectId: string, nowMs: number): Consumer {
  const errors: FieldError[] = [];
  const credits = request.credits ? createPool(fromProtoCredits(request.credits), nowMs, errors) : null;
  const webhookProblem = request.webhookUrl === undefined ? undefined : checkWebhookUrl(request.webhookUrl);
  if (webhookProblem !== undefined) errors.push({ field: "webhookUrl", message: webhookProblem });
  if (errors.length > 0) throw invalidRequest(errors);
  const createdAt = new Date(nowMs);
  return {
    _id: createId("consumer", nowMs),
    projectId,
    name: request.name ?? null,
    imageUrl: request.imageUrl ?? null,
    externalId: request.externalId ?? null,
    metadata: JSON.stringify(request.metadata ?? {}),
    webhookUrl: request.webhookUrl ?? null,
    status: request.status === ConsumerStatusProto.DISABLED ? "disabled" : "active",
    planId: null,
    tags: request.tags,
    createdAt,
    updatedAt: createdAt,
    deletedAt: null,
    expiresAt: request.expiresAt ? timestampDate(request.expiresAt) : null,
    rateLimit: request.rateLimit ? fromProtoRateLimit(request.rateLimit) : null,
    rateWindow: null,
    credits,
    chargedAt: null,
    revision: 1,
  };
}
