import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../lib/fault.ts";
import type { Change, MakeChange } from "../mongo/change.ts";
import { classifyMongoError } from "../mongo/classify-error.ts";
import { APPLICATION_KEPT_MS, type AppliedPlan, type Plan, planAsApplied } from "./plan.ts";
import type { ApplicationStore } from "./store.ts";

export interface ApplyPlanOptions {
  store: ApplicationStore;
  change: MakeChange;
  /** Holders of a plan that have been given a revision of it before this one. */
  findHolders: (projectId: string, planId: string, revision: number, count: number) => Promise<string[]>;
  /**
   * Gives a plan to those of these holders that have an earlier revision, so that none of them is found again. Answers how
   * many consumers got it.
   */
  giveToHolders: (change: Change, plan: Plan, holderIds: readonly string[]) => Promise<number>;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

/** Holders in one transaction. Their charges wait for it; so many take it some 30 ms. */
const BATCH_MAX = 200;
/** How often in a row a batch may fail because of others who write the same, or of a database out of reach. */
const FAILURES_MAX = 8;
const PAUSE_MS = 100;

/**
 * Gives a plan to all its holders, batch by batch, each a change of its own. The application is stored with the plan and
 * the revision with each holder, so that it can stop anywhere and go on elsewhere.
 *
 * @param beganMs the time at which it begins or goes on
 * @param signal ends it after the batch under way
 * @returns how many consumers got it; fewer when the plan is deleted or applied again meanwhile. Throws STOPPING when it
 *   was ended
 */
export async function applyPlan(
  plan: AppliedPlan,
  beganMs: number,
  options: ApplyPlanOptions,
  signal: AbortSignal,
): Promise<number> {
  let updated = 0;
  let batchSize = BATCH_MAX;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const given = await giveToSome(plan, batchSize, options);
      if (given === "done") await finish(plan, beganMs, options);
      if (given === "done" || given === "over") return updated;
      updated += given;
      failures = 0;
      batchSize = Math.min(batchSize * 2, BATCH_MAX);
    } catch (error) {
      failures++;
      if (failures > FAILURES_MAX || classifyMongoError(error) === undefined) throw error;
      // Of fewer holders, fewer are being charged at the moment when they are locked.
      batchSize = Math.ceil(batchSize / 4);
      await sleep(failures * PAUSE_MS);
    }
  }
  const detail = "the plan is changed, and goes on being given to its holders by another node or after the start";
  throw new Fault("STOPPING", detail, { retryAfterSeconds: 1 });
}

/**
 * Goes on with applications that no node works on, and ends those that nothing can be left of. To be run again and again;
 * nodes may do so at once.
 *
 * @param signal ends the work after the batch under way
 */
export async function resumeApplications(options: ApplyPlanOptions, signal: AbortSignal): Promise<void> {
  const { store, now } = options;
  const startMs = await now();
  while (!signal.aborted) {
    const nowMs = await now();
    const plan = await store.claimApplication(startMs, nowMs);
    if (plan === undefined) return;
    await applyPlan(plan, nowMs, options, signal).catch((error: unknown) => {
      // Whoever goes on finds it as it stands.
      if (!signal.aborted) throw error;
    });
  }
}

/** @returns how many consumers got the plan; `done`: none is left; `over`: there is nothing to apply any more */
async function giveToSome(
  plan: AppliedPlan,
  count: number,
  { store, change: makeChange, findHolders, giveToHolders }: ApplyPlanOptions,
): Promise<number | "done" | "over"> {
  const { _id: planId, projectId, application } = plan;
  const holderIds = await findHolders(projectId, planId, application.revision, count);
  if (holderIds.length === 0) return "done";
  return makeChange({ projectId, credentialId: application.credentialId }, async (change) => {
    const held = await store.holdApplication(change, plan);
    return held === undefined ? "over" : giveToHolders(change, planAsApplied(held), holderIds);
  });
}

/** Before the application may end, someone could still attach the plan as it was: then it is looked for again later. */
async function finish(plan: AppliedPlan, beganMs: number, { store, now }: ApplyPlanOptions): Promise<void> {
  if (beganMs >= plan.application.since.getTime() + APPLICATION_KEPT_MS) return store.endApplication(plan);
  return store.releaseApplication(plan, await now());
}
