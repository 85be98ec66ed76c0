import {
  type PlanService,
  type PlanServiceCreateRequest,
  type PlanServiceUpdateRequest,
  PlanServiceUpdateRequestSchema,
} from "../../gen/keysvc/v1/plan_pb.js";
import type { Handlers } from "../lib/call.ts";
import { Fault, type FieldError, invalidRequest } from "../lib/fault.ts";
import { createId } from "../lib/id.ts";
import { pageOf } from "../lib/page.ts";
import { updatedPaths } from "../lib/update-mask.ts";
import { actorOf, type Change, type MakeChange } from "../mongo/change.ts";
import { fromProtoChange, fromProtoTerms, toAudit, toProtoPlan } from "./convert.ts";
import { type AppliedPlan, beginApplication, changePlan, type Plan, type PlanChange } from "./plan.ts";
import type { PlanStore } from "./store.ts";

export interface PlanServiceOptions {
  store: PlanStore;
  change: MakeChange;
  /** Gives a plan whose application has just begun to all its holders. Answers how many consumers got it. */
  applyPlan: (plan: AppliedPlan) => Promise<number>;
}

/** Plans of a project. */
export function planService(options: PlanServiceOptions): Handlers<typeof PlanService> {
  const { store, change: makeChange } = options;
  return {
    async create(request, { caller }) {
      return toProtoPlan(await makeChange(actorOf(caller), (change) => create(change, request, store)));
    },
    async update(request, { caller }) {
      const { planId, applyToConsumers } = request;
      const requested = requestedChange(request);
      const isNothing = Object.keys(requested).length === 0 && !applyToConsumers;
      if (isNothing) return toProtoPlan(orNotFound(await store.find(caller.projectId, planId)));
      const actor = actorOf(caller);
      const changed = (plan: Plan, { nowMs }: Change) => changePlan(plan, requested, nowMs);
      if (!applyToConsumers) {
        return toProtoPlan(await makeChange(actor, (change) => update(change, planId, store, changed), planId));
      }
      // The application begins with the change: whatever becomes of this node, some node gives it to every holder.
      const applied = (plan: Plan, change: Change) =>
        beginApplication(changed(plan, change), actor.credentialId, change.nowMs);
      const plan = await makeChange(actor, (change) => update(change, planId, store, applied), planId);
      return { ...toProtoPlan(plan), consumersUpdated: BigInt(await options.applyPlan(plan)) };
    },
    async details({ planId }, { caller }) {
      return toProtoPlan(orNotFound(await store.find(caller.projectId, planId)));
    },
    async list(request, { caller }) {
      const page = pageOf(request);
      const { total, plans } = await store.list(caller.projectId, page);
      return { total: BigInt(total), page: page.page, limit: page.limit, plans: plans.map(toProtoPlan) };
    },
    async delete({ planId }, { caller }) {
      const remove = async (change: Change) => {
        const before = orNotFound(await store.remove(change, planId));
        change.record({ action: "plan.delete", targetId: planId, before: toAudit(before), after: null });
      };
      await makeChange(actorOf(caller), remove, planId);
      return { planId, deleted: true };
    },
  };
}

function orNotFound(plan: Plan | undefined): Plan {
  if (plan === undefined) throw new Fault("NOT_FOUND", "planId: there is no such plan");
  return plan;
}

async function create(change: Change, request: PlanServiceCreateRequest, store: PlanStore): Promise<Plan> {
  const errors: FieldError[] = [];
  const terms = fromProtoTerms(request, errors);
  if (errors.length > 0) throw invalidRequest(errors);
  const createdAt = new Date(change.nowMs);
  const plan: Plan = {
    _id: createId("plan", change.nowMs),
    projectId: change.actor.projectId,
    name: request.name,
    ...terms,
    createdAt,
    updatedAt: createdAt,
    revision: 1,
    application: null,
  };
  await store.insert(change, plan);
  change.record({ action: "plan.create", targetId: plan._id, before: null, after: toAudit(plan) });
  return plan;
}

function requestedChange(request: PlanServiceUpdateRequest): PlanChange {
  const errors: FieldError[] = [];
  const requested = fromProtoChange(request, updatedPaths(PlanServiceUpdateRequestSchema, request, errors), errors);
  if (errors.length > 0) throw invalidRequest(errors);
  return requested;
}

async function update<Updated extends Plan>(
  change: Change,
  planId: string,
  store: PlanStore,
  edit: (plan: Plan, change: Change) => Updated,
): Promise<Updated> {
  const before = orNotFound(await store.lock(change, planId));
  const plan = edit(before, change);
  await store.save(change, plan);
  change.record({ action: "plan.update", targetId: planId, before: toAudit(before), after: toAudit(plan) });
  return plan;
}
