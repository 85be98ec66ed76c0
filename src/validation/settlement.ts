import { setTimeout as sleep } from "node:timers/promises";
import { Lane, overloaded, runBounded, type Waiting as WaitingOf, withoutLate } from "../journal/lane.ts";
import { type Account, isShared } from "./account.ts";
import { type BatchTransaction, Contended } from "./batch-transaction.ts";
import type { Outcome, SettleCall } from "./settle-call.ts";

type Waiting = WaitingOf<SettleCall, Outcome>;
type CallLane = Lane<SettleCall, Outcome>;

/** Calls that wait, in all lanes: beyond, they are refused before they cost memory. */
const WAITING_MAX = 10_000;
/** Calls of one batch, and characters of their texts. */
const BATCH_MAX = 512;
const BATCH_TEXT_MAX = 1_000_000;
/** For so long the shared lane waits for those that hold a consumer of a batch. */
const PATIENCE_MS = 60;
/** Into so many parts a batch is taken apart at once. */
const PARTS = 8;
/** So many consumers that others are known to charge are set aside of one batch that is taken apart. */
const ASIDE_OF_BATCH_MAX = 8;
/** Consumers with so many calls in a batch, which others charge too, get a lane before they hold up anybody; not many. */
const HOT_CALLS_MIN = 8;
const HOT_ASIDE_MAX = 8;
/** Whoever charges the same consumer from another node gets a turn in so long, once the callers have been answered. */
const TURN_MS = 4;
/** The answers may be long in coming; the lane goes on all the same. */
const ANSWER_WAIT_MAX_MS = 100;

/**
 * Settles calls in batches (README.md): those that arrive while one is under way are in the next, in their order. All consumers
 * share one lane, because what a batch costs depends little on how many calls it has; one that others hold is set aside in a
 * lane of its own, so that it keeps nobody else waiting.
 */
export class Settlement {
  readonly #transaction: Pick<BatchTransaction, "run">;
  readonly #shared = this.#createLane(PATIENCE_MS);
  readonly #aside = new Map<string, { lane: CallLane; account: Account }>();

  constructor(transaction: Pick<BatchTransaction, "run">) {
    this.#transaction = transaction;
  }

  /**
   * The outcome of a call, durable. Throws OVERLOADED when too many wait, or it waited too long, and nothing was done; rejects
   * with other errors when it is not known what was done.
   */
  settle(call: SettleCall): Promise<Outcome> {
    if (this.waitingCount >= WAITING_MAX) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#laneOf(call).add({ call, resolve, reject });
    return promise;
  }

  #createLane(patienceMs: number): CallLane {
    return new Lane<SettleCall, Outcome>({
      settle: (batch, lane) => this.#settleBatch(batch, lane, patienceMs),
      ...{ callsMax: BATCH_MAX, textMax: BATCH_TEXT_MAX },
    });
  }

  #laneOf({ known: { key, account } }: SettleCall): CallLane {
    const aside = this.#aside.get(key.consumerId);
    if (aside === undefined) return this.#shared;
    aside.account = account;
    if (isInUse(aside)) return aside.lane;
    this.#aside.delete(key.consumerId);
    return this.#shared;
  }

  /** Calls that wait, in all lanes. */
  get waitingCount(): number {
    let count = this.#shared.waitingCount;
    for (const { lane } of this.#aside.values()) count += lane.waitingCount;
    return count;
  }

  /** Never throws: whatever happens is told to the callers. */
  async #settleBatch(taken: readonly Waiting[], lane: CallLane, patienceMs: number): Promise<void> {
    const batch = withoutLate(taken);
    if (batch.length === 0) return;
    try {
      const calls = batch.map(({ call }) => call);
      const committed = await runBounded((isGivenUp) => this.#transaction.run(calls, { patienceMs, isGivenUp }));
      const answered = lane.answerWhenDurable(batch, committed);
      if (!committed.isContested) return;
      if (lane === this.#shared) this.#setHotAside(batch);
      else await leaveTurn(answered);
    } catch (error) {
      if (error instanceof Contended) await this.#separate(batch);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Settles apart a batch of which others hold a consumer: who is known to be charged by others is set aside. */
  async #separate(batch: readonly Waiting[]): Promise<void> {
    const groups = groupByConsumer(batch);
    const shared = [...groups].filter(([, [first]]) => first !== undefined && isShared(first.call.known.account));
    const isFew = shared.length > 0 && shared.length <= ASIDE_OF_BATCH_MAX;
    const aside = groups.size === 1 ? [...groups] : isFew ? shared : [];
    for (const [consumerId, calls] of aside) {
      this.#setAside(consumerId, calls);
      groups.delete(consumerId);
    }
    // If it is not known who is held, parts will tell; time enough was lost already.
    const parts = partsOf([...groups.values()], aside.length > 0 ? 1 : PARTS);
    await Promise.all(parts.map((part) => this.#settleBatch(part, this.#shared, 0)));
  }

  /** Gives consumers lanes of their own that would hold up the others again and again. */
  #setHotAside(batch: readonly Waiting[]): void {
    for (const [consumerId, calls] of groupByConsumer(batch)) {
      const account = calls[0]?.call.known.account;
      if (account === undefined || !isShared(account) || calls.length < HOT_CALLS_MIN) continue;
      if (this.#aside.size < HOT_ASIDE_MAX) this.#setAside(consumerId, []);
    }
  }

  /** @param calls of the consumer, which come before those that wait in the shared lane */
  #setAside(consumerId: string, calls: readonly Waiting[]): void {
    for (const [id, aside] of this.#aside) if (!isInUse(aside)) this.#aside.delete(id);
    const waiting = [...calls, ...this.#shared.remove((one) => consumerIdOf(one) === consumerId)];
    const account = waiting[0]?.call.known.account;
    if (account === undefined) return;
    const lane = this.#createLane(Number.POSITIVE_INFINITY);
    this.#aside.set(consumerId, { lane, account });
    for (const one of waiting) lane.add(one);
  }
}

/** Whether a consumer that was set aside is to stay so: it has calls, or others are expected to charge it. */
function isInUse({ lane, account }: { lane: CallLane; account: Account }): boolean {
  return lane.isRunning || isShared(account);
}

/** Until others had their time, for a bounded time. */
async function leaveTurn(answered: Promise<void>): Promise<void> {
  await Promise.race([answered, sleep(ANSWER_WAIT_MAX_MS, undefined, { ref: false })]);
  await sleep(TURN_MS);
}

function consumerIdOf({ call }: Waiting): string {
  return call.known.key.consumerId;
}

/** The calls of each consumer, in their order. */
function groupByConsumer(batch: readonly Waiting[]): Map<string, Waiting[]> {
  return Map.groupBy(batch, consumerIdOf);
}

/** At most so many parts of about the same number of consumers. */
function partsOf(groups: readonly Waiting[][], count: number): Waiting[][] {
  const size = Math.ceil(groups.length / count);
  const parts: Waiting[][] = [];
  for (let first = 0; first < groups.length; first += size) parts.push(groups.slice(first, first + size).flat());
  return parts;
}
