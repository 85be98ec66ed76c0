import type { Call, Verdict } from "./ledger.ts";

/** A charge that was answered. */
export interface Grant {
  cost: number;
  /** It happened between the start of the first call with its requestId and the end of the first that got VALID. */
  startMs: number;
  endMs: number;
  verdict: Verdict;
}

/** A charge that may have happened, at any time from its start. */
export interface Doubt {
  cost: number;
  startMs: number;
}

export interface Denial {
  call: Call;
  verdict: Verdict;
}

/** What the calls of one consumer came to. Calls with one requestId are one charge, however often they were made. */
export interface Charges {
  grants: Grant[];
  doubts: Doubt[];
  denials: Denial[];
  /** The verdicts of calls that got VALID under one requestId, where there are several. */
  replays: Verdict[][];
}

export function gatherCharges(calls: readonly Call[]): Charges {
  const charges: Charges = { grants: [], doubts: [], denials: [], replays: [] };
  const identified = new Map<string, Call[]>();
  for (const call of calls) {
    if (call.requestId === undefined) {
      addCharge(charges, [call]);
      continue;
    }
    const same = identified.get(call.requestId);
    if (same === undefined) identified.set(call.requestId, [call]);
    else same.push(call);
  }
  for (const same of identified.values()) addCharge(charges, same);
  return charges;
}

function addCharge({ grants, doubts, denials, replays }: Charges, same: readonly Call[]): void {
  const startMs = Math.min(...same.map((call) => call.startMs));
  const cost = same[0]?.cost ?? 0;
  const valid: { verdict: Verdict; endMs: number }[] = [];
  for (const call of same) {
    const { outcome, endMs } = call;
    if (outcome.kind === "failure") continue;
    if (outcome.code === "VALID") valid.push({ verdict: outcome, endMs });
    else denials.push({ call, verdict: outcome });
  }
  const first = valid.sort((left, right) => left.endMs - right.endMs)[0];
  if (first !== undefined) grants.push({ cost, startMs, ...first });
  else if (same.some(({ outcome }) => outcome.kind === "failure")) doubts.push({ cost, startMs });
  if (valid.length > 1) replays.push(valid.map(({ verdict }) => verdict));
}

/** How much of something had begun by when: the upper bound of what can have been charged by then. */
export class BegunBy {
  readonly #starts: number[];
  readonly #sums: number[];

  constructor(amounts: readonly { startMs: number; amount: number }[]) {
    const sorted = [...amounts].sort((left, right) => left.startMs - right.startMs);
    let sum = 0;
    this.#starts = sorted.map(({ startMs }) => startMs);
    this.#sums = sorted.map(({ amount }) => {
      sum += amount;
      return sum;
    });
  }

  /** The sum of the amounts that had begun by then. */
  sum(byMs: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= byMs) low = middle + 1;
      else high = middle;
    }
    return this.#sums[low - 1] ?? 0;
  }
}

/** Groups values, in the order in which they are. */
export function groupBy<Value, Key>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

export function sumOf(amounts: Iterable<number>): number {
  let sum = 0;
  for (const amount of amounts) sum += amount;
  return sum;
}
