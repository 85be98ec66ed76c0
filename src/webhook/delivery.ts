import { createId } from "../lib/id.ts";
import type { EventType, WebhookEvent } from "./event.ts";
import { nextAttemptMs } from "./schedule.ts";
import type { Answer } from "./send.ts";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An event on its way, in the collection `webhook_deliveries`: the outbox, and what became of what was in it. */
export interface Delivery extends Progress {
  /** What the receiver sees as webhook-id, the same in all attempts. Carries the time of the event. */
  _id: string;
  projectId: string;
  consumerId: string;
  type: EventType;
  /** The address of the last attempt; before the first, that of the consumer when it happened. */
  url: string;
  /** Of the address, host and port: bounds what one receiver can hold up. */
  host: string;
  /** JSON text: whatever its keys look like, the database never reads them. */
  data: string;
  createdAt: Date;
  /** When the first attempt was due, by the event or by its last replay. */
  startedAt: Date;
}

/** How far the sending is. */
export interface Progress {
  status: DeliveryStatus;
  /** Since it was started. */
  attempts: number;
  lastAttemptAt: Date | null;
  lastStatusCode: number | null;
  lastError: string | null;
  deliveredAt: Date | null;
  /** When it is tried next; null: no attempt follows. */
  nextAttemptAt: Date | null;
  /** When somebody may take it: as nextAttemptAt, or, while somebody has it, when it counts as abandoned. */
  dueAt: Date | null;
  /** Who has it; null: nobody. */
  claimId: string | null;
  /** When it was delivered or given up, from when on it is kept for a while; null: not yet. */
  finishedAt: Date | null;
}

/** GONE says that the receiver never wants it again. */
const GONE = 410;

export function newDelivery({ type, projectId, consumerId, url, data, atMs }: WebhookEvent): Delivery {
  return {
    _id: createId("evt", atMs),
    ...{ projectId, consumerId, type, url, host: hostOf(url) },
    data: JSON.stringify(data),
    createdAt: new Date(atMs),
    ...freshStart(atMs),
  };
}

/** An event whose first attempt is due. */
export function freshStart(atMs: number): Progress & Pick<Delivery, "startedAt"> {
  const at = new Date(atMs);
  return {
    startedAt: at,
    ...{ status: "pending", attempts: 0, lastAttemptAt: null, lastStatusCode: null, lastError: null },
    ...{ deliveredAt: null, nextAttemptAt: at, dueAt: at, claimId: null, finishedAt: null },
  };
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

/** What is posted: the same text in every attempt. */
export function bodyOf({ type, createdAt, data }: Pick<Delivery, "type" | "createdAt" | "data">): string {
  return `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt.toISOString())},"data":${data}}`;
}

/**
 * How far a delivery is after an attempt.
 *
 * @param attemptMs when the attempt began
 * @param random from 0 to below 1
 */
export function afterAttempt(
  { startedAt, attempts }: Pick<Delivery, "startedAt" | "attempts">,
  { statusCode, error }: Answer,
  attemptMs: number,
  nowMs: number,
  random: number,
): Progress {
  const made = attempts + 1;
  const next =
    error === null || statusCode === GONE ? undefined : nextAttemptMs(startedAt.getTime(), made, nowMs, random);
  const now = new Date(nowMs);
  const nextAt = next === undefined ? null : new Date(next);
  return {
    status: error === null ? "delivered" : nextAt === null ? "failed" : "pending",
    attempts: made,
    lastAttemptAt: new Date(attemptMs),
    lastStatusCode: statusCode,
    lastError: error,
    deliveredAt: error === null ? now : null,
    ...{ nextAttemptAt: nextAt, dueAt: nextAt, claimId: null },
    finishedAt: nextAt === null ? now : null,
  };
}

/** How far a delivery is that is given up without an attempt. */
export function abandoned(delivery: Progress, reason: string, nowMs: number): Progress {
  const { attempts, lastAttemptAt, lastStatusCode } = delivery;
  const ended = { nextAttemptAt: null, dueAt: null, claimId: null, finishedAt: new Date(nowMs) };
  return { status: "failed", attempts, lastAttemptAt, lastStatusCode, lastError: reason, deliveredAt: null, ...ended };
}
