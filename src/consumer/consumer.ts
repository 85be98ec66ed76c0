import { type Pool, settle } from "../credits/pool.ts";
import { applySettings, type CreditsRequest, mergePool, type RateLimit } from "../credits/settings.ts";
import type { FieldError } from "../lib/fault.ts";
import type { Plan } from "../plan/plan.ts";

export type ConsumerStatus = "active" | "disabled" | "deleted";

/** A consumer as it is stored, in the collection `consumers`. */
export interface Consumer {
  /** Carries the time of creation, so that consumers sorted by id are sorted by age. */
  _id: string;
  projectId: string;
  name: string | null;
  imageUrl: string | null;
  externalId: string | null;
  /** JSON text: whatever its keys look like, the database never reads them. */
  metadata: string;
  webhookUrl: string | null;
  status: ConsumerStatus;
  planId: string | null;
  /** The revision of the plan that was copied last; null without a plan. */
  planRevision: number | null;
  tags: string[];
  createdAt: Date;
  updatedAt: Date;
  /** When it was deleted; null while it is not. Its keys are deleted with it and need no mark of their own. */
  deletedAt: Date | null;
  expiresAt: Date | null;
  rateLimit: RateLimit | null;
  /** Calls counted in the window that begins at `start`, epoch milliseconds; null before the first. */
  rateWindow: { windowSeconds: number; start: number; count: number } | null;
  credits: Pool | null;
  /** Whether its address was told that the threshold of its credits is reached, and need not be told now. */
  thresholdTold: boolean;
  /** The slot of `CHARGE_SLOT_MS` in which a validation last charged it, on the database's unshifted clock; 0: never. */
  chargeSlot: number;
  /** How many keys it owns, those of a deleted consumer included. */
  keyCount: number;
  /** Goes up with every change to the consumer, its keys or its plan, and not with charges. */
  revision: number;
  /**
   * Goes up by a random step with every write, charges included, from a random start: whoever knows the stamp knows the rest,
   * even after a failover that took writes back, and no two consumers share one.
   */
  stamp: number;
}

/** Starts have 50 bits and steps 16, so that stamps stay exact for more than 10^11 writes. */
export const STAMP_START_MAX = 2 ** 50;
const STAMP_STEP_MAX = 2 ** 16;

/** @param random from 0 to below 1 */
export function drawStamp(random: number): number {
  return Math.floor(random * STAMP_START_MAX);
}

/** By how much a write moves a stamp. @param random from 0 to below 1 */
export function drawStampStep(random: number): number {
  return 1 + Math.floor(random * STAMP_STEP_MAX);
}

/** What lists show of a consumer. */
export type ListedConsumer = Pick<
  Consumer,
  "_id" | "name" | "imageUrl" | "planId" | "createdAt" | "status" | "keyCount" | "credits"
>;

/** A key as its consumer shows it. */
export interface ConsumerKey {
  keyId: string;
  /** In clear where it is recoverable, else masked. */
  value: string;
  status: string;
  createdAt: Date;
  allowedApis: string[];
}

/** For how long a deleted consumer can be restored (the specification, Limits). */
export const RECOVERY_MS = 7 * 24 * 3_600_000;

/**
 * Charges are marked by coarse slots, so that the index which finds the consumers charged of late is written once per slot
 * and consumer, not with every charge.
 */
export const CHARGE_SLOT_MS = 30_000;

/** Whether the recovery of a deleted consumer has ended: it does not exist any more, whether or not it was cleared up. */
export function isGone({ deletedAt }: Pick<Consumer, "deletedAt">, nowMs: number): boolean {
  return deletedAt !== null && deletedAt.getTime() + RECOVERY_MS <= nowMs;
}

/** The fields of a consumer that a caller sets. */
type SettableFields = Pick<
  Consumer,
  "name" | "imageUrl" | "externalId" | "webhookUrl" | "tags" | "metadata" | "expiresAt" | "planId" | "rateLimit"
>;

/** What an update changes; absent fields stay. */
export type ConsumerChange = Partial<SettableFields> & {
  status?: "active" | "disabled";
  /** null makes the consumer unlimited. */
  credits?: CreditsRequest | null;
};

/**
 * The consumer after a change (the specification, /consumer/update). Credits come from `credits`, else from the plan that
 * is attached, else they stay; so does the rate limit, which a plan without one leaves alone.
 *
 * @param plan the plan that the change attaches; undefined when it attaches none
 * @param errors gets what the field rules of the proto files cannot say
 */
export function changeConsumer(
  consumer: Consumer,
  { credits, ...fields }: ConsumerChange,
  plan: Plan | undefined,
  nowMs: number,
  errors: FieldError[],
): Consumer {
  const attached = plan ? attachPlan(consumer, plan, nowMs) : consumer;
  const current = consumer.credits && settle(consumer.credits, nowMs);
  const pool = credits ? mergePool(current, credits, nowMs, errors) : credits;
  return {
    ...attached,
    ...fields,
    ...(pool !== undefined && { credits: pool }),
    ...(fields.planId === null && { planRevision: null }),
    ...(fields.status !== undefined && { deletedAt: null }),
    updatedAt: new Date(nowMs),
  };
}

/** The consumer with what a plan gives: its credits, of which what was used stays used, and its rate limit. */
export function attachPlan(consumer: Consumer, plan: Plan, nowMs: number): Consumer {
  const current = consumer.credits && settle(consumer.credits, nowMs);
  return {
    ...consumer,
    planId: plan._id,
    planRevision: plan.revision,
    credits: plan.credits ? applySettings(plan.credits, current, nowMs) : consumer.credits,
    rateLimit: plan.rateLimit ?? consumer.rateLimit,
    updatedAt: new Date(nowMs),
  };
}
