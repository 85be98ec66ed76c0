import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attachPlan } from "../../src/consumer/consumer.ts";
import { emptyConsumer } from "../../src/consumer/new-consumer.ts";
import { type ApplyPlanOptions, applyPlan, resumeApplications } from "../../src/plan/apply-plan.ts";
import { APPLICATION_KEPT_MS, type AppliedPlan, beginApplication, CLAIM_MS, type Plan } from "../../src/plan/plan.ts";
import {
  countLimits,
  multiplyHolder,
  NEW_TERMS,
  OLD_TERMS,
  openPlanNode,
  type PlanNode,
  planCalls,
} from "../harness/plans.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let node: PlanNode;
beforeAll(async () => {
  service = await startService();
  node = await openPlanNode(service);
});
afterAll(async () => {
  await node.close();
  await service.close();
});

const { ok, createPlan, createHolder, details, apply } = planCalls(() => service);
const signal = new AbortController().signal;

async function stored(planId: string): Promise<Plan> {
  const plan = await node.plans.findOne({ _id: planId });
  if (plan === null) throw new Error("no plan");
  return plan;
}

/** What a call leaves behind whose node dies as soon as the change of the plan is made. */
async function beginOnly(planId: string): Promise<AppliedPlan> {
  await ok("/plan/update", { planId, ...NEW_TERMS });
  const { projectId } = await stored(planId);
  return node.change({ projectId, credentialId: null }, async (change) => {
    const plan = beginApplication(
      (await node.store.lock(change, planId)) ?? (await stored(planId)),
      null,
      change.nowMs,
    );
    await node.store.save(change, plan);
    return plan;
  });
}

/** Makes the application's beginning, or its claim, so much older. */
async function age(planId: string, field: "since" | "claimedUntil", ms: number): Promise<void> {
  const older = { $subtract: [`$application.${field}`, ms] };
  await node.plans.updateOne({ _id: planId }, [{ $set: { [`application.${field}`]: older } }]);
}

describe("an application", () => {
  it("whose node died goes on elsewhere once the claim has passed, and reaches every holder once", async () => {
    const planId = await createPlan();
    await multiplyHolder(node, await createHolder(planId), 450);
    // The node of the call dies with its second batch.
    let batches = 0;
    const dying: ApplyPlanOptions = {
      ...node,
      giveToHolders: async (...batch) => {
        if (++batches > 1) throw new Error("died");
        return node.giveToHolders(...batch);
      },
    };
    const plan = await beginOnly(planId);
    await expect(applyPlan(plan, Date.now(), dying, signal)).rejects.toThrow("died");
    expect(await countLimits(node, planId)).toEqual({ 100: 250, 500: 200 });

    await resumeApplications(node, signal);
    expect(await countLimits(node, planId)).toEqual({ 100: 250, 500: 200 });
    await age(planId, "claimedUntil", CLAIM_MS + 1_000);
    await Promise.all([resumeApplications(node, signal), resumeApplications(node, signal)]);
    expect(await countLimits(node, planId)).toEqual({ 500: 450 });
  });

  it("reaches a consumer that was attached meanwhile by a change that had seen the plan as it was, then ends", async () => {
    const planId = await createPlan();
    const { projectId } = await stored(planId);
    const consumerId = await node.change({ projectId, credentialId: null }, async (change) => {
      const plan = await node.store.findWithin(change, planId);
      if (plan === undefined) throw new Error("no plan");
      expect((await apply(planId)).consumersUpdated).toBe(0);
      const consumer = attachPlan(emptyConsumer(projectId, change.nowMs), plan, change.nowMs);
      await node.holders.insert(change, consumer);
      return consumer._id;
    });
    expect(await details(consumerId)).toMatchObject(OLD_TERMS);
    await resumeApplications(node, signal);
    expect(await details(consumerId)).toMatchObject(NEW_TERMS);

    expect((await stored(planId)).application).not.toBe(null);
    await age(planId, "since", APPLICATION_KEPT_MS);
    await resumeApplications(node, signal);
    expect((await stored(planId)).application).toBe(null);
  });

  it("gives what it began with, whatever becomes of the plan", async () => {
    const planId = await createPlan();
    const consumerId = await createHolder(planId);
    await beginOnly(planId);
    await ok("/plan/update", { planId, credits: { limit: 9 } });
    const later = await createHolder(planId);
    await age(planId, "claimedUntil", CLAIM_MS + 1_000);
    await resumeApplications(node, signal);
    expect(await details(consumerId)).toMatchObject(NEW_TERMS);
    expect((await details(later)).credits.limit).toBe(9);
  });

  it("stops when the plan is deleted", async () => {
    const planId = await createPlan();
    const consumerId = await createHolder(planId);
    const plan = await beginOnly(planId);
    await ok("/plan/delete", { planId });
    expect(await applyPlan(plan, Date.now(), node, signal)).toBe(0);
    expect(await details(consumerId)).toMatchObject({ planId, ...OLD_TERMS });
  });

  it("loses no charge of 300 holders that are charged meanwhile, and leaves none on the old values", async () => {
    const planId = await createPlan();
    const holders: { consumerId: string; key: string }[] = [];
    // Not all at once: a machine that is busy would let some of them wait for too long.
    while (holders.length < 300) {
      const some = Array.from({ length: 20 }, () => createConsumerWithKey(service, { planId }));
      holders.push(...(await Promise.all(some)));
    }
    const charged = new Map<string, number>();
    let isOver = false;
    const caller = async (first: number) => {
      for (let call = first; !isOver; call += 7) {
        const { key, consumerId } = holders[call % holders.length] ?? { key: "", consumerId: "" };
        const { code } = await ok("/key/validate", { key, credits: 2 });
        if (code === "VALID") charged.set(consumerId, (charged.get(consumerId) ?? 0) + 2);
      }
    };
    const callers = Array.from({ length: 16 }, (_, index) => caller(index));
    let updated = 0;
    for (const limit of [1_000, 2_000, 3_000]) {
      updated += (await apply(planId, { credits: { limit }, rateLimit: { limit } })).consumersUpdated;
    }
    isOver = true;
    await Promise.all(callers);
    expect(updated).toBe(900);
    const consumers = await node.consumers.find({ planId }).toArray();
    const ends = consumers.map(({ _id, credits, rateLimit }) => [_id, credits?.used, credits?.limit, rateLimit?.limit]);
    expect(ends.sort()).toEqual(
      holders.map(({ consumerId }) => [consumerId, charged.get(consumerId) ?? 0, 3_000, 3_000]).sort(),
    );
    expect(charged.size).toBeGreaterThan(30);
  });
});
