import { setTimeout as sleep } from "node:timers/promises";
import { type ClientSession, MongoError } from "mongodb";
import { isCutOff, isUndone } from "./classify-error.ts";
import type { SessionPool } from "./session-pool.ts";

/** The driver's own loop goes on for 120 s, long after the caller was told that nothing is known. */
const RETRY_MAX_MS = 1_500;
/** Who met a conflict waits for a random time, so that those who conflict do not only hinder each other; not for long. */
const FIRST_PAUSE_MAX_MS = 1;
const PAUSE_MAX_MS = 16;
const COMMIT_UNKNOWN = "UnknownTransactionCommitResult";

/**
 * Runs a transaction, acknowledged by a majority, and again when it conflicted with another, for a bounded time. Rejects
 * with the error of the last attempt; after an error while it committed, it is not known whether it did.
 *
 * @param work what to do in the session; it may run several times
 */
export async function runTransaction<Result>(
  sessions: SessionPool,
  work: (session: ClientSession) => Promise<Result>,
): Promise<Result> {
  const startMs = performance.now();
  const hasTime = () => performance.now() - startMs < RETRY_MAX_MS;
  for (let attempt = 0; ; attempt++) {
    const session = sessions.take();
    session.startTransaction({ readConcern: { level: "snapshot" }, writeConcern: { w: "majority" } });
    try {
      const result = await work(session);
      await commit(session, hasTime);
      sessions.give(session);
      return result;
    } catch (error) {
      // What aborting fails with says less; the database undoes by itself what nobody commits.
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
      sessions.giveFailed(session, error);
      if (!isUndone(error) || !hasTime()) throw error;
      await sleep(Math.random() * Math.min(FIRST_PAUSE_MAX_MS * 2 ** attempt, PAUSE_MAX_MS));
    }
  }
}

/** A transaction that other transactions can see already, and that a failover may still take back. */
export interface CommittedHere<Result> {
  result: Result;
  /** Resolves once a majority has it. Rejects when that is not known: it may be taken back, or not. */
  durable: Promise<void>;
}

/**
 * Runs a transaction once, and resolves when it is committed on the primary; a majority is waited for apart, so that the next
 * transaction on the same documents need not wait for it. Nothing that it has read or written may be answered before.
 * Rejects with the error of the work or the commit; after one of the commit that does not say that the transaction was undone,
 * it is not known whether it was committed.
 */
export async function commitHereFirst<Result>(
  sessions: SessionPool,
  work: (session: ClientSession) => Promise<Result>,
): Promise<CommittedHere<Result>> {
  const session = sessions.take();
  try {
    const result = await workIn(session, work);
    const startMs = performance.now();
    const hasTime = () => performance.now() - startMs < RETRY_MAX_MS;
    await commit(session, hasTime);
    // The driver commits a second time with the majority, and the database waits for it.
    return { result, durable: giveWhenDurable(sessions, session, commit(session, hasTime)) };
  } catch (error) {
    sessions.giveFailed(session, error);
    throw error;
  }
}

async function workIn<Result>(
  session: ClientSession,
  work: (session: ClientSession) => Promise<Result>,
): Promise<Result> {
  // `local` sees what was committed here and is on its way to the majority; the documents that a transaction reads are those
  // of one moment all the same.
  session.startTransaction({ readConcern: { level: "local" }, writeConcern: { w: 1 } });
  try {
    return await work(session);
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    throw error;
  }
}

async function giveWhenDurable(sessions: SessionPool, session: ClientSession, durable: Promise<void>): Promise<void> {
  try {
    await durable;
    sessions.give(session);
  } catch (error) {
    sessions.giveFailed(session, error);
    throw error;
  }
}

/** Commits again while nothing is known, which is harmless: a transaction commits once. */
async function commit(session: ClientSession, hasTime: () => boolean): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (!(error instanceof MongoError)) throw error;
      // The driver does not know what it means that a session is ended while it commits.
      if (isCutOff(error) && !error.hasErrorLabel("TransientTransactionError")) error.addErrorLabel(COMMIT_UNKNOWN);
      if (!error.hasErrorLabel(COMMIT_UNKNOWN) || !hasTime()) throw error;
    }
  }
}
