import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  countLimits,
  multiplyHolder,
  NEW_TERMS,
  OLD_TERMS,
  openPlanNode,
  type PlanNode,
  planCalls,
} from "../harness/plans.ts";
import { startService, type TestService } from "../harness/service.ts";

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

describe("/plan/update with applyToConsumers", () => {
  it("gives the plan to every holder, whose used credits stay used, and to nobody else", async () => {
    const planId = await createPlan();
    const [holder, detached] = [await createHolder(planId), await createHolder(planId)];
    const another = await createHolder(await createPlan());
    await ok("/consumer/update", { consumerId: holder, credits: { used: 30 } });
    await ok("/consumer/update", { consumerId: detached, planId: null });
    expect(await apply(planId)).toMatchObject({ planId, ...NEW_TERMS, consumersUpdated: 1 });
    expect(await details(holder)).toMatchObject({
      planId,
      credits: { limit: 500, used: 30, remaining: 470 },
      rateLimit: NEW_TERMS.rateLimit,
    });
    for (const other of [detached, another]) expect(await details(other)).toMatchObject(OLD_TERMS);
  });

  it("false leaves the holders as they are, until a later one applies all", async () => {
    const planId = await createPlan();
    const consumerId = await createHolder(planId);
    expect((await ok("/plan/update", { planId, ...NEW_TERMS })).consumersUpdated).toBe(0);
    expect(await details(consumerId)).toMatchObject(OLD_TERMS);
    expect((await apply(planId, {})).consumersUpdated).toBe(1);
    expect(await details(consumerId)).toMatchObject(NEW_TERMS);
  });

  it("alone gives the plan as it is anew, also to holders that were changed since, and is no change of the plan", async () => {
    const planId = await createPlan();
    const consumerId = await createHolder(planId);
    await ok("/consumer/update", { consumerId, rateLimit: null, credits: { limit: 1, used: 7 } });
    const before = await ok("/plan/details", { planId });
    expect(await apply(planId, {})).toEqual({ ...before, consumersUpdated: 1 });
    expect(await details(consumerId)).toMatchObject({ ...OLD_TERMS, credits: { limit: 100, used: 7 } });
    expect((await ok("/audit/list", { targetId: planId })).entries).toHaveLength(1);
  });

  it("leaves a rate limit and credits alone that the plan does not give any more", async () => {
    const planId = await createPlan();
    const consumerId = await createHolder(planId);
    await apply(planId, { credits: null, rateLimit: null });
    expect(await details(consumerId)).toMatchObject(OLD_TERMS);
  });

  it("reaches a deleted consumer that can be restored, and none that is gone", async () => {
    const planId = await createPlan();
    const [deleted, gone] = [await createHolder(planId), await createHolder(planId)];
    for (const consumerId of [deleted, gone]) await ok("/consumer/delete", { consumerId });
    await node.consumers.updateOne({ _id: gone }, { $set: { deletedAt: new Date(Date.now() - 8 * 24 * 3_600_000) } });
    expect((await apply(planId)).consumersUpdated).toBe(1);
    expect(await details(deleted)).toMatchObject({ status: "deleted", ...NEW_TERMS });
    await ok("/consumer/update", { consumerId: deleted, status: "active" });
    expect(await details(deleted)).toMatchObject({ status: "active", ...NEW_TERMS });
    expect((await node.consumers.findOne({ _id: gone }))?.credits?.limit).toBe(100);
    expect((await ok("/audit/list", { targetId: gone })).entries[0].action).toBe("consumer.delete");
  });

  it("is in the audit log of each consumer that it changed, and of no other", async () => {
    const planId = await createPlan();
    const [changed, same] = [await createHolder(planId), await createHolder(planId)];
    await ok("/consumer/update", { consumerId: same, credits: { limit: 500 }, rateLimit: { limit: 2_000 } });
    expect((await apply(planId)).consumersUpdated).toBe(2);
    const [entry] = (await ok("/audit/list", { targetId: changed })).entries;
    const [update] = (await ok("/audit/list", { targetId: planId })).entries;
    expect(entry).toMatchObject({ action: "consumer.update", credentialId: update.credentialId });
    expect(entry).toMatchObject({ before: { credits: { limit: 100 } }, after: { credits: { limit: 500 } } });
    expect(Object.keys(entry.after).sort()).toEqual(["credits", "rateLimit"]);
    expect((await ok("/audit/list", { targetId: same })).entries).toHaveLength(2);
  });

  it("reaches all of many holders, whichever of several applications at once is the last", async () => {
    const planId = await createPlan();
    await multiplyHolder(node, await createHolder(planId), 700);
    const answers = await Promise.all([201, 202, 203].map((limit) => apply(planId, { credits: { limit } })));
    const { credits } = await ok("/plan/details", { planId });
    expect(await countLimits(node, planId)).toEqual({ [credits.limit]: 700 });
    const last = answers.find((answer) => answer.credits.limit === credits.limit);
    expect(last.consumersUpdated).toBe(700);
  });
});
