import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let call: TestService["call"];
let ok: TestService["ok"];
beforeAll(async () => {
  service = await startService();
  ({ call, ok } = service);
});
afterAll(() => service.close());

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const CREDITS = {
  limit: 100,
  shadowLimit: 80,
  overage: { enabled: true, limit: 10 },
  refill: { every: "7d", refillCredit: 50, refillPolicy: "add", carryover: { enabled: true, max: 5 } },
  expiresAt: 1_893_456_000_000,
};
const RATE_LIMIT = { limit: 5, window: 60 };

/** A plan of credits and a rate limit. */
const createPlan = (more: object = {}) =>
  ok("/plan/create", { name: "gold", credits: CREDITS, rateLimit: RATE_LIMIT, ...more });

describe("a plan", () => {
  it("is answered with every field when it is made, and so by details and list", async () => {
    const plan = await createPlan();
    expect(plan).toEqual({
      planId: expect.stringMatching(/^plan_\w+$/),
      name: "gold",
      credits: { ...CREDITS, carryover: CREDITS.refill.carryover },
      rateLimit: RATE_LIMIT,
      createdAt: expect.stringMatching(TIME),
      updatedAt: plan.createdAt,
    });
    expect(await ok("/plan/details", { planId: plan.planId })).toEqual(plan);
    expect((await ok("/plan/list", { limit: 1 })).plans).toEqual([plan]);
  });

  it("may give nothing: credits and rate limit are null", async () => {
    const plan = await ok("/plan/create", { name: "empty" });
    expect(plan).toMatchObject({ name: "empty", credits: null, rateLimit: null });
    expect(await ok("/plan/details", { planId: plan.planId })).toEqual(plan);
  });

  it("shows a carryover under both of its names, whichever it was given under, and takes them back", async () => {
    const carryover = { enabled: true, max: 5 };
    const refill = { every: "7d", refillCredit: 50, refillPolicy: "add" };
    for (const credits of [
      { limit: 1, refill: { ...refill, carryover } },
      { limit: 1, refill, carryover },
    ]) {
      const plan = await createPlan({ credits });
      expect(plan.credits).toMatchObject({ refill: { ...refill, carryover }, carryover });
      const updated = await ok("/plan/update", { planId: plan.planId, credits: plan.credits });
      expect(updated.credits).toEqual(plan.credits);
    }
    const without = await createPlan({ credits: { limit: 1, refill } });
    expect(without.credits).toMatchObject({ refill: { ...refill, carryover: null }, carryover: null });
  });

  it("has the defaults of credits and of a rate limit filled in", async () => {
    const credits = { limit: 1, refill: { every: "monthly", refillCredit: 2 }, carryover: { enabled: false } };
    expect(await ok("/plan/create", { name: "p", credits, rateLimit: { limit: 3 } })).toMatchObject({
      credits: {
        ...{ limit: 1, shadowLimit: null, overage: null, expiresAt: null },
        refill: { every: "1d", refillCredit: 2, refillPolicy: "reset", carryover: { enabled: false, max: 0 } },
      },
      rateLimit: { limit: 3, window: 1 },
    });
  });

  it.each<[object, string[]]>([
    [{ limit: 2 ** 53 - 1, overage: { enabled: true, limit: 1 } }, ["credits.overage.limit"]],
    [{ limit: 1, overage: { enabled: true } }, ["credits.overage.limit"]],
    [{ limit: 1, carryover: { enabled: true, max: 1 } }, ["credits.carryover"]],
    [{ limit: 1, used: 5 }, ["credits.used"]],
    [{ shadowLimit: 1 }, ["credits.limit"]],
  ])("is refused with credits of %j, on create and on update", async (credits, fields) => {
    const { planId } = await createPlan();
    for (const [path, request] of [
      ["/plan/create", { name: "p", credits }],
      ["/plan/update", { planId, credits }],
    ] as const) {
      expectProblem(await call(path, request), 400, "invalid_argument", fields);
    }
  });

  it("of another project does not exist", async () => {
    const { planId } = await createPlan();
    const { projectKey } = await ok("/project/create", { name: "other" }, ADMIN_KEY);
    const calls = { "/plan/details": {}, "/plan/update": { name: "x" }, "/plan/delete": {}, "/consumer/create": {} };
    for (const [path, request] of Object.entries(calls)) {
      expectProblem(await call(path, { planId, ...request }, projectKey), 404, "not_found");
    }
    expect(await ok("/plan/list", {}, projectKey)).toMatchObject({ total: 0, plans: [] });
    expect((await ok("/plan/details", { planId })).name).toBe("gold");
  });
});

