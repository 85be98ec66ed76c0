import { creditEvents, type WebhookEvent } from "../webhook/event.ts";
import { isCharged } from "./account.ts";
import { type CallFingerprint, isRemembered, isSameCall, type RememberedVerdict } from "./idempotency.ts";
import type { AccountChange, Decision, Outcome, SettleCall } from "./settle-call.ts";
import { type ConsumerAt, charge, judge, type Meter } from "./verdict.ts";

/** A consumer that a batch rests on. */
export interface State extends ConsumerAt {
  /** Until when it holds on the database's clock; undefined: it was read in the transaction of the batch. */
  validUntilMs: number | undefined;
}

/**
 * Decides a batch of calls in their order: each sees what those before it have left. Pure: the same states give the same
 * decision.
 *
 * @param states of the consumers by their ids; one that is missing is not there any more
 * @param verdicts that were given before, by their ids
 */
export function decide(
  calls: readonly SettleCall[],
  states: ReadonlyMap<string, State>,
  verdicts: ReadonlyMap<string, RememberedVerdict>,
): Decision {
  const meters = new Map<string, Meter>();
  const given = new Map(verdicts);
  const remembered: RememberedVerdict[] = [];
  const outcomes = calls.map((call): Outcome => {
    const { known, verdictId } = call;
    const { consumerId } = known.key;
    const state = states.get(consumerId);
    if (state === undefined || state.consumer.revision !== known.revision) return "changed";
    const left = meters.get(consumerId) ?? state.consumer;
    const first = verdictId === undefined ? undefined : given.get(verdictId);
    const outcome = decideCall(call, state, left, first);
    if (outcome === "conflict" || outcome.code !== "VALID" || outcome.isRepeated) return outcome;
    // Unlimited usage has nothing to charge.
    if (isCharged(state.consumer)) meters.set(consumerId, outcome.meter);
    if (verdictId !== undefined) {
      const verdict = remember(call, verdictId, outcome.meter, state.nowMs);
      given.set(verdictId, verdict);
      remembered.push(verdict);
    }
    return outcome;
  });
  return { outcomes, ...changesOf(states, meters), remembered };
}

/**
 * @param left what calls before this one have left
 * @param first the verdict that was given under its id
 */
function decideCall(
  call: SettleCall,
  { consumer, nowMs }: State,
  left: Meter,
  first: RememberedVerdict | undefined,
): Exclude<Outcome, "changed"> {
  const { known, apiId, isApiKnown, cost } = call;
  const denied = { consumer, meter: left, nowMs, charged: 0, isRepeated: false };
  // Whatever was answered before: nobody learns that it exists.
  if (known.valueEndsAtMs <= nowMs || consumer.status === "deleted") return { code: "NOT_FOUND", ...denied };
  if (first !== undefined && isRemembered(first, nowMs)) {
    if (!isSameCall(first, fingerprint(call))) return "conflict";
    const atFirst = { meter: first.pool, nowMs: first.at.getTime(), charged: first.cost };
    return { code: "VALID", consumer, ...atFirst, isRepeated: true };
  }
  const code = judge(known.key, consumer, { apiId, isApiKnown, cost, nowMs }, left);
  if (code !== "VALID") return { code, ...denied };
  return { code, consumer, meter: charge(left, cost, nowMs), nowMs, charged: cost, isRepeated: false };
}

function remember(call: SettleCall, verdictId: string, meter: Meter, nowMs: number): RememberedVerdict {
  const { credits, rateLimit, rateWindow } = meter;
  return { _id: verdictId, ...fingerprint(call), at: new Date(nowMs), pool: { credits, rateLimit, rateWindow } };
}

function fingerprint({ known, cost, apiId }: SettleCall): CallFingerprint {
  return { keyId: known.key._id, cost, apiId: apiId ?? null };
}

/** What is to be written: of each consumer that was charged, and, to prove what was only known, of all that were not read. */
function changesOf(
  states: ReadonlyMap<string, State>,
  meters: ReadonlyMap<string, Meter>,
): Pick<Decision, "changes" | "events"> {
  const changes: AccountChange[] = [];
  const events: WebhookEvent[] = [];
  for (const [consumerId, { consumer, nowMs, validUntilMs }] of states) {
    const meter = meters.get(consumerId);
    if (meter === undefined && validUntilMs === undefined) continue;
    const told = creditEvents(consumer, consumer.credits, meter?.credits ?? consumer.credits, nowMs);
    const after = meter === undefined ? consumer : { ...meter, thresholdTold: told.thresholdTold };
    changes.push({ before: consumer, after, nowMs, validUntilMs });
    if (told.events.length > 0) events.push(...told.events);
  }
  return { changes, events };
}
