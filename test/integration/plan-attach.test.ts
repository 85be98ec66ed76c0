import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let call: TestService["call"];
let ok: TestService["ok"];
beforeAll(async () => {
  service = await startService();
  ({ call, ok } = service);
});
afterAll(() => service.close());

const DAY_MS = 24 * 3_600_000;
const GOLD = {
  credits: { limit: 100, shadowLimit: 80, refill: { every: "7d", refillCredit: 50 } },
  rateLimit: { limit: 5, window: 60 },
};
const OWN_LIMIT = { limit: 9, window: 3_600 };

/** The id of a new plan. */
const plan = async (terms: object = GOLD): Promise<string> =>
  (await ok("/plan/create", { name: "a plan", ...terms })).planId;
/** The id of a new consumer. */
const consumer = async (fields: object = {}): Promise<string> => (await ok("/consumer/create", fields)).consumerId;
const details = (consumerId: string) => ok("/consumer/details", { consumerId });
/** What a consumer is after a change. */
async function updated(consumerId: string, change: object) {
  await ok("/consumer/update", { consumerId, ...change });
  return details(consumerId);
}

describe("/consumer/create with planId", () => {
  it("takes credits and rate limit of the plan, with nothing used and the refill one interval ahead", async () => {
    const planId = await plan();
    const made = await details(await consumer({ planId }));
    expect(made).toMatchObject({ planId, rateLimit: GOLD.rateLimit });
    expect(made.credits).toMatchObject({ limit: 100, used: 0, remaining: 100, shadowLimit: 80, overage: null });
    const refill = { every: "7d", refillCredit: 50, refillPolicy: "reset", carryover: null };
    expect(made.credits.refill).toEqual({ ...refill, nextRefillAt: Date.parse(made.createdAt) + 7 * DAY_MS });
  });

  it("takes credits of its own before those of the plan, and the plan's rate limit all the same", async () => {
    const planId = await plan();
    const made = await details(await consumer({ planId, credits: { limit: 3 } }));
    expect(made).toMatchObject({
      planId,
      credits: { limit: 3, shadowLimit: null, refill: null },
      rateLimit: GOLD.rateLimit,
    });
  });

  it("takes a rate limit of its own before the plan's, and the plan's credits all the same", async () => {
    const made = await details(await consumer({ planId: await plan(), rateLimit: OWN_LIMIT }));
    expect(made).toMatchObject({ credits: { limit: 100 }, rateLimit: OWN_LIMIT });
  });

  it("is unlimited where the plan gives nothing, and without plan and credits", async () => {
    expect(await details(await consumer({ planId: await plan({}) }))).toMatchObject({ credits: null, rateLimit: null });
    expect(await details(await consumer())).toMatchObject({ planId: null, credits: null, rateLimit: null });
  });

  it("takes a plan of the own project only, and makes nothing of another", async () => {
    const { projectKey } = await ok("/project/create", { name: "other" }, ADMIN_KEY);
    const planId = await plan();
    for (const [unknown, credential] of [["plan_unknown"], [planId, projectKey]] as const) {
      expectProblem(await call("/consumer/create", { planId: unknown }, credential), 404, "not_found");
    }
    expect((await ok("/consumer/list", {}, projectKey)).total).toBe(0);
  });
});

