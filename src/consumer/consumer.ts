import { parseInterval } from "../credits/interval.ts";
import { CREDITS_MAX, type Pool, type PoolRefill } from "../credits/pool.ts";
import type { FieldError } from "../lib/fault.ts";

export type ConsumerStatus = "active" | "disabled" | "deleted";

export interface RateLimit {
  limit: number;
  windowSeconds: number;
}

/** A consumer as it is stored, in the collection `consumers`. */
export interface Consumer {
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
  tags: string[];
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
  expiresAt: Date | null;
  rateLimit: RateLimit | null;
  /** Calls counted in the window that begins at `start`, epoch milliseconds; null before the first. */
  rateWindow: { windowSeconds: number; start: number; count: number } | null;
  credits: Pool | null;
  /** When a validation last charged it, epoch milliseconds of the database; null: never. */
  chargedAt: number | null;
  /** Goes up with every change to the consumer, its keys or its plan, and not with charges. */
  revision: number;
}

/** Credits as a caller configures them. Amounts are whole numbers from 0. */
export interface CreditsSettings {
  limit: number;
  shadowLimit: number | null;
  overage: { enabled: boolean; limit: number | undefined } | null;
  refill: RefillSettings | null;
  carryover: CarryoverSettings | null;
  expiresAt: number | null;
}

export interface RefillSettings {
  every: string;
  refillCredit: number;
  refillPolicy: "reset" | "add";
  carryover: CarryoverSettings | null;
}

export interface CarryoverSettings {
  enabled: boolean;
  max: number | undefined;
}

/**
 * A new pool from its settings: nothing used, the first refill an interval from now.
 *
 * @param errors gets what the field rules of the proto files cannot say
 */
export function createPool(settings: CreditsSettings, nowMs: number, errors: FieldError[]): Pool {
  const { overage, refill, carryover } = settings;
  if (overage?.enabled && overage.limit === undefined) {
    errors.push({ field: "credits.overage.limit", message: "is required when overage is enabled" });
  }
  const overageLimit = overage?.limit ?? 0;
  if (settings.limit + overageLimit > CREDITS_MAX) {
    errors.push({
      field: "credits.overage.limit",
      message: `limit and overage.limit together must be at most ${CREDITS_MAX}`,
    });
  }
  if (carryover !== null && refill === null) {
    errors.push({ field: "credits.carryover", message: "needs a refill" });
  }
  return {
    limit: settings.limit,
    used: 0,
    shadowLimit: settings.shadowLimit,
    overage: overage && { enabled: overage.enabled, limit: overageLimit },
    refill: refill && createRefill(refill, carryover, nowMs, errors),
    expiresAt: settings.expiresAt,
  };
}

function createRefill(
  settings: RefillSettings,
  outerCarryover: CarryoverSettings | null,
  nowMs: number,
  errors: FieldError[],
): PoolRefill {
  const interval = parseInterval(settings.every);
  // The inner one wins.
  const carryover = settings.carryover ?? outerCarryover;
  if (carryover?.enabled && carryover.max === undefined) {
    const field = settings.carryover === null ? "credits.carryover.max" : "credits.refill.carryover.max";
    errors.push({ field, message: "is required when carryover is enabled" });
  }
  return {
    ...interval,
    refillCredit: settings.refillCredit,
    refillPolicy: settings.refillPolicy,
    carryover: carryover && { enabled: carryover.enabled, max: carryover.max ?? 0 },
    nextRefillAt: nowMs + interval.everyMs,
  };
}

/** What is wrong with a webhook address; undefined: nothing that can be told from the text. */
export function checkWebhookUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) return "must be an http or https URL";
  return url.username || url.password ? "must not carry a user or a password" : undefined;
}
