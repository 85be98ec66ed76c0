import { setTimeout as sleep } from "node:timers/promises";
import { databaseUnavailable, Fault } from "../lib/fault.ts";
import { isShared } from "./account.ts";
import { type BatchTransaction, type CommittedBatch, Contended } from "./batch-transaction.ts";
import { Lane, type Waiting } from "./lane.ts";
import type { Outcome, SettleCall } from "./settle-call.ts";

/** Calls that wait, in all lanes: beyond, they are refused before they cost memory. */
const WAITING_MAX = 10_000;
/** A call that could not begin by then would come too late for its caller. */
const WAIT_MAX_MS = 1_500;
/** So many consumers of a batch are set aside at once. */
const ASIDE_AT_ONCE_MAX = 8;
/** Whoever charges the same consumers from another node gets a turn in so long, once the callers have been answered. */
const TURN_MS = 4;
/** A batch that hangs is given up, and its lane goes on: its callers have been told that nothing is known. */
const BATCH_MAX_MS = 2_700;

/**
 * Settles calls in batches (README.md): those that arrive while one is under way are in the next, in their order. All consumers
 * share one lane, because what a batch costs depends little on how many calls it has; one that others hold is set aside in a
 * lane of its own, so that it keeps nobody else waiting.
 */
export class Settlement {
  readonly #transaction: Pick<BatchTransaction, "run">;
  readonly #shared = new Lane((batch, lane) => this.#settleBatch(batch, lane));
  readonly #aside = new Map<string, Lane>();

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
    const lane = this.#aside.get(call.known.key.consumerId) ?? this.#shared;
    lane.add({ call, resolve, reject });
    return promise;
  }

  #waitingCount(): number {
    let count = this.#shared.waitingCount;
    for (const { waitingCount } of this.#aside.values()) count += waitingCount;
    return count;
  }

  /** Never throws: whatever happens is told to the callers. */
  async #settleBatch(taken: readonly Waiting[], lane: Lane): Promise<void> {
    const batch = refuseLate(taken);
    if (batch.length === 0) return;
    try {
      const { outcomes, durable, isContested } = await this.#runBounded(batch, lane !== this.#shared);
      const answered = answerWhenDurable(batch, outcomes, durable);
      lane.expect(answered);
      if (isContested) await answered.then(() => sleep(TURN_MS));
    } catch (error) {
      if (error instanceof Contended) await this.#separate(batch);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Runs a batch for a bounded time. */
  async #runBounded(batch: readonly Waiting[], isPatient: boolean): Promise<CommittedBatch> {
    let isGivenUp = false;
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      isGivenUp = true;
      giveUp(databaseUnavailable());
    }, BATCH_MAX_MS);
    const calls = batch.map(({ call }) => call);
    const settled = this.#transaction.run(calls, { isPatient, isGivenUp: () => isGivenUp });
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

  /**
   * Settles apart a batch that met others. The consumers that others are known to charge are set aside; when none are, or so
   * many that lanes of their own would cost more than they spare, the batch is settled in halves, until it is known who is held.
   */
  async #separate(batch: readonly Waiting[]): Promise<void> {
    const consumerIds = [...new Set(batch.map(consumerIdOf))];
    const shared = new Set(batch.filter(({ call }) => isShared(call.known.account)).map(consumerIdOf));
    const isFew = shared.size > 0 && shared.size <= ASIDE_AT_ONCE_MAX;
    const aside = consumerIds.length === 1 ? consumerIds : isFew ? [...shared] : [];
    for (const consumerId of aside) {
      const isIts = (one: Waiting) => consumerIdOf(one) === consumerId;
      this.#setAside(consumerId, batch.filter(isIts));
    }
    const left = consumerIds.filter((consumerId) => !aside.includes(consumerId));
    const first = new Set(aside.length > 0 ? left : left.slice(0, left.length / 2));
    for (const part of [first, new Set(left.filter((consumerId) => !first.has(consumerId)))]) {
      const calls = batch.filter((one) => part.has(consumerIdOf(one)));
      if (calls.length > 0) await this.#settleBatch(calls, this.#shared);
    }
  }

  #setAside(consumerId: string, batch: readonly Waiting[]): void {
    const lane = new Lane(
      (taken, own) => this.#settleBatch(taken, own),
      () => this.#aside.delete(consumerId),
    );
    this.#aside.set(consumerId, lane);
    for (const waiting of batch) lane.add(waiting);
    // Those that came later stay behind them.
    for (const waiting of this.#shared.remove((one) => consumerIdOf(one) === consumerId)) lane.add(waiting);
  }
}

function consumerIdOf({ call }: Waiting): string {
  return call.known.key.consumerId;
}

/** Refuses who has waited too long, before anything is done for them. */
function refuseLate(batch: readonly Waiting[]): Waiting[] {
  const sinceMs = performance.now() - WAIT_MAX_MS;
  return batch.filter(({ call, reject }) => {
    const isInTime = call.arrivedMs >= sinceMs;
    if (!isInTime) reject(overloaded());
    return isInTime;
  });
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
