import type { Consumer } from "../consumer/consumer.ts";
import { type CallFingerprint, isRemembered, isSameCall, type RememberedVerdict, withPoolOf } from "./idempotency.ts";
import type { AccountChange, Decision, Outcome, SettleCall } from "./settle-call.ts";
import { type ConsumerAt, charge, judge } from "./verdict.ts";

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
  const after = new Map<string, Consumer>();
  const given = new Map(verdicts);
  const remembered: RememberedVerdict[] = [];
  const outcomes = calls.map((call): Outcome => {
    const { known, cost, verdictId } = call;
    const { key } = known;
    const state = states.get(key.consumerId);
    if (state === undefined || state.consumer.revision !== known.revision) return "changed";
    const { nowMs } = state;
    if (known.valueEndsAtMs <= nowMs)
      return { code: "NOT_FOUND", consumer: state.consumer, nowMs, charged: 0, isRepeated: false };
    const consumer = after.get(key.consumerId) ?? state.consumer;
    const first = verdictId === undefined ? undefined : given.get(verdictId);
    if (first !== undefined && isRemembered(first, nowMs)) return repeat(first, call, consumer);
    const code = judgeCall(call, consumer, nowMs);
    if (code !== "VALID") return { code, consumer, nowMs, charged: 0, isRepeated: false };
    const charged = charge(consumer, cost, nowMs);
    after.set(key.consumerId, charged);
    if (verdictId !== undefined) {
      const verdict = remember(call, verdictId, charged, nowMs);
      given.set(verdictId, verdict);
      remembered.push(verdict);
    }
    return { code, consumer: charged, nowMs, charged: cost, isRepeated: false };
  });
  return { outcomes, changes: changesOf(states, after), remembered };
}

function judgeCall({ known, apiId, isApiKnown, cost }: SettleCall, consumer: Consumer, nowMs: number) {
  return judge(known.key, consumer, { apiId, isApiKnown, cost, nowMs });
}

/** The verdict that the same call was given before. */
function repeat(first: RememberedVerdict, call: SettleCall, consumer: Consumer): Outcome {
  if (!isSameCall(first, fingerprint(call))) return "conflict";
  return { code: "VALID", ...withPoolOf(first, consumer), charged: first.cost, isRepeated: true };
}

function remember(call: SettleCall, verdictId: string, consumer: Consumer, nowMs: number): RememberedVerdict {
  const { credits, rateLimit, rateWindow } = consumer;
  return { _id: verdictId, ...fingerprint(call), at: new Date(nowMs), pool: { credits, rateLimit, rateWindow } };
}

function fingerprint({ known, cost, apiId }: SettleCall): CallFingerprint {
  return { keyId: known.key._id, cost, apiId: apiId ?? null };
}

/** What is to be written: of each consumer that was charged, and, to prove what was only known, of all that were not read. */
function changesOf(states: ReadonlyMap<string, State>, after: ReadonlyMap<string, Consumer>): AccountChange[] {
  const changes: AccountChange[] = [];
  for (const [consumerId, { consumer, nowMs, validUntilMs }] of states) {
    const charged = after.get(consumerId);
    if (charged === undefined && validUntilMs === undefined) continue;
    changes.push({ before: consumer, after: charged ?? consumer, nowMs, validUntilMs });
  }
  return changes;
}
