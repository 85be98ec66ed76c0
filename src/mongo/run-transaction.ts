import { setTimeout as sleep } from "node:timers/promises";
import { type ClientSession, type MongoClient, MongoError } from "mongodb";

/** The driver's own loop goes on for 120 s, long after the caller was told that nothing is known. */
const RETRY_MAX_MS = 1_500;
/** Who met a conflict waits for a random time, so that those who conflict do not only hinder each other; not for long. */
const FIRST_PAUSE_MAX_MS = 1;
const PAUSE_MAX_MS = 16;

/**
 * Runs a transaction, acknowledged by a majority, and again when it conflicted with another, for a bounded time. Rejects
 * with the error of the last attempt; after an error while it committed, it is not known whether it did.
 *
 * @param work what to do in the session; it may run several times
 */
export async function runTransaction<Result>(
  client: MongoClient,
  work: (session: ClientSession) => Promise<Result>,
): Promise<Result> {
  const startMs = performance.now();
  const mayRetry = (error: unknown, label: string) =>
    error instanceof MongoError && error.hasErrorLabel(label) && performance.now() - startMs < RETRY_MAX_MS;
  return client.withSession(async (session) => {
    for (let attempt = 0; ; attempt++) {
      session.startTransaction({ readConcern: { level: "snapshot" }, writeConcern: { w: "majority" } });
      try {
        const result = await work(session);
        await commit(session, (error) => mayRetry(error, "UnknownTransactionCommitResult"));
        return result;
      } catch (error) {
        // What aborting fails with says less; the database undoes by itself what nobody commits.
        if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
        if (!mayRetry(error, "TransientTransactionError")) throw error;
        await sleep(Math.random() * Math.min(FIRST_PAUSE_MAX_MS * 2 ** attempt, PAUSE_MAX_MS));
      }
    }
  });
}

/** Committing again is harmless: a transaction commits once. */
async function commit(session: ClientSession, mayRetry: (error: unknown) => boolean): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (!mayRetry(error)) throw error;
    }
  }
}
