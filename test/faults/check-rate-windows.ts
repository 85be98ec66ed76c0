import { BegunBy, type Charges, groupBy } from "./charges.ts";
import { CLOCKS_MARGIN_MS, checkTimes } from "./check-pool.ts";
import type { FinalState, Rule, Terms, Verdict, Violation } from "./ledger.ts";

type Shown = NonNullable<Verdict["rateLimit"]>;

/** Checks the calls that were counted in one consumer's rate windows. A call of any cost takes one place. */
export function checkRateWindows(
  { limit, windowMs }: NonNullable<Terms["window"]>,
  { grants, doubts, denials }: Charges,
  final: FinalState["window"],
): Violation[] {
  const violations: Violation[] = [];
  const report = (rule: Rule, text: string) => violations.push({ rule, text });
  const counted = groupBy(grants, ({ verdict }) => verdict.rateLimit?.resetAt);
  const begunIn = new Map<number, BegunBy>();
  /** How many calls can have been counted in the window by then. */
  const begunBy = (resetAt: number, byMs: number): number => {
    const known = begunIn.get(resetAt);
    if (known !== undefined) return known.sum(byMs);
    const doubtful = doubts.filter(({ startMs }) => startMs < resetAt + CLOCKS_MARGIN_MS);
    const calls = [...(counted.get(resetAt) ?? []), ...doubtful];
    begunIn.set(resetAt, new BegunBy(calls.map(({ startMs }) => ({ startMs, amount: 1 }))));
    return begunBy(resetAt, byMs);
  };
  const checkShown = (shown: Shown | null, startMs: number, endMs: number): Shown | undefined => {
    if (shown === null) {
      report("verdict", "an answer without its rate limit");
      return undefined;
    }
    const { resetAt } = shown;
    if (shown.limit !== limit) report("verdict", `a rate limit of ${shown.limit} instead of ${limit}`);
    if (resetAt % windowMs !== 0)
      report("time", `a window that ends at ${resetAt}, which is no multiple of its length`);
    checkTimes("window", { began: resetAt - windowMs, ends: resetAt }, { startMs, endMs }, report);
    return shown;
  };

  for (const { verdict, startMs, endMs } of grants) {
    const shown = checkShown(verdict.rateLimit, startMs, endMs);
    if (shown === undefined) continue;
    const begun = begunBy(shown.resetAt, endMs);
    const count = limit - shown.remaining;
    if (count > begun) report("unexplained charge", `${count} calls counted, when ${begun} had begun`);
  }
  for (const [resetAt, within] of counted) {
    if (within.length > limit) report("window overrun", `${within.length} of ${limit} passed until ${resetAt}`);
    const places = new Set(within.map(({ verdict }) => verdict.rateLimit?.remaining));
    if (places.size < within.length) report("order", `two calls took one place in the window until ${resetAt}`);
  }
  for (const { call, verdict } of denials) {
    if (verdict.code !== "RATE_LIMITED" && verdict.code !== "USAGE_EXCEEDED") continue;
    const shown = checkShown(verdict.rateLimit, call.startMs, call.endMs);
    if (shown === undefined || verdict.code !== "RATE_LIMITED") continue;
    const begun = begunBy(shown.resetAt, call.endMs);
    if (begun < limit) report("denied with room left", `RATE_LIMITED at ${call.endMs}, when ${begun} calls had begun`);
  }
  const last = Math.max(0, ...new Set([...counted.keys()].map((resetAt) => resetAt ?? 0)));
  const stored = { resetAt: final?.resetAt ?? 0, count: final?.count ?? 0 };
  if (stored.resetAt < last) report("lost charge", `the window is of ${stored.resetAt}, calls were until ${last}`);
  const granted = counted.get(stored.resetAt)?.length ?? 0;
  if (stored.count < granted) report("lost charge", `${stored.count} calls counted, ${granted} passed`);
  const most = begunBy(stored.resetAt, Number.POSITIVE_INFINITY);
  if (stored.count > most) report("unexplained charge", `${stored.count} calls counted, at most ${most} made`);
  return violations;
}
