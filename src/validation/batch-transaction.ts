import { setTimeout as sleep } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import { drawStampStep } from "../consumer/consumer.ts";
import type { JournalWriter } from "../journal/journal-writer.ts";
import type { Committed } from "../journal/lane.ts";
import { databaseUnavailable } from "../lib/fault.ts";
import { contended, isDuplicateKey, isUndone } from "../mongo/classify-error.ts";
import type { DatabaseClock } from "../mongo/database-clock.ts";
import { commitHereFirst } from "../mongo/run-transaction.ts";
import type { SessionPool } from "../mongo/session-pool.ts";
import type { TellEvents } from "../webhook/event.ts";
import { BatchAccounts } from "./batch-accounts.ts";
import { chargeUpdates } from "./charge-updates.ts";
import { decide, type State } from "./decide.ts";
import type { Decision, Outcome, SettleCall } from "./settle-call.ts";
import type { ValidationStore } from "./store.ts";
import type { ConsumerAt } from "./verdict.ts";

export interface BatchTransactionOptions {
  store: ValidationStore;
  sessions: SessionPool;
  clock: Pick<DatabaseClock, "now">;
  journal: Pick<JournalWriter, "entries" | "add">;
  /** Whether events are written in the transaction; if not, after it. */
  isDurable: boolean;
  clockOffsetMs: number;
  tell: TellEvents;
  /** Forgets a consumer that was changed. */
  forget: (consumerId: string) => void;
}

/** A batch that was committed on the primary. */
export interface CommittedBatch extends Committed<Outcome> {
  /** Whether others came in its way, or are expected to. */
  isContested: boolean;
}

/** A batch that was undone is run again, so long; its callers wait longer. */
const RETRY_MAX_MS = 1_500;
/** Who met a conflict waits for a random time, so that those who conflict do not only hinder each other. */
const PAUSE_MAX_MS = 8;

export interface RunOptions {
  /** For so long after the first conflict a batch that was undone is run again, before it is taken apart. */
  patienceMs: number;
  /** Whether its callers have been told that nothing is known: then it is neither committed nor run again. */
  isGivenUp: () => boolean;
}

interface Batch {
  calls: readonly SettleCall[];
  accounts: BatchAccounts;
  /** Whether others came in its way. */
  isContested: boolean;
  isGivenUp: () => boolean;
}

/** A batch, and what one transaction of it rests on. */
interface Attempt extends Batch {
  states: Map<string, State>;
  /** Consumers that are to be read. */
  unknown: readonly string[];
  /** Those of them that are held first. */
  contested: readonly string[];
  /** By which it moves stamps. */
  step: number;
}

/** A batch that was committed on the primary, and is on its way to a majority. */
interface CommittedHere {
  calls: readonly SettleCall[];
  accounts: BatchAccounts;
  outcomes: readonly Outcome[];
  durable: Promise<void>;
}

/** Others hold a consumer of the batch; nothing was done. */
export class Contended extends Error {}

/** A consumer was not any more what it was known to be: nothing was written, and it is read the next time. */
class Outdated extends Error {}

/**
 * Settles batches of calls, each in one transaction (README.md): what is not known for certain is read, calls are decided in
 * their order by pure rules, charges and events are written.
 */
export class BatchTransaction {
  readonly #options: BatchTransactionOptions;

  constructor(options: BatchTransactionOptions) {
    this.#options = options;
  }

  /** Throws Contended when others hold a consumer, and rejects when nothing was done, or when it is not known what was. */
  async run(calls: readonly SettleCall[], { patienceMs, isGivenUp }: RunOptions): Promise<CommittedBatch> {
    const accounts = new BatchAccounts(calls);
    const startMs = performance.now();
    let conflictedMs: number | undefined;
    for (let undone = 0; ; ) {
      try {
        return await this.#attempt({ calls, accounts, isContested: undone > 0, isGivenUp });
      } catch (error) {
        accounts.unlearn();
        if (isGivenUp()) throw error;
        if (error instanceof Outdated) continue;
        // Another call was first to remember its verdict, which the next attempt reads.
        const isTwice = isDuplicateKey(error);
        if (!isTwice && !isUndone(error)) throw error;
        const nowMs = performance.now();
        conflictedMs ??= nowMs;
        if (nowMs - conflictedMs >= patienceMs) throw new Contended();
        if (nowMs - startMs > RETRY_MAX_MS) throw isTwice ? contended(error) : error;
        undone++;
        await sleep(Math.random() * Math.min(2 ** undone, PAUSE_MAX_MS));
      }
    }
  }

