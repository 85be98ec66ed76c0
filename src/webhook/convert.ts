import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  WebhookDeliveryStatus as StatusProto,
  WebhookEventType as TypeProto,
  type WebhookDeliverySchema,
} from "../../gen/keysvc/v1/webhook_pb.js";
import { present } from "../lib/present.ts";
import type { Delivery, DeliveryStatus } from "./delivery.ts";
import type { EventType } from "./event.ts";

const STATUSES: Record<DeliveryStatus, StatusProto> = {
  pending: StatusProto.PENDING,
  delivered: StatusProto.DELIVERED,
  failed: StatusProto.FAILED,
};

const TYPES: Record<EventType, TypeProto> = {
  "consumer.credits.threshold_reached": TypeProto.CONSUMER_CREDITS_THRESHOLD_REACHED,
  "consumer.credits.exhausted": TypeProto.CONSUMER_CREDITS_EXHAUSTED,
  "consumer.credits.overage_started": TypeProto.CONSUMER_CREDITS_OVERAGE_STARTED,
  "consumer.credits.refilled": TypeProto.CONSUMER_CREDITS_REFILLED,
  "consumer.status_changed": TypeProto.CONSUMER_STATUS_CHANGED,
  "consumer.deleted": TypeProto.CONSUMER_DELETED,
  "consumer.restored": TypeProto.CONSUMER_RESTORED,
  "key.created": TypeProto.KEY_CREATED,
  "key.rotated": TypeProto.KEY_ROTATED,
  "key.deleted": TypeProto.KEY_DELETED,
};

/** undefined: none is named. */
export function fromProtoStatus(status: StatusProto): DeliveryStatus | undefined {
  return nameOf(STATUSES, status);
}

/** undefined: none is named. */
export function fromProtoType(type: TypeProto): EventType | undefined {
  return nameOf(TYPES, type);
}

export function toProtoStatus(status: DeliveryStatus): StatusProto {
  return STATUSES[status];
}

export function toProtoDelivery(delivery: Delivery): MessageInitShape<typeof WebhookDeliverySchema> {
  const { lastAttemptAt, nextAttemptAt, deliveredAt } = delivery;
  return {
    eventId: delivery._id,
    type: TYPES[delivery.type],
    consumerId: delivery.consumerId,
    url: delivery.url,
    // JSON.stringify wrote it.
    data: JSON.parse(delivery.data) as JsonObject,
    status: STATUSES[delivery.status],
    attempts: delivery.attempts,
    createdAt: timestampFromDate(delivery.createdAt),
    ...(lastAttemptAt && { lastAttemptAt: timestampFromDate(lastAttemptAt) }),
    ...(nextAttemptAt && { nextAttemptAt: timestampFromDate(nextAttemptAt) }),
    ...present({ lastStatusCode: delivery.lastStatusCode, lastError: delivery.lastError }),
    ...(deliveredAt && { deliveredAt: timestampFromDate(deliveredAt) }),
  };
}

function nameOf<Name extends string, Value>(values: Record<Name, Value>, value: Value): Name | undefined {
  // The names of a record are those of its type.
  const names = Object.keys(values) as Name[];
  return names.find((name) => values[name] === value);
}
