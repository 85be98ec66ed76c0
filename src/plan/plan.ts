import type { CreditsSettings, RateLimit } from "../credits/settings.ts";

/** What a plan gives to a consumer that holds it. */
export interface PlanTerms {
  /** null: it gives no credits. */
  credits: CreditsSettings | null;
  /** null: it gives none. */
  rateLimit: RateLimit | null;
  /** Goes up with every change and every application; a consumer keeps the one that it was given. */
  revision: number;
}

/** A plan as it is stored, in the collection `plans`: what is copied onto a consumer that it is attached to. */
export interface Plan extends PlanTerms {
  /** Carries the time of creation, so that plans sorted by id are sorted by age. */
  _id: string;
  projectId: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
  /** While it is applied to all its holders, and for a while after; else null. */
  application: PlanApplication | null;
}

/** Holders that were given an earlier revision get these terms, whatever becomes of the plan in the meantime. */
export interface PlanApplication extends PlanTerms {
  since: Date;
  /** Who asked for it; null: the operator. */
  credentialId: string | null;
  /** Until then a node works on it; another may go on once it has passed. */
  claimedUntil: Date;
}

/** A plan with an application. */
export type AppliedPlan = Plan & { application: PlanApplication };

/** What an update changes; absent fields stay. */
export type PlanChange = Partial<Pick<Plan, "name" | "credits" | "rateLimit">>;

/**
 * For how long an application stays after it began, although no holder is left: a transaction that attaches the plan as it
 * was before may still be under way. MongoDB gives a transaction one minute, that one and the one that changed the plan.
 */
export const APPLICATION_KEPT_MS = 3 * 60_000;

/** For how long a node may be silent before another goes on with its application. */
export const CLAIM_MS = 30_000;

/** The plan after a change. One of nothing changes nothing, the time of the last change neither. */
export function changePlan(plan: Plan, change: PlanChange, nowMs: number): Plan {
  if (Object.keys(change).length === 0) return plan;
  return { ...plan, ...change, updatedAt: new Date(nowMs) };
}

/** The plan, as it is now on its way to all its holders; an application under way ends. */
export function beginApplication(plan: Plan, credentialId: string | null, nowMs: number): AppliedPlan {
  const { credits, rateLimit, revision } = plan;
  const claimedUntil = new Date(nowMs + CLAIM_MS);
  return { ...plan, application: { credits, rateLimit, revision, since: new Date(nowMs), credentialId, claimedUntil } };
}

/** The plan as its application gives it to the holders. */
export function planAsApplied({ application, ...plan }: AppliedPlan): Plan {
  const { credits, rateLimit, revision } = application;
  return { ...plan, credits, rateLimit, revision, application };
}
