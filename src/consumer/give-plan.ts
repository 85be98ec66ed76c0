import type { Change } from "../mongo/change.ts";
import type { Plan } from "../plan/plan.ts";
import { changeEvents, type TellEvents } from "../webhook/event.ts";
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
  tell: TellEvents,
): Promise<number> {
  const { nowMs } = change;
  const holders = await store.lockHolders(change, plan, holderIds);
  const given = holders
    .filter((holder) => !isGone(holder, nowMs))
    .map((before) => {
      const attached = attachPlan(before, plan, nowMs);
      const { events, thresholdTold } = changeEvents(before, attached, nowMs);
      return { before, after: { ...attached, thresholdTold }, events };
    });
  for (const { before, after } of given) {
    const states = { before: toAudit(before, nowMs), after: toAudit(after, nowMs) };
    change.record({ action: "consumer.update", targetId: before._id, ...states });
  }
  // Nobody sees these any more; they only must not be found again.
  const gone = holders.filter((holder) => isGone(holder, nowMs));
  const passedOver = gone.map((holder) => ({ ...holder, planRevision: plan.revision }));
  await store.saveMany(change, [...given.map(({ after }) => after), ...passedOver]);
  await tell(
    given.flatMap(({ events }) => events),
    change.session,
  );
  return given.length;
}