describe("/plan/update", () => {
  it("changes what is sent, replaces credits and rate limit as a whole, and answers the plan", async () => {
    const made = await createPlan();
    const { planId, createdAt } = made;
    const renamed = await ok("/plan/update", { planId, name: "silver" });
    expect(renamed).toEqual({ ...made, name: "silver", updatedAt: renamed.updatedAt, consumersUpdated: 0 });
    expect(Date.parse(renamed.updatedAt)).toBeGreaterThan(Date.parse(createdAt));
    const replaced = await ok("/plan/update", { planId, credits: { limit: 7 }, rateLimit: { limit: 9 } });
    const credits = { limit: 7, shadowLimit: null, overage: null, refill: null, carryover: null, expiresAt: null };
    expect(replaced).toMatchObject({ name: "silver", credits, rateLimit: { limit: 9, window: 1 } });
    const { consumersUpdated: _none, ...plan } = replaced;
    expect(await ok("/plan/details", { planId })).toEqual(plan);
  });

  it("clears credits and rate limit with null, and not the name", async () => {
    const { planId } = await createPlan();
    expect(await ok("/plan/update", { planId, credits: null })).toMatchObject({ credits: null, rateLimit: RATE_LIMIT });
    expect(await ok("/plan/update", { planId, rateLimit: null })).toMatchObject({ credits: null, rateLimit: null });
    expectProblem(await call("/plan/update", { planId, name: null }), 400, "invalid_argument", ["name"]);
  });

  it("of nothing answers the plan, and changes nothing", async () => {
    const made = await createPlan();
    expect(await ok("/plan/update", { planId: made.planId })).toEqual({ ...made, consumersUpdated: 0 });
    expect(await ok("/plan/details", { planId: made.planId })).toEqual(made);
  });

  it("changes what its mask names: a path without a value clears, a value without a path is nothing", async () => {
    const { planId } = await createPlan();
    const masked = (request: object) => ok("/keysvc.v1.PlanService/Update", { planId, ...request });
    await masked({ updateMask: "credits", name: "ignored", rateLimit: { limit: "1" } });
    expect(await ok("/plan/details", { planId })).toMatchObject({ name: "gold", credits: null, rateLimit: RATE_LIMIT });
    // Wrong, but not named.
    await masked({ updateMask: "name", name: "n", credits: { limit: "1", carryover: { enabled: true, max: "1" } } });
    expect(await ok("/plan/details", { planId })).toMatchObject({ name: "n", credits: null });
    const within = await call("/keysvc.v1.PlanService/Update", { planId, updateMask: "credits.limit" });
    expect(within).toMatchObject({ status: 400, body: { code: "invalid_argument" } });
  });

  it("of an unknown plan is 404", async () => {
    for (const request of [{}, { name: "x" }, { applyToConsumers: true }]) {
      expectProblem(await call("/plan/update", { planId: "plan_unknown", ...request }), 404, "not_found");
    }
  });

  it("loses none of many changes at once", async () => {
    const { planId } = await createPlan();
    const changes = [{ name: "last" }, { credits: { limit: 1 } }, { rateLimit: null }, { name: "last" }];
    await Promise.all(changes.map((change) => ok("/plan/update", { planId, ...change })));
    expect(await ok("/plan/details", { planId })).toMatchObject({
      name: "last",
      credits: { limit: 1 },
      rateLimit: null,
    });
  });
});

describe("/plan/list", () => {
  it("shows pages, newest first, and nothing past the end", async () => {
    const { projectKey } = await ok("/project/create", { name: "lists" }, ADMIN_KEY);
    const names = ["first", "second", "third"];
    for (const name of names) await ok("/plan/create", { name }, projectKey);
    const page = async (request: object) => {
      const { plans, ...rest } = await ok("/plan/list", request, projectKey);
      return { ...rest, names: plans.map(({ name }: { name: string }) => name) };
    };
    expect(await page({})).toEqual({ total: 3, page: 1, limit: 25, names: ["third", "second", "first"] });
    expect(await page({ limit: 2 })).toEqual({ total: 3, page: 1, limit: 2, names: ["third", "second"] });
    expect(await page({ limit: 2, page: 2 })).toEqual({ total: 3, page: 2, limit: 2, names: ["first"] });
    expect(await page({ page: 2_147_483_647, limit: 200 })).toMatchObject({ total: 3, names: [] });
  });
});

describe("/plan/delete", () => {
  it("removes the plan, once", async () => {
    const { planId } = await createPlan();
    expect(await ok("/plan/delete", { planId })).toEqual({ planId, deleted: true });
    for (const path of ["/plan/delete", "/plan/details"]) {
      expectProblem(await call(path, { planId }), 404, "not_found");
    }
  });

  it("leaves its holders as they are, who cannot attach it again", async () => {
    const { planId } = await createPlan();
    const { consumerId } = await ok("/consumer/create", { planId });
    const before = await ok("/consumer/details", { consumerId });
    await ok("/plan/delete", { planId });
    expect(await ok("/consumer/details", { consumerId })).toEqual(before);
    expect(before).toMatchObject({ planId, credits: { limit: 100 }, rateLimit: RATE_LIMIT });
    expectProblem(await call("/consumer/update", { consumerId, planId }), 404, "not_found");
    expect((await ok("/consumer/update", { consumerId, name: "renamed" })).credits.limit).toBe(100);
  });
});

it("the audit log has every change of a plan, with the fields that it changed", async () => {
  const { planId } = await createPlan({ credits: { limit: 1, refill: { every: "1h", refillCredit: 1 } } });
  await ok("/plan/update", { planId, name: "silver", rateLimit: null });
  await ok("/plan/update", { planId, name: "silver" });
  await ok("/plan/delete", { planId });
  const { entries } = await ok("/audit/list", { targetId: planId });
  const refill = { every: "1h", refillCredit: 1, refillPolicy: "reset", carryover: null };
  const credits = { limit: 1, shadowLimit: null, overage: null, refill, expiresAt: null };
  expect(entries).toMatchObject([
    { action: "plan.delete", before: { name: "silver", credits, rateLimit: null }, after: {} },
    {
      action: "plan.update",
      before: { name: "gold", rateLimit: RATE_LIMIT },
      after: { name: "silver", rateLimit: null },
    },
    { action: "plan.create", before: {}, after: { name: "gold", credits, rateLimit: RATE_LIMIT } },
  ]);
  expect(Object.keys(entries[1].after)).toEqual(["name", "rateLimit"]);
});
