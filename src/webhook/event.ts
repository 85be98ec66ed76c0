import type { Consumer } from "../consumer/consumer.ts";
import { overageUsed, type Pool, remaining } from "../credits/pool.ts";
import { poolNotices } from "../credits/pool-notices.ts";
import type { Change } from "../mongo/change.ts";

/** What an event tells of; of the credits, every notice of a pool. */
export const EVENT_TYPES = [
  "consumer.credits.threshold_reached",
  "consumer.credits.exhausted",
  "consumer.credits.overage_started",
  "consumer.credits.refilled",
  "consumer.status_changed",
  "consumer.deleted",
  "consumer.restored",
  "key.created",
  "key.rotated",
  "key.deleted",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Something that happened and is to be told to the address of a consumer. */
export interface WebhookEvent {
  type: EventType;
  projectId: string;
  consumerId: string;
  /** The consumer's address when it happened. */
  url: string;
  /** What the body says of it, plain JSON values. */
  data: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds of the database. */
  atMs: number;
}

/** Writes events into the outbox within the transaction of what they tell of: both happen, or neither. */
export type TellEvents = (events: readonly WebhookEvent[], session: Change["session"]) => Promise<void>;

/** Finds the address of a consumer; null: it has none; undefined: there is no such consumer any more. */
export type FindAddress = (
  projectId: string,
  consumerId: string,
  change?: Change,
) => Promise<string | null | undefined>;

/** The consumer that an event is of. */
export type Addressee = Pick<Consumer, "_id" | "projectId" | "externalId" | "webhookUrl">;

/** An event of a consumer; none without an address. */
export function eventsOf(
  { _id: consumerId, projectId, externalId, webhookUrl }: Addressee,
  type: EventType,
  atMs: number,
  more: Readonly<Record<string, unknown>> = {},
): WebhookEvent[] {
  if (webhookUrl === null) return [];
  return [{ type, projectId, consumerId, url: webhookUrl, data: { consumerId, externalId, ...more }, atMs }];
}

/** What a write of a consumer's pool has to tell, and what is to be stored of it. */
export interface CreditEvents {
  events: WebhookEvent[];
  /** Is written with the pool. */
  thresholdTold: boolean;
}

/**
 * The events of a write of a consumer's pool. Where nobody is told, the threshold stays untold, so that it is told by the
 * first write after an address was set.
 *
 * @param consumer as it is after the write; of its pool it does not matter
 * @param before the pool as it is stored
 * @param after the pool that is written
 */
export function creditEvents(
  consumer: Addressee & Pick<Consumer, "status" | "thresholdTold">,
  before: Pool | null,
  after: Pool | null,
  nowMs: number,
): CreditEvents {
  const { thresholdTold, webhookUrl, status } = consumer;
  if (webhookUrl === null && !thresholdTold) return { events: [], thresholdTold };
  const { notices, isThresholdTold } = poolNotices(before, after, thresholdTold, nowMs);
  // Whoever restores a deleted one is told of what happens from then on.
  if (webhookUrl === null || status === "deleted") {
    return { events: [], thresholdTold: thresholdTold && isThresholdTold };
  }
  const events = notices.flatMap(({ kind, pool }) =>
    eventsOf(consumer, `consumer.credits.${kind}`, nowMs, { credits: describePool(pool, nowMs) }),
  );
  return { events, thresholdTold: isThresholdTold };
}

/** A pool as events show it. */
function describePool(pool: Pool, nowMs: number): object {
  return {
    limit: pool.limit,
    used: pool.used,
    remaining: remaining(pool, nowMs),
    overageUsed: overageUsed(pool),
    shadowLimit: pool.shadowLimit,
    nextRefillAt: pool.refill?.nextRefillAt ?? null,
  };
}

/** The events of a change of a consumer that is not deleted after it: its status, then its pool. */
export function changeEvents(before: Consumer, after: Consumer, nowMs: number): CreditEvents {
  const { events, thresholdTold } = creditEvents(after, before.credits, after.credits, nowMs);
  return { events: [...statusEvents(before, after, nowMs), ...events], thresholdTold };
}

function statusEvents(before: Consumer, after: Consumer, nowMs: number): WebhookEvent[] {
  if (before.status === after.status) return [];
  if (before.status === "deleted") return eventsOf(after, "consumer.restored", nowMs, { status: after.status });
  return eventsOf(after, "consumer.status_changed", nowMs, { status: after.status, previousStatus: before.status });
}
