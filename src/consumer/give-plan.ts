import type { Change } from "../mongo/change.ts";
import type { Plan } from "../plan/plan.ts";
import { attachPlan, isGone } from "./consumer.ts";
import { toAudit } from "./convert.ts";
import type { ConsumerStore } from "./store.ts";

/**
 * Attaches a plan anew to those of its holders that have been given an earlier revision; what they have used stays used.
 * Those that are deleted get it too, as long as they can be restored.
 *
 * @returns how many consumers got it
 */
export async function givePlanToHolders(
  change: Change,
  plan: Plan,
  holderIds: readonly string[],
  store: Pick<ConsumerStore, "lockHolders" | "saveMany">,
): Promise<number> {
  const { nowMs } = change;
  const holders = await store.lockHolders(change, plan, holderIds);
  const given = holders
    .filter((holder) => !isGone(holder, nowMs))
    .map((before) => ({ before, after: attachPlan(before, plan, nowMs) }));
  for (const { before, after } of given) {
    const states = { before: toAudit(before, nowMs), after: toAudit(after, nowMs) };
    change.record({ action: "consumer.update", targetId: before._id, ...states });
  }
  // Nobody sees these any more; they only must not be found again.
  const gone = holders.filter((holder) => isGone(holder, nowMs));
  const passedOver = gone.map((holder) => ({ ...holder, planRevision: plan.revision }));
  await store.saveMany(change, [...given.map(({ after }) => after), ...passedOver]);
  return given.length;
}
