import { setTimeout as sleep } from "node:timers/promises";
import { databaseUnavailable, Fault } from "../lib/fault.ts";
import { type Account, isShared } from "./account.ts";
import { type BatchTransaction, type CommittedBatch, Contended } from "./batch-transaction.ts";
import { Lane, type Waiting } from "./lane.ts";
import type { Outcome, SettleCall } from "./settle-call.ts";

/** Calls that wait, in all lanes: beyond, they are refused before they cost memory. */
const WAITING_MAX = 10_000;
/** A call that could not begin by then would come too late for its caller. */
const WAIT_MAX_MS = 1_500;
const LOOK_FOR_LATE_MS = 100;
/** A batch that hangs is given up, and its lane goes on: its callers have been told that nothing is known. */
const BATCH_MAX_MS = 2_700;
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
  readonly #shared = new Lane((batch, lane) => this.#settleBatch(batch, lane, PATIENCE_MS));
  readonly #aside = new Map<string, { lane: Lane; account: Account }>();
  #lookingForLate: NodeJS.Timeout | undefined;

  constructor(transaction: Pick<BatchTransaction, "run">) {
    this.#transaction = transaction;
  }

  /**
   * The outcome of a call, durable. Throws OVERLOADED when too many wait, or it waited too long, and nothing was done; rejects
   * with other errors when it is not known what was done.
   */
  settle(call: SettleCall): Promise<Outcome> {
    if (this.#waitingCount() >= WAITING_MAX) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#laneOf(call).add({ call, resolve, reject });
    this.#lookingForLate ??= setInterval(() => this.#refuseLate(), LOOK_FOR_LATE_MS).unref();
    return promise;
  }

  #laneOf({ known: { key, account } }: SettleCall): Lane {
    const aside = this.#aside.get(key.consumerId);
    if (aside === undefined) return this.#shared;
    aside.account = account;
    if (isInUse(aside)) return aside.lane;
    this.#aside.delete(key.consumerId);
    return this.#shared;
  }

  #lanes(): Lane[] {
    return [this.#shared, ...[...this.#aside.values()].map(({ lane }) => lane)];
  }

  #waitingCount(): number {
    let count = this.#shared.waitingCount;
    for (const { lane } of this.#aside.values()) count += lane.waitingCount;
    return count;
  }

  /** Refuses calls behind a batch that hangs. */
  #refuseLate(): void {
    for (const lane of this.#lanes()) refuse(lane.remove(isLate));
    if (this.#waitingCount() > 0) return;
    clearInterval(this.#lookingForLate);
    this.#lookingForLate = undefined;
  }

  /** Never throws: whatever happens is told to the callers. */
  async #settleBatch(taken: readonly Waiting[], lane: Lane, patienceMs: number): Promise<void> {
    refuse(taken.filter(isLate));
    const batch = taken.filter((waiting) => !isLate(waiting));
    if (batch.length === 0) return;
    try {
      const { outcomes, durable, isContested } = await this.#runBounded(batch, patienceMs);
      const answered = answerWhenDurable(batch, outcomes, durable);
      lane.expect(answered);
      if (!isContested) return;
      if (lane === this.#shared) this.#setHotAside(batch);
      else await leaveTurn(answered);
    } catch (error) {
      if (error instanceof Contended) await this.#separate(batch);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Runs a batch for a bounded time. */
  async #runBounded(batch: readonly Waiting[], patienceMs: number): Promise<CommittedBatch> {
    let isGivenUp = false;
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      isGivenUp = true;
      giveUp(databaseUnavailable());
    }, BATCH_MAX_MS);
    const calls = batch.map(({ call }) => call);
    const settled = this.#transaction.run(calls, { patienceMs, isGivenUp: () => isGivenUp });
    // Nobody waits any more for what comes after its time.
    settled.then(
      ({ durable }) => durable.catch(() => undefined),
      () => undefined,
    );
    try {
      return await Promise.race([settled, givenUp]);
    } finally {
      clearTimeout(timer);
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
    const lane = new Lane((taken, own) => this.#settleBatch(taken, own, Number.POSITIVE_INFINITY));
    this.#aside.set(consumerId, { lane, account });
    for (const one of waiting) lane.add(one);
  }
}

/** Whether a consumer that was set aside is to stay so: it has calls, or others are expected to charge it. */
function isInUse({ lane, account }: { lane: Lane; account: Account }): boolean {
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

/** Whether it has waited too long; nothing was done for it. */
function isLate({ call }: Waiting): boolean {
  return call.arrivedMs < performance.now() - WAIT_MAX_MS;
}

function refuse(late: readonly Waiting[]): void {
  for (const { reject } of late) reject(overloaded());
}

function answerWhenDurable(
  batch: readonly Waiting[],
  outcomes: readonly Outcome[],
  durable: Promise<void>,
): Promise<void> {
  return durable.then(
    () => {
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] ?? "changed");
    },
    (error: unknown) => {
      for (const { reject } of batch) reject(error);
    },
  );
}

function overloaded(): Fault {
  return new Fault("OVERLOADED", "too many calls wait to be settled; nothing was charged", { retryAfterSeconds: 1 });
}
