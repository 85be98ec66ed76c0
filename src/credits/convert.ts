import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Carryover,
  type CreditsSchema,
  type CreditsSettings as CreditsSettingsProto,
  type CreditsSettingsSchema,
  type CreditsUpdate,
  type Overage,
  type RateLimit as RateLimitProto,
  type RateLimitSchema,
  RefillPolicy,
  type RefillSettings,
} from "../../gen/keysvc/v1/credits_pb.js";
import { overageUsed, type Pool, type PoolRefill, remaining, settle } from "./pool.ts";
import type { CarryoverRequest, CreditsRequest, CreditsSettings, RateLimit, RefillRequest } from "./settings.ts";

/** The settings of a request. The field rules have seen to its required fields; amounts are below 2^53. */
export function fromProtoSettings(credits: CreditsSettingsProto): CreditsRequest {
  return {
    limit: fromLong(credits.limit) ?? null,
    shadowLimit: fromLong(credits.shadowLimit) ?? null,
    overage: fromProtoOverage(credits.overage),
    refill: fromProtoRefill(credits.refill),
    // Absent where there is none: null beside a refill would clear what the refill says.
    ...(credits.carryover && { carryover: fromProtoCarryover(credits.carryover) }),
    expiresAt: fromLong(credits.expiresAt) ?? null,
  };
}

/**
 * The change of a request.
 *
 * @param paths what changes, as paths of the update mask
 */
export function fromProtoUpdate(credits: CreditsUpdate | undefined, paths: ReadonlySet<string>): CreditsRequest {
  const has = (name: string) => paths.has(`credits.${name}`);
  return {
    ...(has("limit") && { limit: fromLong(credits?.limit) ?? null }),
    ...(has("used") && { used: fromLong(credits?.used) ?? null }),
    ...(has("shadow_limit") && { shadowLimit: fromLong(credits?.shadowLimit) ?? null }),
    ...(has("overage") && { overage: fromProtoOverage(credits?.overage) }),
    ...(has("refill") && { refill: fromProtoRefill(credits?.refill) }),
    ...(has("carryover") && { carryover: fromProtoCarryover(credits?.carryover) }),
    ...(has("expires_at") && { expiresAt: fromLong(credits?.expiresAt) ?? null }),
  };
}

function fromProtoOverage(overage: Overage | undefined): NonNullable<CreditsRequest["overage"]> | null {
  return overage ? { enabled: overage.enabled ?? false, limit: fromLong(overage.limit) } : null;
}

function fromProtoRefill(refill: RefillSettings | undefined): RefillRequest | null {
  if (refill === undefined) return null;
  return {
    every: refill.every ?? "",
    refillCredit: Number(refill.refillCredit),
    refillPolicy: refill.refillPolicy === RefillPolicy.ADD ? "add" : "reset",
    carryover: fromProtoCarryover(refill.carryover),
  };
}

function fromProtoCarryover(carryover: Carryover | undefined): CarryoverRequest | null {
  return carryover ? { enabled: carryover.enabled ?? false, max: fromLong(carryover.max) } : null;
}

export function fromProtoRateLimit(rateLimit: RateLimitProto): RateLimit {
  // A window of 1 second is the specification's default.
  return { limit: Number(rateLimit.limit), windowSeconds: rateLimit.window ?? 1 };
}

function fromLong(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** The pool at `nowMs`, refills that are due included. */
export function toProtoCredits(stored: Pool, nowMs: number): MessageInitShape<typeof CreditsSchema> {
  const pool = settle(stored, nowMs);
  const { refill } = pool;
  return {
    limit: BigInt(pool.limit),
    used: BigInt(pool.used),
    remaining: BigInt(remaining(pool, nowMs)),
    overageUsed: BigInt(overageUsed(pool)),
    ...toProtoOptional(pool),
    ...(refill && { refill: { ...toProtoSchedule(refill), nextRefillAt: BigInt(refill.nextRefillAt) } }),
  };
}

export function toProtoSettings(settings: CreditsSettings): MessageInitShape<typeof CreditsSettingsSchema> {
  const refill = settings.refill && toProtoSchedule(settings.refill);
  return {
    limit: BigInt(settings.limit),
    ...toProtoOptional(settings),
    // Under both of the names that a request may give it.
    ...(refill && { refill, carryover: refill.carryover }),
  };
}

function toProtoOptional({ shadowLimit, overage, expiresAt }: CreditsSettings | Pool) {
  return {
    ...(shadowLimit !== null && { shadowLimit: BigInt(shadowLimit) }),
    ...(overage && { overage: { enabled: overage.enabled, limit: BigInt(overage.limit) } }),
    ...(expiresAt !== null && { expiresAt: BigInt(expiresAt) }),
  };
}

function toProtoSchedule({ every, refillCredit, refillPolicy, carryover }: Omit<PoolRefill, "nextRefillAt">) {
  return {
    every,
    refillCredit: BigInt(refillCredit),
    refillPolicy: refillPolicy === "add" ? RefillPolicy.ADD : RefillPolicy.RESET,
    ...(carryover && { carryover: { enabled: carryover.enabled, max: BigInt(carryover.max) } }),
  };
}

export function toProtoRateLimit({ limit, windowSeconds }: RateLimit): MessageInitShape<typeof RateLimitSchema> {
  return { limit: BigInt(limit), window: windowSeconds };
}
