import type { FieldError } from "../lib/fault.ts";
import { parseInterval } from "./interval.ts";
import { CREDITS_MAX, type Pool, type PoolRefill } from "./pool.ts";

/** Calls of /key/validate that may pass in a window. */
export interface RateLimit {
  limit: number;
  windowSeconds: number;
}

/** What a pool is made from, as plans keep it. Amounts are whole numbers from 0. */
export interface CreditsSettings {
  limit: number;
  shadowLimit: number | null;
  overage: Pool["overage"];
  refill: Omit<PoolRefill, "nextRefillAt"> | null;
  expiresAt: number | null;
}

/** Credits as a request has them: absent fields are undefined, null clears. Absent and cleared are the same where there is nothing to change. */
export interface CreditsRequest {
  limit?: number | null;
  used?: number | null;
  shadowLimit?: number | null;
  overage?: { enabled: boolean; limit: number | undefined } | null;
  refill?: RefillRequest | null;
  carryover?: CarryoverRequest | null;
  expiresAt?: number | null;
}

export interface RefillRequest {
  every: string;
  refillCredit: number;
  refillPolicy: "reset" | "add";
  carryover: CarryoverRequest | null;
}

export interface CarryoverRequest {
  enabled: boolean;
  max: number | undefined;
}

/**
 * Makes settings of a request.
 *
 * @param errors gets what the field rules of the proto files cannot say
 */
export function createSettings(request: CreditsRequest, errors: FieldError[]): CreditsSettings {
  const { used: _used, refill, ...settings } = mergePool(null, request, 0, errors);
  if (refill === null) return { ...settings, refill };
  const { nextRefillAt: _next, ...schedule } = refill;
  return { ...settings, refill: schedule };
}

/**
 * The pool of a consumer whose credits are these settings from now on. What was used stays used, and a schedule whose
 * interval stays goes on as it was.
 *
 * @param current the pool as it was, settled at `nowMs`; null: a new one, with nothing used
 */
export function applySettings(settings: CreditsSettings, current: Pool | null, nowMs: number): Pool {
  return {
    ...settings,
    used: current?.used ?? 0,
    refill: settings.refill && schedule(settings.refill, current, nowMs),
  };
}

/** A changed interval starts anew; the same goes on (contract: nextRefillAt starts anew only when `every` changes). */
function schedule(refill: Omit<PoolRefill, "nextRefillAt">, current: Pool | null, nowMs: number): PoolRefill {
  const running = current?.refill?.every === refill.every ? current.refill.nextRefillAt : undefined;
  return { ...refill, nextRefillAt: running ?? nowMs + refill.everyMs };
}

/**
 * The pool after a change of some of its fields; the others stay as they are.
 *
 * @param current the pool as it is, settled at `nowMs`; null: unlimited, so that `limit` is needed
 * @param errors gets what the field rules of the proto files cannot say
 */
export function mergePool(current: Pool | null, request: CreditsRequest, nowMs: number, errors: FieldError[]): Pool {
  const limit = mergeLimit(current, request, errors);
  const overage = request.overage === undefined ? (current?.overage ?? null) : readOverage(request.overage, errors);
  const pool: Pool = {
    limit,
    // Cleared, it is that nothing was used.
    used: (request.used === undefined ? current?.used : request.used) ?? 0,
    shadowLimit: (request.shadowLimit === undefined ? current?.shadowLimit : request.shadowLimit) ?? null,
    overage,
    refill: mergeRefill(current, request, nowMs, errors),
    expiresAt: (request.expiresAt === undefined ? current?.expiresAt : request.expiresAt) ?? null,
  };
  // Refills may have taken a pool whose overage is off beyond the bound: a change of something else is not at fault.
  const changesSize = request.limit !== undefined || request.overage !== undefined;
  if (changesSize && limit + (overage?.limit ?? 0) > CREDITS_MAX) {
    const field = request.overage ? "credits.overage.limit" : "credits.limit";
    errors.push({ field, message: `limit and overage.limit together must be at most ${CREDITS_MAX}` });
  }
  return pool;
}

function mergeLimit(current: Pool | null, { limit }: CreditsRequest, errors: FieldError[]): number {
  if (limit === null) {
    errors.push({ field: "credits.limit", message: "cannot be cleared; `credits: null` makes the consumer unlimited" });
  } else if (limit === undefined && current === null) {
    errors.push({ field: "credits.limit", message: "is required, because the consumer has no credits yet" });
  }
  return limit ?? current?.limit ?? 0;
}

function readOverage(overage: NonNullable<CreditsRequest["overage"]> | null, errors: FieldError[]): Pool["overage"] {
  if (overage?.enabled && overage.limit === undefined) {
    errors.push({ field: "credits.overage.limit", message: "is required when overage is enabled" });
  }
  return overage && { enabled: overage.enabled, limit: overage.limit ?? 0 };
}

/** A schedule is replaced as a whole; `carryover` beside it is the same as within it, and the inner one wins. */
function mergeRefill(
  current: Pool | null,
  { refill, carryover }: CreditsRequest,
  nowMs: number,
  errors: FieldError[],
): PoolRefill | null {
  if (refill) {
    const inner = refill.carryover !== null;
    const { every, everyMs } = parseInterval(refill.every);
    const rolled = readCarryover(
      inner ? refill.carryover : (carryover ?? null),
      inner ? "credits.refill" : "credits",
      errors,
    );
    const { refillCredit, refillPolicy } = refill;
    return schedule({ every, everyMs, refillCredit, refillPolicy, carryover: rolled }, current, nowMs);
  }
  const kept = refill === undefined ? (current?.refill ?? null) : null;
  if (carryover === undefined) return kept;
  const rolled = readCarryover(carryover, "credits", errors);
  if (kept === null && carryover !== null) errors.push({ field: "credits.carryover", message: "needs a refill" });
  return kept && { ...kept, carryover: rolled };
}

function readCarryover(
  carryover: CarryoverRequest | null,
  parent: string,
  errors: FieldError[],
): PoolRefill["carryover"] {
  if (carryover?.enabled && carryover.max === undefined) {
    errors.push({ field: `${parent}.carryover.max`, message: "is required when carryover is enabled" });
  }
  return carryover && { enabled: carryover.enabled, max: carryover.max ?? 0 };
}
