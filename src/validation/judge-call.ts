import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../lib/fault.ts";
import type { TimeBounds } from "../mongo/database-clock.ts";
import { isCharged, isTurning, type KnownKey, turningPoints } from "./account.ts";
import type { KeyCache } from "./key-cache.ts";
import type { SettleCall, SettledVerdict } from "./settle-call.ts";
import type { Settlement } from "./settlement.ts";
import { judge } from "./verdict.ts";

export interface JudgeOptions {
  keys: KeyCache;
  settlement: Pick<Settlement, "settle">;
  clock: { now(): TimeBounds | undefined };
  /** Everything that a majority had at this time has been told to the cache, on `performance.now()`. */
  seenUntilMs: () => number;
}

/** A call as it comes in. */
export interface IncomingCall extends Pick<SettleCall, "apiId" | "isApiKnown" | "cost" | "textLength" | "arrivedMs"> {
  projectId: string;
  value: string;
  verdictIdOf: (known: KnownKey) => string | undefined;
  writeRow: (known: KnownKey, verdict: SettledVerdict) => string;
}

/** A verdict on a key that was found. `isSettled`: it is durable, and its event with it. */
export interface Judgement {
  known: KnownKey;
  verdict: SettledVerdict;
  isSettled: boolean;
}

/** Changes of consumers without credits and limit are followed, and refusals lifted, within 200 ms; the rest is for the way. */
const FRESH_MS = 150;
/** For so long a call is looked up anew when what it rests on was changed: what a majority has may be a little behind. */
const JUDGE_MAX_MS = 1_400;
/** From the third time on it is looked up after a pause, which grows up to this. */
const PAUSE_MAX_MS = 32;

/**
 * The verdict on a call: from memory where nothing can have changed it, else from the settlement. undefined: the project has no
 * such key. Throws CONTENDED when the consumer changes faster than it can be judged.
 */
export async function judgeCall(call: IncomingCall, options: JudgeOptions): Promise<Judgement | undefined> {
  const { keys, settlement } = options;
  for (let judgement = 0; ; judgement++) {
    // The first time, what is in memory will do.
    const remembered = judgement === 0 ? keys.get(call.projectId, call.value) : undefined;
    const known = remembered ?? (await keys.load(call.projectId, call.value));
    if (known === undefined) return undefined;
    const verdictId = call.verdictIdOf(known);
    const certain = verdictId === undefined ? certainVerdict(call, known, options) : undefined;
    if (certain !== undefined) return { known, verdict: certain, isSettled: false };
    const { apiId, isApiKnown, cost, arrivedMs, writeRow } = call;
    const textLength = call.textLength + (known.account.consumer.name?.length ?? 0);
    const charge = { known, apiId, isApiKnown, cost, verdictId, textLength, arrivedMs, writeRow };
    const outcome = await settlement.settle(charge);
    if (outcome === "conflict") {
      throw new Fault("CONFLICT", "requestId: it was used for a call with another key, credits or apiId");
    }
    if (outcome !== "changed") return { known, verdict: outcome, isSettled: true };
    if (performance.now() - arrivedMs > JUDGE_MAX_MS) {
      throw new Fault("CONTENDED", "the consumer changes faster than it can be judged", { retryAfterSeconds: 1 });
    }
    if (judgement > 0) await sleep(Math.min(2 ** judgement, PAUSE_MAX_MS));
  }
}

/**
 * The verdict that needs no database: a refusal, or one that charges nothing, of what is fresh and whatever the time is
 * between the bounds of the database's clock. Others can only have charged the consumer since, which lifts no refusal.
 */
function certainVerdict(call: IncomingCall, known: KnownKey, options: JudgeOptions): SettledVerdict | undefined {
  const at = options.clock.now();
  if (at === undefined || !isFresh(known, options)) return undefined;
  const { account, key } = known;
  const nowMs = at.latestMs;
  if (isTurning(turningPoints(known), at)) return undefined;
  const { apiId, isApiKnown, cost } = call;
  const { consumer } = account;
  const hasEnded = known.valueEndsAtMs <= nowMs;
  const code = hasEnded ? "NOT_FOUND" : judge(key, consumer, { apiId, isApiKnown, cost, nowMs });
  if (code === "VALID" && isCharged(consumer)) return undefined;
  return { code, consumer, meter: consumer, nowMs, charged: code === "VALID" ? cost : 0, isRepeated: false };
}

function isFresh({ account }: KnownKey, { seenUntilMs }: JudgeOptions): boolean {
  // What a failover may take back is no ground to refuse anybody.
  if (!account.isKnown || account.unproven > 0) return false;
  return performance.now() - Math.max(account.asOfMs, seenUntilMs()) <= FRESH_MS;
}
