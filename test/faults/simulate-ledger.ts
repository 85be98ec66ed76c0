import { covers, overageLimit, type Pool, settle } from "../../src/credits/pool.ts";
import { createSeededRandom, type SeededRandom } from "../../src/lib/seeded-random.ts";
import type { Call, FinalState, Ledger, Outcome, PoolTerms, RecordedEvent, Terms, Verdict } from "./ledger.ts";

/** A way to be wrong, once. */
export type Bug =
  | "double charge"
  | "lost charge"
  | "over-grant"
  | "denied with credits left"
  | "window overrun"
  | "denied with room left"
  | "out of order"
  | "clock off"
  | "replay charged"
  | "refill twice"
  | "activity missing"
  | "activity twice"
  | "activity of the wrong charge";

export interface SimulationOptions {
  seed: number;
  calls: number;
  /** How many calls end without an answer, charged or not. */
  failedShare: number;
  bug?: Bug;
}

const START_MS = 1_800_000_000_000;
const DURATION_MS = 10_000;
const LATENCY_MAX_MS = 40;
const REFILL = { everyMs: 1_500, firstAt: START_MS + 700 };

/** Consumers of every kind that the load has. */
const TERMS: readonly Terms[] = [
  terms("plain", { limit: 900, overage: 0, refill: null }),
  terms("overage", { limit: 500, overage: 100, refill: null }),
  terms("reset", { limit: 80, overage: 15, refill: { policy: "reset", credit: 60, ...REFILL } }),
  terms("add", { limit: 100, overage: 20, refill: { policy: "add", credit: 50, ...REFILL } }),
  { ...terms("limited", { limit: 800, overage: 0, refill: null }), window: { limit: 30, windowMs: 2_000 } },
  { ...terms("counted", null), window: { limit: 30, windowMs: 2_000 } },
  terms("unlimited", null),
  { ...terms("disabled", null), code: "CONSUMER_DISABLED" },
];

function terms(consumerId: string, pool: PoolTerms | null): Terms {
  return { consumerId, code: "VALID", pool, window: null };
}

/** What a service keeps of a consumer. */
interface State {
  terms: Terms;
  pool: Pool | null;
  window: { resetAt: number; count: number };
  remembered: Map<string, Verdict>;
}

interface Planned extends Omit<Call, "outcome"> {
  decidedMs: number;
  /** undefined: it is answered. */
  failure: "charged" | "lost" | undefined;
}

/** A history as clients and database would have it of a service that is right, but for the bug that is asked for. */
export function simulateLedger({ seed, calls, failedShare, bug }: SimulationOptions): Ledger {
  const random = createSeededRandom(seed);
  const states = new Map(TERMS.map((each) => [each.consumerId, createState(each)]));
  const events: RecordedEvent[] = [];
  // Not at the first opportunity, and not when everything is over.
  const bugs = { kind: bug, wait: random.integer(3, 12) };
  const made = planCalls(random, calls, failedShare).map((call): Call => {
    const state = states.get(call.consumerId);
    if (state === undefined) throw new Error("no such consumer");
    return { ...call, outcome: decide(state, call, bugs, events) };
  });
  if (bug === "out of order") swapAnswers(made);
  return { terms: TERMS, calls: made, finals: [...states.values()].map(finalOf), events };
}

function createState(each: Terms): State {
  return { terms: each, pool: each.pool && toPool(each.pool), window: { resetAt: 0, count: 0 }, remembered: new Map() };
}

function toPool({ limit, overage, refill }: PoolTerms): Pool {
  const schedule = refill && {
    ...{ every: "1h", everyMs: refill.everyMs, nextRefillAt: refill.firstAt, carryover: null },
    ...{ refillCredit: refill.credit, refillPolicy: refill.policy },
  };
  return {
    ...{ limit, used: 0, shadowLimit: null, expiresAt: null },
    ...{ overage: { enabled: overage > 0, limit: overage }, refill: schedule },
  };
}

/** Calls in the order in which they are decided. Some are made again with the same id, after a failure or an answer. */
function planCalls(random: SeededRandom, count: number, failedShare: number): Planned[] {
  const planned = Array.from({ length: count }, (_, index): Planned[] => {
    const consumerId = random.weighted(TERMS.map((each) => [each.consumerId, 1] as const));
    const requestId = random.fraction() < 0.3 ? `own-${index}` : undefined;
    const call = { client: index % 16, node: "a", consumerId, cost: random.integer(0, 7), requestId };
    const first = { ...call, ...drawTimes(random, START_MS, failedShare) };
    const isRepeated = requestId !== undefined && random.fraction() < 0.5;
    return isRepeated ? [first, { ...call, ...drawTimes(random, first.endMs, failedShare) }] : [first];
  });
  return planned.flat().sort((left, right) => left.decidedMs - right.decidedMs);
}

function drawTimes(random: SeededRandom, fromMs: number, failedShare: number) {
  const startMs = fromMs + random.fraction() * (fromMs === START_MS ? DURATION_MS : LATENCY_MAX_MS);
  const decidedMs = Math.floor(startMs + random.fraction() * LATENCY_MAX_MS);
  const failure =
    random.fraction() >= failedShare
      ? undefined
      : random.weighted([
          ["charged", 1],
          ["lost", 1],
        ] as const);
  return { startMs, decidedMs, endMs: decidedMs + 1 + random.fraction() * LATENCY_MAX_MS, failure };
}

