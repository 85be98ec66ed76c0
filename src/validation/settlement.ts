import { setTimeout as sleep } from "node:timers/promises";
import { databaseUnavailable, Fault } from "../lib/fault.ts";
import type { BatchTransaction, CommittedBatch } from "./batch-transaction.ts";
import type { Outcome, SettleCall } from "./settle-call.ts";

/** A consumer belongs to one lane, so that its calls are in one batch at a time. */
const LANES = 2;
/** Calls of one batch. */
const BATCH_MAX = 512;
/** Batches of one lane that were committed, and of which it is not known yet whether a majority has them. */
const UNPROVEN_MAX = 4;
/** Calls that wait, in all lanes: beyond, they are refused before they cost memory. */
const WAITING_MAX = 10_000;
/** A call that could not begin by then would come too late for its caller. */
const WAIT_MAX_MS = 1_500;
/** A batch that hangs is given up, and its lane goes on: its callers have been told that nothing is known. */
const BATCH_MAX_MS = 2_700;

interface Waiting extends SettleCall {
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

interface Lane {
  waiting: Waiting[];
  isRunning: boolean;
  unproven: Set<Promise<unknown>>;
}

/**
 * Settles calls in batches (README.md): those that arrive while one is under way are in the next, in their order. A lane goes on
 * when its batch is committed on the primary, and answers when a majority has it.
 */
export class Settlement {
  readonly #transaction: BatchTransaction;
  readonly #lanes: Lane[] = Array.from({ length: LANES }, () => ({
    waiting: [],
    isRunning: false,
    unproven: new Set(),
  }));
  #waitingCount = 0;

  constructor(transaction: BatchTransaction) {
    this.#transaction = transaction;
  }

  /**
   * The outcome of a call, durable. Throws OVERLOADED when too many wait, or it waited too long, and nothing was done; rejects
   * with other errors when it is not known what was done.
   */
  settle(call: SettleCall): Promise<Outcome> {
    if (this.#waitingCount >= WAITING_MAX) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const lane = this.#laneOf(call.known.key.consumerId);
    lane.waiting.push({ ...call, resolve, reject });
    this.#waitingCount++;
    if (!lane.isRunning) {
      lane.isRunning = true;
      // Once everything that has arrived by now is here.
      setImmediate(() => void this.#run(lane));
    }
    return promise;
  }

  #laneOf(consumerId: string): Lane {
    // Ids end in random characters.
    const index = consumerId.charCodeAt(consumerId.length - 1) % LANES;
    return this.#lanes[index] as Lane;
  }

  async #run(lane: Lane): Promise<void> {
    while (lane.waiting.length > 0) {
      const batch = this.#take(lane);
      if (batch.length > 0) await this.#settleBatch(lane, batch);
      if (lane.unproven.size >= UNPROVEN_MAX) await Promise.race(lane.unproven);
    }
    lane.isRunning = false;
  }

  /** The next batch; who has waited too long is refused before anything is done. */
  #take(lane: Lane): Waiting[] {
    const taken = lane.waiting.splice(0, BATCH_MAX);
    this.#waitingCount -= taken.length;
    const sinceMs = performance.now() - WAIT_MAX_MS;
    const [first] = taken;
    if (first === undefined || first.arrivedMs >= sinceMs) return taken;
    for (const { arrivedMs, reject } of taken) if (arrivedMs < sinceMs) reject(overloaded());
    return taken.filter(({ arrivedMs }) => arrivedMs >= sinceMs);
  }

  /** Never throws: whatever happens is told to the callers. */
  async #settleBatch(lane: Lane, batch: readonly Waiting[]): Promise<void> {
    const giveUp = new AbortController();
    const settled = this.#transaction.run(batch, giveUp.signal);
    const timeout = sleep(BATCH_MAX_MS, "timeout" as const, { signal: giveUp.signal, ref: false }).catch(
      () => "timeout" as const,
    );
    try {
      const committed = await Promise.race([settled, timeout]);
      if (committed === "timeout") throw databaseUnavailable();
      this.#answerWhenDurable(lane, batch, committed);
    } catch (error) {
      settled.catch(() => undefined);
      for (const { reject } of batch) reject(error);
    } finally {
      giveUp.abort();
    }
  }

  #answerWhenDurable(lane: Lane, batch: readonly Waiting[], { outcomes, durable }: CommittedBatch): void {
    const answered = durable.then(
      () => {
        for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] ?? "changed");
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
    lane.unproven.add(answered);
    void answered.finally(() => lane.unproven.delete(answered));
  }
}

function overloaded(): Fault {
  return new Fault("OVERLOADED", "too many calls wait to be settled; nothing was charged", { retryAfterSeconds: 1 });
}
