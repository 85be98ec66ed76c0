import type { PlanService } from "../../gen/keysvc/v1/plan_pb.js";
import type { Handlers } from "../lib/call.ts";
import type { MakeChange } from "../mongo/change.ts";
import type { PlanStore } from "./store.ts";

export interface PlanServiceOptions {
  store: PlanStore;
  change: MakeChange;
}

/** Plans of a project. */
export function planService(_options: PlanServiceOptions): Handlers<typeof PlanService> {
  return {};
}
