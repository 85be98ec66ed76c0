import { setTimeout as sleep } from "node:timers/promises";
import { drawStampStep } from "../consumer/consumer.ts";
import type { JournalWriter } from "../journal/journal-writer.ts";
import { databaseUnavailable } from "../lib/fault.ts";
import { contended, isDuplicateKey, isUndone } from "../mongo/classify-error.ts";
import type { DatabaseClock, TimeBounds } from "../mongo/database-clock.ts";
import { commitHereFirst } from "../mongo/run-transaction.ts";
import type { SessionPool } from "../mongo/session-pool.ts";
import {
  type Account,
  isCharged,
  isPlainlyCharged,
  isTurning,
  type KnownKey,
  nextTurningPoint,
  turningPoints,
} from "./account.ts";
import { chargeUpdates } from "./charge-updates.ts";
import { decide, type State } from "./decide.ts";
import type { Decision, Outcome, SettleCall } from "./settle-call.ts";
import type { ValidationStore } from "./store.ts";
import type { ConsumerAt } from "./verdict.ts";

export interface BatchTransactionOptions {
  store: ValidationStore;
  sessions: SessionPool;
  clock: Pick<DatabaseClock, "now">;
  journal: Pick<JournalWriter, "entry" | "add">;
  /** Whether events are written in the transaction; if not, after it. */
  isDurable: boolean;
  clockOffsetMs: number;
  /** Forgets a consumer that was changed. */
  forget: (consumerId: string) => void;
}

/** A batch that was committed on the primary. */
export interface CommittedBatch {
  /** In the order of the calls. Nobody may be told of them before they are durable. */
  outcomes: readonly Outcome[];
  durable: Promise<void>;
}

/** Consumers of a batch, and the keys by which they were found. */
type Group = { account: Account; keys: Set<KnownKey> };

/** A batch that was undone is run again, so long; its callers wait longer. */
const RETRY_MAX_MS = 1_500;
/** How often a batch is undone before it is taken apart. */
const IMPATIENT_MAX = 2;
/** Who met a conflict waits for a random time, so that those who conflict do not only hinder each other. */
const PAUSE_MAX_MS = 16;
/** For so long a consumer that others charge too is read before it is charged. */
const SHARED_MS = 2_000;

export interface RunOptions {
  /** Whether a batch that was undone is run again and again, or is to be taken apart first. */
  isPatient: boolean;
  /** Whether its callers have been told that nothing is known: then it is neither committed nor run again. */
  isGivenUp: () => boolean;
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
  async run(calls: readonly SettleCall[], { isPatient, isGivenUp }: RunOptions): Promise<CommittedBatch> {
    const groups = groupByConsumer(calls);
    const startMs = performance.now();
    for (let undone = 0; ; ) {
      try {
        return await this.#attempt(calls, groups, isGivenUp);
      } catch (error) {
        for (const { account } of groups.values()) account.isKnown = false;
        if (isGivenUp()) throw error;
        if (error instanceof Outdated) continue;
        // Another call was first to remember its verdict, which the next attempt reads.
        const isTwice = isDuplicateKey(error);
        if (!isTwice && !isUndone(error)) throw error;
        if (++undone >= IMPATIENT_MAX && !isPatient) throw new Contended();
        if (performance.now() - startMs > RETRY_MAX_MS) throw isTwice ? contended(error) : error;
        await sleep(Math.random() * Math.min(2 ** undone, PAUSE_MAX_MS));
      }
    }
  }

