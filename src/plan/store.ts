import type { Db } from "mongodb";
import type { Page } from "../lib/page.ts";
import type { Change } from "../mongo/change.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import { type AppliedPlan, CLAIM_MS, type Plan } from "./plan.ts";

export const planIndexes: CollectionIndexes = {
  collection: "plans",
  indexes: [
    { name: "project", key: { projectId: 1, _id: 1 } },
    {
      name: "application",
      key: { "application.claimedUntil": 1 },
      partialFilterExpression: { "application.claimedUntil": { $exists: true } },
    },
  ],
};

export interface PlanStore extends ApplicationStore {
  insert(change: Change, plan: Plan): Promise<void>;
  /** A plan of the project; undefined when there is none. */
  find(projectId: string, planId: string): Promise<Plan | undefined>;
  /** The same, read within a change that does not change it. */
  findWithin(change: Change, planId: string): Promise<Plan | undefined>;
  /**
   * Takes the plan for this change, its first operation: other changes and batches of an application wait until it has
   * ended. The plan has its next revision already; undefined when there is none.
   */
  lock(change: Change, planId: string): Promise<Plan | undefined>;
  /** Writes a plan that this change has locked. */
  save(change: Change, plan: Plan): Promise<void>;
  /** Removes a plan, and answers it as it was; undefined when there is none. */
  remove(change: Change, planId: string): Promise<Plan | undefined>;
  /** Plans of the project, newest first, and how many there are. */
  list(projectId: string, page: Page): Promise<{ total: number; plans: Plan[] }>;
}

/** Applications of plans, which are no changes of them. */
export interface ApplicationStore {
  /**
   * Takes the plan for a batch of its application, and renews the claim.
   *
   * @returns undefined when the application is over: the plan was deleted, or a later application began
   */
  holdApplication(change: Change, plan: AppliedPlan): Promise<AppliedPlan | undefined>;
  /** Claims an application, of whichever project, whose claim passed before a time; undefined when there is none. */
  claimApplication(passedBeforeMs: number, nowMs: number): Promise<AppliedPlan | undefined>;
  /** Gives up the claim, once no holder is left. */
  releaseApplication(plan: AppliedPlan, nowMs: number): Promise<void>;
  /** Ends the application. */
  endApplication(plan: AppliedPlan): Promise<void>;
}

export function createPlanStore(db: Db): PlanStore {
  const plans = db.collection<Plan>("plans");
  return {
    ...createApplicationStore(db),
    async insert({ session }, plan) {
      await plans.insertOne(plan, { session });
    },
    async find(projectId, planId) {
      // Served by _id.
      return (await plans.findOne({ _id: planId, projectId })) ?? undefined;
    },
    async findWithin({ actor: { projectId }, session }, planId) {
      // Served by _id.
      return (await plans.findOne({ _id: planId, projectId }, { session })) ?? undefined;
    },
    async lock({ actor: { projectId }, session }, planId) {
      // Served by _id.
      const plan = await plans.findOneAndUpdate(
        { _id: planId, projectId },
        { $inc: { revision: 1 } },
        { session, returnDocument: "after" },
      );
      return plan ?? undefined;
    },
    async save({ session }, plan) {
      // As a whole: since lock(), nobody else has written it. Served by _id.
      await plans.replaceOne({ _id: plan._id, projectId: plan.projectId }, plan, { session });
    },
    async remove({ actor: { projectId }, session }, planId) {
      // Of two that delete at once, one gets the plan. Served by _id.
      return (await plans.findOneAndDelete({ _id: planId, projectId }, { session })) ?? undefined;
    },
    async list(projectId, { skip, limit }) {
      // Both served by the index project, the page in order.
      const [total, found] = await Promise.all([
        plans.countDocuments({ projectId }),
        plans.find({ projectId }).sort({ _id: -1 }).skip(skip).limit(limit).toArray(),
      ]);
      return { total, plans: found };
    },
  };
}

function createApplicationStore(db: Db): ApplicationStore {
  // Every filter below asks for an application.
  const plans = db.collection<AppliedPlan>("plans");
  const same = ({ _id, projectId, application }: AppliedPlan) => {
    return { _id, projectId, "application.revision": application.revision };
  };
  return {
    async holdApplication({ session, nowMs }, plan) {
      // Until the batch has ended nobody else can change the plan or apply it. Served by _id.
      const held = await plans.findOneAndUpdate(
        same(plan),
        { $set: { "application.claimedUntil": new Date(nowMs + CLAIM_MS) } },
        { session, returnDocument: "after" },
      );
      return held ?? undefined;
    },
    async claimApplication(passedBeforeMs, nowMs) {
      // Of two nodes, one gets it. The longest silent first, so that one which always fails keeps no other from its turn.
      // Served by the index application, in order.
      const claimed = await plans.findOneAndUpdate(
        { "application.claimedUntil": { $lt: new Date(passedBeforeMs) } },
        { $set: { "application.claimedUntil": new Date(nowMs + CLAIM_MS) } },
        { sort: { "application.claimedUntil": 1 }, returnDocument: "after" },
      );
      return claimed ?? undefined;
    },
    async releaseApplication(plan, nowMs) {
      // Not that of a later application. Served by _id.
      await plans.updateOne(same(plan), { $set: { "application.claimedUntil": new Date(nowMs) } });
    },
    async endApplication(plan) {
      // Not a later application. Served by _id.
      await db.collection<Plan>("plans").updateOne(same(plan), { $set: { application: null } });
    },
  };
}