  async #attempt(batch: Batch): Promise<CommittedBatch> {
    const { sessions, clock, forget } = this.#options;
    const { calls, accounts } = batch;
    const asOfMs = performance.now();
    const states = accounts.knownStates(clock.now());
    const unknown = accounts.missingFrom(states);
    // Many are read first: seldom does somebody else charge one of them at this very moment.
    const isContested = batch.isContested || unknown.length === 1;
    const contested = isContested ? accounts.contestedOf(unknown) : [];
    const attempt = { ...batch, states, unknown, contested, step: drawStampStep(Math.random()) };
    const { result, durable } = await commitHereFirst(sessions, (session) => this.#settle(attempt, session));
    for (const consumerId of accounts.learn(states, result.changes, attempt.step, asOfMs)) forget(consumerId);
    const { outcomes } = result;
    const answerable = this.#whenDurable({ calls, accounts, outcomes, durable });
    return { outcomes, durable: answerable, isContested: batch.isContested || contested.length > 0 };
  }

  /** What happens within the transaction. Fills in the states that were not known. */
  async #settle(attempt: Attempt, session: ClientSession): Promise<Decision> {
    const { store, journal, isDurable, clockOffsetMs, tell } = this.#options;
    const { calls, states, step, isGivenUp } = attempt;
    await this.#readUnknown(attempt, session);
    const ids = calls.flatMap(({ verdictId }) => verdictId ?? []);
    const verdicts = ids.length === 0 ? new Map() : await store.readVerdicts(ids, session);
    const decision = decide(calls, states, verdicts);
    const { statements, expectedCount } = chargeUpdates(decision.changes, step, clockOffsetMs);
    if (expectedCount > 0 && (await store.charge(statements, session)) !== expectedCount) throw new Outdated();
    if (decision.events.length > 0) await tell(decision.events, session);
    if (decision.remembered.length > 0) await store.remember(decision.remembered, session);
    const rows = isDurable ? rowsOf(calls, decision.outcomes) : [];
    // One, but for rows of very long names.
    for (const entry of journal.entries(rows)) await store.journal(entry, session);
    if (isGivenUp()) throw databaseUnavailable();
    return decision;
  }

  /**
   * Where others charge the same, consumers are held before they are read: who reads first and is slower than the others
   * would find them changed again and again.
   */
  async #readUnknown({ accounts, states, unknown, contested, step }: Attempt, session: ClientSession): Promise<void> {
    const { store } = this.#options;
    const take = (read: ReadonlyMap<string, ConsumerAt>, ownStep: number) => {
      accounts.markShared(read, ownStep);
      for (const [consumerId, found] of read) states.set(consumerId, { ...found, validUntilMs: undefined });
    };
    if (contested.length > 0) take(await store.holdConsumers(contested, step, session), step);
    const others = contested.length === 0 ? unknown : unknown.filter((consumerId) => !states.has(consumerId));
    if (others.length > 0) take(await store.readConsumers(others, session), 0);
  }

  async #whenDurable({ calls, accounts, outcomes, durable }: CommittedHere): Promise<void> {
    const { journal, isDurable } = this.#options;
    try {
      await durable;
      accounts.prove();
    } catch (error) {
      accounts.prove();
      // It may be taken back, or not: what was learned from it is not known any more.
      accounts.unlearn();
      throw error;
    }
    if (!isDurable) for (const row of rowsOf(calls, outcomes)) void journal.add(row);
  }
}

function rowsOf(calls: readonly SettleCall[], outcomes: readonly Outcome[]): string[] {
  const rows: string[] = [];
  for (const [index, { known, writeRow }] of calls.entries()) {
    const outcome = outcomes[index];
    if (typeof outcome === "object") rows.push(writeRow(known, outcome));
  }
  return rows;
}
