import { BegunBy, type Charges, type Denial, type Doubt, type Grant, groupBy, sumOf } from "./charges.ts";
import type { FinalState, PoolTerms, Rule, Verdict, Violation } from "./ledger.ts";

/** Between the clocks of a test's clients and of the database, which run on one machine but are read apart. */
export const CLOCKS_MARGIN_MS = 50;

type Report = (rule: Rule, text: string) => void;

/** A stretch in which `used` only grows: the whole time, or one period of a pool that is reset. */
interface Stretch {
  /** Credits of what was granted in it, and the doubts that may have been charged in it, by when they began. */
  begun: BegunBy;
  grants: Grant[];
}

/** Checks what was charged to one consumer's pool. */
export function checkPool(terms: PoolTerms, charges: Charges, final: FinalState["pool"]): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (rule, text) => violations.push({ rule, text });
  const isReset = terms.refill?.policy === "reset";
  const stretchOf = (nextRefillAt: number | undefined) => (isReset ? nextRefillAt : undefined);
  const grantsIn = groupBy(charges.grants, ({ verdict }) => stretchOf(verdict.credits?.nextRefillAt));
  const stretches = new Map<number | undefined, Stretch>();
  const stretchAt = (nextRefillAt: number | undefined): Stretch => {
    const name = stretchOf(nextRefillAt);
    const known = stretches.get(name);
    if (known !== undefined) return known;
    const grants = grantsIn.get(name) ?? [];
    const stretch = { grants, begun: new BegunBy([...grants, ...doubtsUntil(charges.doubts, name)].map(amountOf)) };
    stretches.set(name, stretch);
    return stretch;
  };

  for (const grant of charges.grants) checkGrant(terms, grant, stretchAt, report);
  for (const name of grantsIn.keys()) checkOrder(stretchAt(name).grants, report);
  checkPeriods(terms, charges.grants, report);
  for (const denial of charges.denials) checkDenial(terms, denial, stretchAt, report);
  checkFinal(terms, charges.grants, final, stretchAt(final?.nextRefillAt), report);
  return violations;
}

const amountOf = ({ startMs, cost }: Doubt) => ({ startMs, amount: cost });

/** A charge whose call began after the end of a period cannot have been made in it. */
function doubtsUntil(doubts: readonly Doubt[], periodEnd: number | undefined): readonly Doubt[] {
  if (periodEnd === undefined) return doubts;
  return doubts.filter(({ startMs }) => startMs < periodEnd + CLOCKS_MARGIN_MS);
}

/** The size of the pool in the period that ends then; undefined: there is no such period. */
function limitIn({ limit, refill }: PoolTerms, nextRefillAt: number | undefined): number | undefined {
  if (refill === null) return nextRefillAt === undefined ? limit : undefined;
  const refills = ((nextRefillAt ?? Number.NaN) - refill.firstAt) / refill.everyMs;
  if (!Number.isInteger(refills) || refills < 0) return undefined;
  if (refill.policy === "add") return limit + refills * refill.credit;
  return refills === 0 ? limit : refill.credit;
}

/** What holds of every answer that shows a pool. */
function checkShown(terms: PoolTerms, { credits, code }: Verdict, startMs: number, endMs: number, report: Report) {
  if (credits === null) {
    report("verdict", `${code} without a pool`);
    return undefined;
  }
  const { limit, used, remaining, nextRefillAt } = credits;
  const expected = limitIn(terms, nextRefillAt);
  if (limit !== expected) report("verdict", `a pool of ${limit} instead of ${expected} until ${nextRefillAt}`);
  if (remaining !== Math.max(limit - used, 0)) report("verdict", `${remaining} left of ${limit}, ${used} used`);
  if (nextRefillAt !== undefined && terms.refill !== null) {
    const began =
      nextRefillAt === terms.refill.firstAt ? Number.NEGATIVE_INFINITY : nextRefillAt - terms.refill.everyMs;
    checkTimes("period", { began, ends: nextRefillAt }, { startMs, endMs }, report);
  }
  return credits;
}

/** Whether a call may have been decided within a period or window. */
export function checkTimes(
  what: string,
  { began, ends }: { began: number; ends: number },
  { startMs, endMs }: { startMs: number; endMs: number },
  report: Report,
): void {
  if (ends > startMs - CLOCKS_MARGIN_MS && began <= endMs + CLOCKS_MARGIN_MS) return;
  report("time", `a ${what} from ${began} to ${ends} for a call from ${startMs} to ${endMs}`);
}

type StretchAt = (nextRefillAt: number | undefined) => Stretch;

