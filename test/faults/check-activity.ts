import { groupBy, sumOf } from "./charges.ts";
import type { Call, FinalState, Ledger, RecordedEvent, Rule, Terms, Violation } from "./ledger.ts";

type Report = (rule: Rule, text: string) => void;

/** Checks key_activity: one event for every verdict that was answered, at most one for every call that failed. */
export function checkActivity({ terms, calls, finals, events }: Ledger): Violation[] {
  const violations: Violation[] = [];
  const callsOf = groupBy(calls, ({ consumerId }) => consumerId);
  const eventsOf = groupBy(events, ({ consumerId }) => consumerId);
  for (const term of terms) {
    const { consumerId } = term;
    const report: Report = (rule, text) => violations.push({ rule, text: `${consumerId}: ${text}` });
    const recorded = eventsOf.get(consumerId) ?? [];
    checkConsumer(term, callsOf.get(consumerId) ?? [], recorded, report);
    checkSum(term, recorded, finals.find((final) => final.consumerId === consumerId)?.pool, report);
  }
  const known = new Set(terms.map(({ consumerId }) => consumerId));
  for (const consumerId of eventsOf.keys()) {
    if (!known.has(consumerId)) violations.push({ rule: "activity unexplained", text: `events of ${consumerId}` });
  }
  return violations;
}

function checkConsumer(
  { pool }: Terms,
  calls: readonly Call[],
  events: readonly RecordedEvent[],
  report: Report,
): void {
  const made = groupBy(calls, ({ outcome, requestId }) => requestId ?? outcome.requestId);
  const recorded = groupBy(events, ({ requestId }) => requestId);
  // Calls that broke before their id was known.
  const nameless = made.get(undefined)?.length ?? 0;
  for (const [requestId, same] of made) {
    if (requestId !== undefined) checkSame(same, recorded.get(requestId) ?? [], pool !== null, report);
  }
  const unclaimed = events.filter(({ requestId }) => !made.has(requestId)).length;
  if (unclaimed > nameless) report("activity unexplained", `${unclaimed} events for ${nameless} calls without an id`);
}

/** Checks the events of calls with one requestId. Where there is no pool, the cost of a call may stand there or not. */
function checkSame(calls: readonly Call[], events: readonly RecordedEvent[], hasPool: boolean, report: Report): void {
  const about = (text: string) => `${text} for ${calls[0]?.requestId ?? calls[0]?.outcome.requestId}`;
  const unused = events.map(({ code }) => code);
  let failed = 0;
  let isValid = false;
  for (const { outcome } of calls) {
    if (outcome.kind === "failure") {
      failed++;
      continue;
    }
    isValid ||= outcome.code === "VALID";
    const index = unused.indexOf(outcome.code);
    if (index === -1) report("activity missing", about(`no event with ${outcome.code}`));
    else unused.splice(index, 1);
  }
  if (unused.length > failed) report("activity unexplained", about(`${unused.length} events too many`));
  const cost = calls[0]?.cost ?? 0;
  const charged = sumOf(events.map(({ creditsCharged }) => creditsCharged));
  const mayBe = isValid ? [cost] : failed > 0 ? [0, cost] : [0];
  if (hasPool && !mayBe.includes(charged))
    report("activity wrong", about(`${charged} charged instead of ${mayBe.join(" or ")}`));
  if (events.some(({ count }) => count !== 1)) report("activity wrong", about("an event that stands for several"));
}

/** Event and charge are one commit: together they are what was used, where `used` only grows. */
function checkSum(
  terms: Terms,
  events: readonly RecordedEvent[],
  final: FinalState["pool"] | undefined,
  report: Report,
) {
  if (terms.pool === null || terms.pool.refill?.policy === "reset") return;
  const charged = sumOf(events.map(({ creditsCharged }) => creditsCharged));
  if (charged !== final?.used) report("activity wrong", `${charged} charged in all events, ${final?.used} used`);
}
