import { type Charges, gatherCharges, groupBy } from "./charges.ts";
import { checkActivity } from "./check-activity.ts";
import { checkPool } from "./check-pool.ts";
import { checkRateWindows } from "./check-rate-windows.ts";
import type { Call, Ledger, Terms, Verdict, Violation } from "./ledger.ts";

/**
 * Compares what the clients saw with what the database keeps, and answers everything that contradicts the law of
 * validation. What is in doubt counts for the service: what is reported cannot have been right.
 */
export function checkLedger(ledger: Ledger): Violation[] {
  const callsOf = groupBy(ledger.calls, ({ consumerId }) => consumerId);
  const violations = ledger.terms.flatMap((terms) => {
    const final = ledger.finals.find(({ consumerId }) => consumerId === terms.consumerId);
    const calls = callsOf.get(terms.consumerId) ?? [];
    const charges = gatherCharges(calls);
    return [
      ...checkCodes(terms, calls),
      ...checkReplays(charges),
      ...(terms.pool === null ? [] : checkPool(terms.pool, charges, final?.pool ?? null)),
      ...(terms.window === null ? [] : checkRateWindows(terms.window, charges, final?.window ?? null)),
    ].map(({ rule, text }) => ({ rule, text: `${terms.consumerId}: ${text}` }));
  });
  return [...violations, ...checkActivity(ledger)];
}

function checkCodes({ code, pool, window }: Terms, calls: readonly Call[]): Violation[] {
  const allowed = new Set<string>([code]);
  if (code === "VALID" && pool !== null) allowed.add("USAGE_EXCEEDED");
  if (code === "VALID" && window !== null) allowed.add("RATE_LIMITED");
  return calls.flatMap(({ outcome, cost, startMs }): Violation[] => {
    if (outcome.kind === "failure") return [];
    const isFree = outcome.code === "USAGE_EXCEEDED" && cost === 0;
    if (allowed.has(outcome.code) && !isFree) return [];
    return [{ rule: "verdict", text: `${outcome.code} for a call of ${cost} at ${startMs}` }];
  });
}

/** The same id gets the same verdict, with pool and window as they were then. */
function checkReplays({ replays }: Charges): Violation[] {
  const shownBy = ({ requestId, credits, rateLimit }: Verdict) => JSON.stringify({ requestId, credits, rateLimit });
  return replays.flatMap((verdicts): Violation[] => {
    const shown = new Set(verdicts.map(shownBy));
    return shown.size === 1
      ? []
      : [{ rule: "replay", text: `one id, ${shown.size} verdicts: ${[...shown].join(" ")}` }];
  });
}
