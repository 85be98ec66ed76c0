import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { PlanSchema, PlanServiceCreateRequest, PlanServiceUpdateRequest } from "../../gen/keysvc/v1/plan_pb.js";
import { fromProtoRateLimit, fromProtoSettings, toProtoRateLimit, toProtoSettings } from "../credits/convert.ts";
import { createSettings } from "../credits/settings.ts";
import type { FieldError } from "../lib/fault.ts";
import type { Plan, PlanChange } from "./plan.ts";

/**
 * What a new plan gives.
 *
 * @param errors gets what the field rules of the proto files cannot say
 */
export function fromProtoTerms(
  { credits, rateLimit }: PlanServiceCreateRequest,
  errors: FieldError[],
): Pick<Plan, "credits" | "rateLimit"> {
  return { credits: readCredits(credits, errors), rateLimit: readRateLimit(rateLimit) };
}

/**
 * The change of an update request.
 *
 * @param paths what changes, as paths of the update mask
 * @param errors gets what the field rules of the proto files cannot say
 */
export function fromProtoChange(
  { name, credits, rateLimit }: PlanServiceUpdateRequest,
  paths: ReadonlySet<string>,
  errors: FieldError[],
): PlanChange {
  if (paths.has("name") && name === undefined) errors.push({ field: "name", message: "cannot be cleared" });
  return {
    ...(paths.has("name") && name !== undefined && { name }),
    ...(paths.has("credits") && { credits: readCredits(credits, errors) }),
    ...(paths.has("rate_limit") && { rateLimit: readRateLimit(rateLimit) }),
  };
}

function readCredits(credits: PlanServiceCreateRequest["credits"], errors: FieldError[]): Plan["credits"] {
  return credits ? createSettings(fromProtoSettings(credits), errors) : null;
}

function readRateLimit(rateLimit: PlanServiceCreateRequest["rateLimit"]): Plan["rateLimit"] {
  return rateLimit ? fromProtoRateLimit(rateLimit) : null;
}

/** The fields of a plan that every answer shows under the same names. */
export function toProtoPlan(plan: Plan): Omit<MessageInitShape<typeof PlanSchema>, "$typeName"> {
  return {
    planId: plan._id,
    name: plan.name,
    ...(plan.credits && { credits: toProtoSettings(plan.credits) }),
    ...(plan.rateLimit && { rateLimit: toProtoRateLimit(plan.rateLimit) }),
    createdAt: timestampFromDate(plan.createdAt),
    updatedAt: timestampFromDate(plan.updatedAt),
  };
}

/** A plan as the audit log shows it. */
export function toAudit({ name, credits, rateLimit }: Plan): Record<string, unknown> {
  return {
    name,
    credits: credits && auditedSettings(credits),
    rateLimit: rateLimit && { limit: rateLimit.limit, window: rateLimit.windowSeconds },
  };
}

/** Without what is derived. */
function auditedSettings({ refill, ...settings }: NonNullable<Plan["credits"]>): object {
  if (refill === null) return { ...settings, refill };
  const { everyMs: _everyMs, ...schedule } = refill;
  return { ...settings, refill: schedule };
}
