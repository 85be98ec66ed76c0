import { MongoServerError } from "mongodb";
import { describe, expect, it, vi } from "vitest";
import type { Change } from "../mongo/change.ts";
import { type ApplyPlanOptions, applyPlan, resumeApplications } from "./apply-plan.ts";
import { APPLICATION_KEPT_MS, type AppliedPlan, beginApplication } from "./plan.ts";

vi.mock("node:timers/promises", () => ({ setTimeout: async () => undefined }));

const NOW = 1_767_225_600_000;
const LONG_AFTER = NOW + APPLICATION_KEPT_MS;
const PLAN: AppliedPlan = beginApplication(
  {
    ...{ _id: "plan_1", projectId: "project_1", name: "p", credits: null, rateLimit: null, revision: 5 },
    ...{ createdAt: new Date(NOW), updatedAt: new Date(NOW), application: null },
  },
  "credential_1",
  NOW,
);
const conflict = () => new MongoServerError({ code: 112, errorLabels: ["TransientTransactionError"] });
const signal = new AbortController().signal;

/** A database with holders that wait for the plan; a batch may meet with trouble. */
function world(holderCount: number, trouble: (batch: number, holderIds: readonly string[]) => void = () => undefined) {
  let waiting = Array.from({ length: holderCount }, (_, index) => `consumer_${index}`);
  let claimed = false;
  const did: string[] = [];
  const batches: number[] = [];
  const options: ApplyPlanOptions = {
    store: {
      holdApplication: async () => PLAN,
      claimApplication: async () => {
        if (claimed) return undefined;
        claimed = true;
        return PLAN;
      },
      releaseApplication: async () => void did.push("release"),
      endApplication: async () => void did.push("end"),
    },
    // The work that is tested looks at nothing else of a change.
    change: async (actor, work) => work({ actor, nowMs: NOW } as Change),
    findHolders: async (_projectId, _planId, _revision, count) => waiting.slice(0, count),
    giveToHolders: async (_change, _plan, holderIds) => {
      batches.push(holderIds.length);
      trouble(batches.length, holderIds);
      waiting = waiting.filter((holderId) => !holderIds.includes(holderId));
      return holderIds.length;
    },
    now: async () => NOW,
  };
  return { options, did, batches, left: () => waiting.length };
}

describe("applyPlan", () => {
  it("gives the plan to all holders, batch by batch, and gives up its claim", async () => {
    const { options, did, batches } = world(450);
    expect(await applyPlan(PLAN, NOW, options, signal)).toBe(450);
    expect(batches).toEqual([200, 200, 50]);
    expect(did).toEqual(["release"]);
  });

  it("gives it under the name of who asked for it", async () => {
    const { options } = world(1);
    const change = vi.fn(options.change);
    await applyPlan(PLAN, NOW, { ...options, change: change as ApplyPlanOptions["change"] }, signal);
    expect(change.mock.calls[0]?.[0]).toEqual({ projectId: "project_1", credentialId: "credential_1" });
  });

  it("ends the application only when it goes on so late that nobody can attach the plan as it was", async () => {
    const early = world(1);
    await applyPlan(PLAN, LONG_AFTER - 1, early.options, signal);
    const late = world(1);
    await applyPlan(PLAN, LONG_AFTER, late.options, signal);
    expect([early.did, late.did]).toEqual([["release"], ["end"]]);
  });

  it("tries fewer holders at once after a conflict, and more again as it goes well", async () => {
    const { options, batches } = world(400, (batch) => {
      if (batch <= 2) throw conflict();
    });
    expect(await applyPlan(PLAN, NOW, options, signal)).toBe(400);
    expect(batches).toEqual([200, 50, 13, 26, 52, 104, 200, 5]);
  });

  it("goes down to one holder at a time, and gives up after many conflicts without a success", async () => {
    const busy = world(3, (batch) => {
      if (batch <= 8) throw conflict();
    });
    expect(await applyPlan(PLAN, NOW, busy.options, signal)).toBe(3);
    expect(busy.batches.slice(4)).toEqual([1, 1, 1, 1, 1, 2]);
    const hopeless = world(3, () => {
      throw conflict();
    });
    await expect(applyPlan(PLAN, NOW, hopeless.options, signal)).rejects.toThrow(MongoServerError);
    expect(hopeless.batches).toHaveLength(9);
    expect(hopeless.did).toEqual([]);
  });

  it("does not try again after a fault of its own", async () => {
    const { options, batches } = world(3, () => {
      throw new TypeError("a defect");
    });
    await expect(applyPlan(PLAN, NOW, options, signal)).rejects.toThrow("a defect");
    expect(batches).toHaveLength(1);
  });

  it("stops, and leaves the application alone, once the plan is deleted or applied again", async () => {
    const { options, did, left } = world(3);
    const store = { ...options.store, holdApplication: async () => undefined };
    expect(await applyPlan(PLAN, NOW, { ...options, store }, signal)).toBe(0);
    expect([left(), did]).toEqual([3, []]);
  });

  it("stops after the batch under way when the service ends, and keeps the claim until it passes", async () => {
    const ending = new AbortController();
    const { options, did, left } = world(450, () => ending.abort());
    await expect(applyPlan(PLAN, NOW, options, ending.signal)).rejects.toMatchObject({ reason: "STOPPING" });
    expect([left(), did]).toEqual([250, []]);
  });
});

describe("resumeApplications", () => {
  it("goes on with every application that it can claim", async () => {
    const { options, did, left } = world(450);
    await resumeApplications(options, signal);
    expect([left(), did]).toEqual([0, ["release"]]);
  });

  it("does nothing any more when the service ends", async () => {
    const { options, left } = world(1);
    await resumeApplications(options, AbortSignal.abort());
    expect(left()).toBe(1);
  });
});