  async #attempt(
    calls: readonly SettleCall[],
    groups: ReadonlyMap<string, Group>,
    isGivenUp: () => boolean,
  ): Promise<CommittedBatch> {
    const { sessions } = this.#options;
    const asOfMs = performance.now();
    const states = knownStates(groups, this.#options.clock.now());
    const unknown = [...groups.keys()].filter((consumerId) => !states.has(consumerId));
    const step = drawStampStep(Math.random());
    const session = sessions.take();
    const settle = () => this.#settle(calls, states, unknown, step, session, isGivenUp);
    const { result, durable } = await commitHereFirst(session, settle).catch((error: unknown) => {
      sessions.giveFailed(session, error);
      throw error;
    });
    this.#learn(groups, states, unknown, result, step, asOfMs);
    return { outcomes: result.outcomes, durable: this.#whenDurable(calls, groups, result, session, durable) };
  }

  /** What happens within the transaction. Fills in the states that were not known. */
  async #settle(
    calls: readonly SettleCall[],
    states: Map<string, State>,
    unknown: readonly string[],
    step: number,
    session: ReturnType<SessionPool["take"]>,
    isGivenUp: () => boolean,
  ): Promise<Decision> {
    const { store, journal, isDurable, clockOffsetMs } = this.#options;
    const read = unknown.length === 0 ? new Map<string, ConsumerAt>() : await store.readConsumers(unknown, session);
    for (const [consumerId, found] of read) states.set(consumerId, { ...found, validUntilMs: undefined });
    const ids = calls.flatMap(({ verdictId }) => verdictId ?? []);
    const verdicts = ids.length === 0 ? new Map() : await store.readVerdicts(ids, session);
    const decision = decide(calls, states, verdicts);
    const { statements, expectedCount } = chargeUpdates(decision.changes, step, clockOffsetMs);
    if (expectedCount > 0 && (await store.charge(statements, session)) !== expectedCount) throw new Outdated();
    if (decision.remembered.length > 0) await store.remember(decision.remembered, session);
    const rows = isDurable ? rowsOf(calls, decision.outcomes) : [];
    if (rows.length > 0) await store.journal(journal.entry(rows), session);
    if (isGivenUp()) throw databaseUnavailable();
    return decision;
  }

  /** Takes over what the transaction has read and written: the next batch rests on it. */
  #learn(
    groups: ReadonlyMap<string, Group>,
    states: ReadonlyMap<string, State>,
    unknown: readonly string[],
    { changes }: Decision,
    step: number,
    asOfMs: number,
  ): void {
    for (const consumerId of unknown) {
      const account = groups.get(consumerId)?.account;
      const read = states.get(consumerId)?.consumer;
      if (account === undefined || read?.revision !== account.consumer.revision) this.#options.forget(consumerId);
      else {
        if (read.stamp !== account.consumer.stamp) account.sharedUntilMs = asOfMs + SHARED_MS;
        Object.assign(account, { consumer: read, isKnown: true, asOfMs });
      }
    }
    for (const { before, after } of changes) {
      const account = groups.get(before._id)?.account;
      if (account?.consumer.revision !== before.revision) continue;
      Object.assign(account, { consumer: { ...before, ...after, stamp: before.stamp + step }, isKnown: true, asOfMs });
    }
  }

  async #whenDurable(
    calls: readonly SettleCall[],
    groups: ReadonlyMap<string, Group>,
    { outcomes }: Decision,
    session: ReturnType<SessionPool["take"]>,
    durable: Promise<void>,
  ): Promise<void> {
    const { sessions, journal, isDurable } = this.#options;
    try {
      await durable;
      sessions.give(session);
    } catch (error) {
      // It may be taken back, or not: what was learned from it is not known any more.
      for (const { account } of groups.values()) account.isKnown = false;
      sessions.giveFailed(session, error);
      throw error;
    }
    if (!isDurable) for (const row of rowsOf(calls, outcomes)) void journal.add(row);
  }
}

function groupByConsumer(calls: readonly SettleCall[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const { known } of calls) {
    const group = groups.get(known.key.consumerId);
    if (group === undefined) groups.set(known.key.consumerId, { account: known.account, keys: new Set([known]) });
    else {
      // The one that was found last knows the latest revision.
      if (known.revision >= group.account.consumer.revision) group.account = known.account;
      group.keys.add(known);
    }
  }
  return groups;
}

/** The consumers that need not be read: known, charged by nobody else, and at no turning point. */
function knownStates(groups: ReadonlyMap<string, Group>, at: TimeBounds | undefined): Map<string, State> {
  const states = new Map<string, State>();
  if (at === undefined) return states;
  const nowMs = performance.now();
  for (const [consumerId, { account, keys }] of groups) {
    const { consumer, isKnown, sharedUntilMs } = account;
    if (!isKnown || sharedUntilMs > nowMs || !isCharged(consumer) || !isPlainlyCharged(consumer, at)) continue;
    const points = [...keys].flatMap((known) => turningPoints(known));
    if (isTurning(points, at)) continue;
    states.set(consumerId, { consumer, nowMs: at.latestMs, validUntilMs: nextTurningPoint(points, at) });
  }
  return states;
}

function rowsOf(calls: readonly SettleCall[], outcomes: readonly Outcome[]): string[] {
  const rows: string[] = [];
  for (const [index, { known, writeRow }] of calls.entries()) {
    const outcome = outcomes[index];
    if (typeof outcome === "object") rows.push(writeRow(known, outcome));
  }
  return rows;
}
