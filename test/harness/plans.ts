import type { Collection } from "mongodb";
import { createAuditStore } from "../../src/audit/store.ts";
import type { Consumer } from "../../src/consumer/consumer.ts";
import { givePlanToHolders } from "../../src/consumer/give-plan.ts";
import { type ConsumerStore, createConsumerStore } from "../../src/consumer/store.ts";
import { createId } from "../../src/lib/id.ts";
import { connectDatabase } from "../../src/mongo/client.ts";
import { databaseTime } from "../../src/mongo/database-time.ts";
import { SessionPool } from "../../src/mongo/session-pool.ts";
import type { ApplyPlanOptions } from "../../src/plan/apply-plan.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { createPlanStore, type PlanStore } from "../../src/plan/store.ts";
import type { TestService } from "./service.ts";

/** Plans and their holders as another node of the service has them. */
export interface PlanNode extends ApplyPlanOptions {
  store: PlanStore;
  holders: ConsumerStore;
  plans: Collection<Plan>;
  consumers: Collection<Consumer>;
  close(): Promise<void>;
}

export async function openPlanNode({ databaseUri }: TestService): Promise<PlanNode> {
  const { client, db, close } = await connectDatabase(databaseUri, { giveUpHangingSockets: true });
  const holders = createConsumerStore(db, 0);
  return {
    store: createPlanStore(db),
    change: createAuditStore(new SessionPool(client), db, 0).change,
    findHolders: holders.findHolders,
    giveToHolders: (change, plan, holderIds) =>
      givePlanToHolders(change, plan, holderIds, holders, async () => undefined),
    now: () => databaseTime(db, 0),
    holders,
    plans: db.collection("plans"),
    consumers: db.collection("consumers"),
    close,
  };
}

/** Makes many holders of a plan out of one. */
export async function multiplyHolder({ consumers }: PlanNode, consumerId: string, count: number): Promise<void> {
  const model = await consumers.findOne({ _id: consumerId });
  if (model === null) throw new Error("no holder");
  const nowMs = Date.now();
  await consumers.insertMany(Array.from({ length: count - 1 }, () => ({ ...model, _id: createId("consumer", nowMs) })));
}

/** How many holders of a plan have which limit. */
export async function countLimits({ consumers }: PlanNode, planId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for await (const { credits } of consumers.find({ planId })) {
    const limit = String(credits?.limit);
    counts[limit] = (counts[limit] ?? 0) + 1;
  }
  return counts;
}

/** Terms of a plan as it is made here, and those that it is changed to. */
export const OLD_TERMS = { credits: { limit: 100 }, rateLimit: { limit: 1_000 } };
export const NEW_TERMS = { credits: { limit: 500 }, rateLimit: { limit: 2_000 } };

/** Calls that tests of plans make again and again. */
export function planCalls(service: () => TestService) {
  const ok: TestService["ok"] = (...call) => service().ok(...call);
  return {
    ok,
    createPlan: async (): Promise<string> => (await ok("/plan/create", { name: "a plan", ...OLD_TERMS })).planId,
    createHolder: async (planId: string): Promise<string> => (await ok("/consumer/create", { planId })).consumerId,
    details: (consumerId: string) => ok("/consumer/details", { consumerId }),
    apply: (planId: string, change: object = NEW_TERMS) =>
      ok("/plan/update", { planId, ...change, applyToConsumers: true }),
  };
}