describe("/consumer/update with planId", () => {
  it("makes an unlimited consumer limited, for the very next validation", async () => {
    const { consumerId, key } = await createConsumerWithKey(service);
    expect((await ok("/key/validate", { key })).credits).toBe(null);
    const planId = await plan({ credits: { limit: 1 } });
    expect((await ok("/consumer/update", { consumerId, planId })).credits).toMatchObject({ limit: 1, used: 0 });
    const answers = [await ok("/key/validate", { key }), await ok("/key/validate", { key })];
    expect(answers).toMatchObject([{ code: "VALID", consumer: { planId } }, { code: "USAGE_EXCEEDED" }]);
  });

  it("copies the credits as a whole, and keeps what was used", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, {
      credits: { limit: 20, shadowLimit: 1, overage: { enabled: true, limit: 4 }, expiresAt: Date.now() + DAY_MS },
    });
    await ok("/key/validate", { key, credits: 17 });
    const { credits } = await updated(consumerId, { planId: await plan({ credits: { limit: 50 } }) });
    expect(credits).toMatchObject({ limit: 50, used: 17, remaining: 33 });
    expect(credits).toMatchObject({ shadowLimit: null, overage: null, refill: null, expiresAt: null });
  });

  it("to a smaller plan leaves nothing, and never less; credits.used 0 with it begins anew", async () => {
    const consumerId = await consumer({ planId: await plan() });
    await ok("/consumer/update", { consumerId, credits: { used: 70 } });
    const small = await plan({ credits: { limit: 10 } });
    expect((await updated(consumerId, { planId: small })).credits).toMatchObject({ limit: 10, used: 70, remaining: 0 });
    // The specification's way: the pool is the request's, so the new limit is sent with it.
    const change = { planId: small, credits: { limit: 10, used: 0 } };
    expect((await updated(consumerId, change)).credits).toMatchObject({ limit: 10, used: 0, remaining: 10 });
  });

  it("inherits the new plan's rate limit, also beside credits", async () => {
    const consumerId = await consumer({ planId: await plan() });
    const other = await plan({ rateLimit: { limit: 77 } });
    expect((await updated(consumerId, { planId: other })).rateLimit).toEqual({ limit: 77, window: 1 });
    const third = await plan({ rateLimit: { limit: 78 } });
    const beside = await updated(consumerId, { planId: third, credits: { limit: 1 } });
    expect(beside.rateLimit).toEqual({ limit: 78, window: 1 });
  });

  it("takes a rate limit that is sent with it before the plan's, and null too", async () => {
    const consumerId = await consumer();
    const planId = await plan();
    expect((await updated(consumerId, { planId, rateLimit: OWN_LIMIT })).rateLimit).toEqual(OWN_LIMIT);
    expect((await updated(consumerId, { planId, rateLimit: null })).rateLimit).toBe(null);
  });

  it("leaves the rate limit alone where the plan has none, and the credits where it gives none", async () => {
    const consumerId = await consumer({ credits: { limit: 3 }, rateLimit: OWN_LIMIT });
    const planId = await plan({ credits: { limit: 8 } });
    expect(await updated(consumerId, { planId })).toMatchObject({ credits: { limit: 8 }, rateLimit: OWN_LIMIT });
    const rateOnly = await plan({ rateLimit: { limit: 2 } });
    expect(await updated(consumerId, { planId: rateOnly })).toMatchObject({
      ...{ planId: rateOnly, credits: { limit: 8 }, rateLimit: { limit: 2, window: 1 } },
    });
  });

  it("beside credits merges those into the pool as it is: only the plan's credits yield", async () => {
    const consumerId = await consumer({ credits: { limit: 30, shadowLimit: 20 } });
    await ok("/consumer/update", { consumerId, credits: { used: 5 } });
    const planId = await plan();
    const { credits, ...rest } = await updated(consumerId, { planId, credits: { limit: 40 } });
    expect(credits).toMatchObject({ limit: 40, used: 5, shadowLimit: 20, refill: null });
    expect(rest).toMatchObject({ planId, rateLimit: GOLD.rateLimit });
    expect(await updated(consumerId, { planId, credits: null })).toMatchObject({ planId, credits: null });
    // Now it is unlimited, and credits need a limit, whatever the plan would give.
    const refused = await call("/consumer/update", { consumerId, planId, credits: { used: 0 } });
    expectProblem(refused, 400, "invalid_argument", ["credits.limit"]);
  });

  it("of the same plan again brings back its limit and its credits, and keeps what was used", async () => {
    const planId = await plan();
    const consumerId = await consumer({ planId });
    const own = await updated(consumerId, { rateLimit: null, credits: { limit: 1, used: 30, refill: null } });
    expect(own).toMatchObject({ planId, rateLimit: null, credits: { limit: 1, refill: null } });
    const { credits, rateLimit } = await updated(consumerId, { planId });
    expect(rateLimit).toEqual(GOLD.rateLimit);
    expect(credits).toMatchObject({ limit: 100, used: 30, remaining: 70, refill: { every: "7d", refillCredit: 50 } });
  });

  it("begins the next refill anew only when `every` changes", async () => {
    const planId = await plan({ credits: { limit: 1, refill: { every: "7d", refillCredit: 1 } } });
    const consumerId = await consumer({ planId });
    const nextRefillAt = (await details(consumerId)).credits.refill.nextRefillAt;
    const same = await plan({ credits: { limit: 2, refill: { every: "7d", refillCredit: 9, refillPolicy: "add" } } });
    const refill = (await updated(consumerId, { planId: same })).credits.refill;
    expect(refill).toMatchObject({ refillCredit: 9, refillPolicy: "add", nextRefillAt });
    const other = await plan({ credits: { limit: 2, refill: { every: "1d", refillCredit: 9 } } });
    const { credits, updatedAt } = await updated(consumerId, { planId: other });
    expect(credits.refill.nextRefillAt).toBe(Date.parse(updatedAt) + DAY_MS);
  });

  it("null detaches it, and keeps what was copied", async () => {
    const consumerId = await consumer({ planId: await plan() });
    const { planId: _plan, updatedAt: _time, ...copied } = await details(consumerId);
    expect(await updated(consumerId, { planId: null })).toMatchObject({ ...copied, planId: null });
  });

  it("of an unknown plan, or of another project's, is 404 and changes nothing", async () => {
    const { projectKey } = await ok("/project/create", { name: "other" }, ADMIN_KEY);
    const { planId: foreign } = await ok("/plan/create", { name: "p" }, projectKey);
    const consumerId = await consumer({ credits: { limit: 3 } });
    const before = await details(consumerId);
    for (const planId of ["plan_unknown", foreign]) {
      expectProblem(await call("/consumer/update", { consumerId, planId, name: "x" }), 404, "not_found");
    }
    expect(await details(consumerId)).toEqual(before);
  });

  it("restores a deleted consumer with another plan at once", async () => {
    const consumerId = await consumer({ planId: await plan() });
    await ok("/consumer/delete", { consumerId });
    const planId = await plan({ credits: { limit: 5 } });
    expectProblem(await call("/consumer/update", { consumerId, planId }), 409, "failed_precondition");
    const restored = await updated(consumerId, { status: "active", planId });
    expect(restored).toMatchObject({ status: "active", planId, credits: { limit: 5 }, rateLimit: GOLD.rateLimit });
  });

  it("takes the plan's credits when a mask does not name the credits of the message", async () => {
    const consumerId = await consumer();
    const planId = await plan();
    const request = { consumerId, planId, updateMask: "planId", credits: { used: "7" } };
    await ok("/keysvc.v1.ConsumerService/Update", request);
    expect(await details(consumerId)).toMatchObject({ planId, credits: { limit: 100, used: 0 } });
  });
});
