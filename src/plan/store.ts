import type { Db } from "mongodb";
import type { Change } from "../mongo/change.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import type { Plan } from "./plan.ts";

export const planIndexes: CollectionIndexes = {
  collection: "plans",
  indexes: [{ name: "project", key: { projectId: 1, _id: 1 } }],
};

export interface PlanStore {
  insert(change: Change, plan: Plan): Promise<void>;
  /** A plan of the project, read within the change; undefined when there is none. */
  find(change: Change, planId: string): Promise<Plan | undefined>;
}

export function createPlanStore(db: Db): PlanStore {
  const plans = db.collection<Plan>("plans");
  return {
    async insert({ session }, plan) {
      await plans.insertOne(plan, { session });
    },
    async find({ actor: { projectId }, session }, planId) {
      // Served by _id.
      return (await plans.findOne({ _id: planId, projectId }, { session })) ?? undefined;
    },
  };
}