interface Bugs {
  kind: Bug | undefined;
  wait: number;
}

/** Whether the bug shows here: once, after some opportunities. */
function shows(bugs: Bugs, kind: Bug): boolean {
  return bugs.kind === kind && bugs.wait-- === 0;
}

let lastId = 0;

function decide(state: State, call: Planned, bugs: Bugs, events: RecordedEvent[]): Outcome {
  const { consumerId, failure } = call;
  const requestId = call.requestId ?? `service-${lastId++}`;
  if (failure === "lost") return failed(call);
  const remembered = state.remembered.get(requestId);
  const hasPrice = state.pool !== null && call.cost > 0;
  const isCharged = remembered === undefined || (hasPrice && shows(bugs, "replay charged"));
  const verdict = isCharged ? charge(state, call, requestId, bugs) : remembered;
  const isGrant = isCharged && verdict.code === "VALID";
  if (isGrant && call.requestId !== undefined) state.remembered.set(requestId, remembered ?? verdict);
  const charged = isGrant && state.pool !== null ? call.cost : 0;
  const wrong = charged > 0 && shows(bugs, "activity of the wrong charge") ? 1 : 0;
  const event = { requestId, code: verdict.code, creditsCharged: charged + wrong, consumerId, count: 1 };
  if (failure !== undefined || !shows(bugs, "activity missing")) events.push(event);
  if (shows(bugs, "activity twice")) events.push({ ...event, creditsCharged: 0 });
  return failure === undefined ? (remembered ?? verdict) : failed(call);
}

function failed({ requestId }: Planned): Outcome {
  return { kind: "failure", reason: "ECONNRESET", requestId, retryAfter: undefined };
}

function charge(state: State, { cost, decidedMs }: Planned, requestId: string, bugs: Bugs): Verdict {
  const { terms: each, pool: stored, window } = state;
  const nowMs = decidedMs + (each.window !== null && shows(bugs, "clock off") ? 3_600_000 : 0);
  const pool = stored && settle(stored, nowMs);
  if (each.window !== null) {
    const resetAt = nowMs - (nowMs % each.window.windowMs) + each.window.windowMs;
    state.window = window.resetAt < resetAt ? { resetAt, count: 0 } : window;
  }
  const code = codeOf(state, pool, cost, nowMs, bugs);
  state.pool = pool && spend(pool, code === "VALID" ? cost : 0, bugs);
  if (code === "VALID") state.window = { ...state.window, count: state.window.count + 1 };
  const shown = pool && { ...pool, used: pool.used + (code === "VALID" ? cost : 0) };
  return {
    ...{ kind: "verdict", code, requestId },
    credits: shown && {
      ...{ limit: shown.limit, used: shown.used, remaining: Math.max(shown.limit - shown.used, 0) },
      ...{ cost: code === "VALID" ? cost : 0, nextRefillAt: shown.refill?.nextRefillAt },
    },
    rateLimit: each.window && {
      ...{ limit: each.window.limit, resetAt: state.window.resetAt },
      remaining: Math.max(each.window.limit - state.window.count, 0),
    },
  };
}

function codeOf({ terms: each, window }: State, pool: Pool | null, cost: number, nowMs: number, bugs: Bugs): string {
  if (each.code !== "VALID") return each.code;
  if (each.window !== null) {
    const isFull = window.count >= each.window.limit;
    if (isFull ? !shows(bugs, "window overrun") : shows(bugs, "denied with room left")) return "RATE_LIMITED";
  }
  if (pool === null || cost === 0) return "VALID";
  const isCovered = covers(pool, cost, nowMs);
  const isSurelyLeft = pool.limit + overageLimit(pool) - pool.used > 100;
  if (isCovered ? isSurelyLeft && shows(bugs, "denied with credits left") : !shows(bugs, "over-grant")) {
    return "USAGE_EXCEEDED";
  }
  return "VALID";
}

function spend(pool: Pool, cost: number, bugs: Bugs): Pool {
  if (cost === 0) return pool;
  if (shows(bugs, "lost charge")) return pool;
  if (pool.refill !== null && shows(bugs, "refill twice")) return { ...pool, limit: pool.limit + 50, used: 0 };
  return { ...pool, used: pool.used + cost + (shows(bugs, "double charge") ? cost : 0) };
}

/** Two answers of one plain pool, far apart, get each other's amounts. */
function swapAnswers(calls: Call[]): void {
  const plain = calls.filter(({ consumerId, requestId, outcome, cost }) => {
    return consumerId === "plain" && requestId === undefined && cost === 3 && (outcome as Verdict).code === "VALID";
  });
  const [first, last] = [plain[0], plain.at(-1)];
  if (first === undefined || last === undefined) throw new Error("too few calls");
  [first.outcome, last.outcome] = [
    { ...last.outcome, requestId: first.outcome.requestId } as Verdict,
    { ...first.outcome, requestId: last.outcome.requestId } as Verdict,
  ];
}

function finalOf({ terms: { consumerId, window: limit }, pool, window }: State): FinalState {
  return {
    consumerId,
    pool: pool && { limit: pool.limit, used: pool.used, nextRefillAt: pool.refill?.nextRefillAt },
    window: limit && window,
  };
}