function checkGrant(terms: PoolTerms, grant: Grant, stretchAt: StretchAt, report: Report): void {
  const { verdict, cost, startMs, endMs } = grant;
  const shown = checkShown(terms, verdict, startMs, endMs, report);
  if (shown === undefined) return;
  const { used, limit } = shown;
  if (shown.cost !== cost) report("verdict", `a cost of ${shown.cost} for a call of ${cost}`);
  if (used > limit + terms.overage) report("over-grant", `${used} used of ${limit} and ${terms.overage}`);
  const begun = stretchAt(shown.nextRefillAt).begun.sum(endMs);
  if (used > begun) report("unexplained charge", `${used} used at ${endMs}, when calls of ${begun} had begun`);
}

/** No two grants took the same credits, and one that was answered before another began took earlier ones. */
function checkOrder(grants: readonly Grant[], report: Report): void {
  const taken = grants.filter(({ cost }) => cost > 0).map((grant) => ({ ...grant, pool: grant.verdict.credits }));
  const bounds = taken.flatMap(({ pool, ...grant }) => {
    return pool === null ? [] : [{ ...grant, from: pool.used - grant.cost, to: pool.used }];
  });
  let previous = { from: 0, to: 0 };
  for (const bound of bounds.sort((left, right) => left.to - right.to)) {
    if (bound.from < previous.to) {
      report("order", `credits ${bound.from}..${bound.to} were taken beside ${previous.from}..${previous.to}`);
    }
    previous = bound;
  }
  const byEnd = [...bounds].sort((left, right) => left.endMs - right.endMs);
  let ended = 0;
  let highest = 0;
  for (const { from, startMs } of bounds.sort((left, right) => left.startMs - right.startMs)) {
    for (let next = byEnd[ended]; next !== undefined && next.endMs < startMs; next = byEnd[++ended]) {
      highest = Math.max(highest, next.to);
    }
    if (from < highest) report("order", `took credits from ${from} on after an answer with ${highest} used`);
  }
}

/** Never more granted than pool and overage: in a period that is reset, and up to the end of one that is added to. */
function checkPeriods(terms: PoolTerms, grants: readonly Grant[], report: Report): void {
  const periods = groupBy(grants, ({ verdict }) => verdict.credits?.nextRefillAt);
  let granted = 0;
  for (const [end, within] of [...periods].sort(([left = 0], [right = 0]) => left - right)) {
    if (terms.refill?.policy === "reset") granted = 0;
    granted += sumOf(within.map(({ cost }) => cost));
    const most = (limitIn(terms, end) ?? 0) + terms.overage;
    if (granted > most) report("over-grant", `${granted} of ${most} granted in the period until ${end}`);
  }
}

function checkDenial(terms: PoolTerms, { call, verdict }: Denial, stretchAt: StretchAt, report: Report): void {
  if (verdict.credits === null) return;
  const shown = checkShown(terms, verdict, call.startMs, call.endMs, report);
  if (shown === undefined || verdict.code !== "USAGE_EXCEEDED") return;
  const begun = stretchAt(shown.nextRefillAt).begun.sum(call.endMs);
  const left = shown.limit + terms.overage - begun;
  if (call.cost > left) return;
  report("denied with credits left", `a call of ${call.cost} from ${call.startMs} to ${call.endMs}, with ${left} left`);
}

function checkFinal(
  terms: PoolTerms,
  grants: readonly Grant[],
  final: FinalState["pool"],
  { grants: inStretch, begun }: Stretch,
  report: Report,
): void {
  if (final === null) {
    report("lost charge", "the pool is gone");
    return;
  }
  const { used, limit, nextRefillAt } = final;
  if (limit !== limitIn(terms, nextRefillAt)) report("verdict", `a stored pool of ${limit} until ${nextRefillAt}`);
  if (used > limit + terms.overage) report("over-grant", `${used} stored as used of ${limit} and ${terms.overage}`);
  const granted = sumOf(inStretch.map(({ cost }) => cost));
  if (used < granted) report("lost charge", `${used} used, ${granted} granted`);
  const most = begun.sum(Number.POSITIVE_INFINITY);
  if (used > most) report("unexplained charge", `${used} used, ${granted} granted and ${most - granted} in doubt`);
  const last = Math.max(0, ...new Set(grants.map(({ verdict }) => verdict.credits?.nextRefillAt ?? 0)));
  if (last > (nextRefillAt ?? 0)) report("lost charge", `the pool is of ${nextRefillAt}, charges were until ${last}`);
}
