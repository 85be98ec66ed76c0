import { describe, expect, it } from "vitest";
import { beginApplication, changePlan, type Plan, planAsApplied } from "./plan.ts";

const NOW = 1_767_225_600_000;
const LATER = new Date(NOW + 1_000);
const CREDITS = { limit: 5, shadowLimit: null, overage: null, refill: null, expiresAt: null };
const PLAN: Plan = {
  ...{ _id: "plan_1", projectId: "project_1", name: "gold", credits: CREDITS, revision: 3, application: null },
  ...{ rateLimit: { limit: 1, windowSeconds: 1 }, createdAt: new Date(NOW), updatedAt: new Date(NOW) },
};

describe("changePlan", () => {
  it("changes what is named, and the time of the last change", () => {
    const changed = { ...PLAN, credits: null, updatedAt: LATER };
    expect(changePlan(PLAN, { credits: null }, LATER.getTime())).toEqual(changed);
  });

  it("changes nothing for nothing, the time neither", () => {
    expect(changePlan(PLAN, {}, LATER.getTime())).toEqual(PLAN);
  });
});

describe("an application", () => {
  it("gives what the plan gave when it began, and knows holders of it by that revision", () => {
    const applied = beginApplication(PLAN, "credential_1", NOW);
    const since = { ...applied, revision: 9, name: "silver", credits: null, rateLimit: null };
    const { credits, rateLimit, revision } = PLAN;
    expect(planAsApplied(since)).toEqual({ ...since, credits, rateLimit, revision });
  });

  it("takes the place of one under way", () => {
    const first = beginApplication(PLAN, "credential_1", NOW);
    const second = beginApplication({ ...first, revision: 4 }, null, LATER.getTime());
    expect(second.application).toMatchObject({ revision: 4, since: LATER, credentialId: null });
  });
});
