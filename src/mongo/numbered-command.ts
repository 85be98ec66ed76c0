import { type Binary, type ClientSession, type Db, type Document, MongoServerError, UUID } from "mongodb";
import { DUPLICATE_KEY } from "./classify-error.ts";

const TRANSACTION_TOO_OLD = 225;
const INCOMPLETE_TRANSACTION_HISTORY = 217;
/** A transaction of the same number was begun before. */
const CONFLICTING_OPERATION = 117;
const REFUSED_CODES = new Set<unknown>([TRANSACTION_TOO_OLD, INCOMPLETE_TRANSACTION_HISTORY, CONFLICTING_OPERATION]);

/** The server does not take this number in this session: it knows a higher one, or not enough of this one. */
export class NumberRefused extends Error {}

/** The id of a session that nobody has: those of the driver may have been used before. */
export function newSessionId(): Binary {
  return new UUID().toBinary();
}

/**
 * Runs a write in a session and under a number of our own: each of its statements applies once, whoever repeats it, for as
 * long as the server remembers the session (30 minutes after its last use). Acknowledged by a majority. Throws NumberRefused.
 */
export function runNumbered(db: Db, command: Document, session: Binary, txnNumber: number): Promise<Document> {
  return inSession(db, session, (used) =>
    send(db, { ...command, txnNumber: BigInt(txnNumber), writeConcern: { w: "majority" } }, used),
  );
}

/**
 * Inserts documents, of which each stands for itself, in a session and under a number of our own, as runNumbered does. Rejects
 * when it is not known which were inserted: then it may be repeated. Throws NumberRefused.
 *
 * @returns the places of those that a unique index refused; a majority has the others
 */
export function insertNumbered(
  db: Db,
  collection: string,
  documents: readonly Document[],
  session: Binary,
  txnNumber: number,
): Promise<number[]> {
  return inSession(db, session, async (used) => {
    const command = { insert: collection, documents, ordered: false, txnNumber: BigInt(txnNumber) };
    const reply = await db.command({ ...command, writeConcern: { w: "majority" } }, { session: used });
    const errors: { index: number; code: number }[] = reply.writeErrors ?? [];
    const failed = errors.find(({ code }) => code !== DUPLICATE_KEY) ?? reply.writeConcernError;
    // The driver makes errors of commands alone.
    if (failed) throw new MongoServerError({ code: failed.code, message: "an insert failed" });
    return errors.map(({ index }) => index);
  });
}

/** A write of a transaction, and how many documents it has to take effect on. */
export interface NumberedWrite {
  command: Document;
  n: number;
}

/**
 * Runs writes as one transaction in a session and under a number of our own, acknowledged by a majority. It undoes a
 * transaction of a lower number that is not committed, and is refused after one of a higher number.
 *
 * @returns false when a write took effect on another number of documents: then nothing was written
 */
export function runNumberedTransaction(
  db: Db,
  writes: readonly NumberedWrite[],
  session: Binary,
  txnNumber: number,
): Promise<boolean> {
  const transaction = { txnNumber: BigInt(txnNumber), autocommit: false };
  return inSession(db, session, async (used) => {
    // The driver writes its own number into these two commands.
    used.serverSession.txnNumber = txnNumber;
    const end = (command: "commitTransaction" | "abortTransaction") =>
      send(db.client.db("admin"), { [command]: 1, ...transaction, writeConcern: { w: "majority" } }, used);
    try {
      for (const [index, { command, n }] of writes.entries()) {
        const start = index === 0 ? { startTransaction: true } : {};
        const reply = await send(db, { ...command, ...transaction, ...start }, used);
        if (reply.n === n) continue;
        await end("abortTransaction");
        return false;
      }
    } catch (error) {
      // Or it would keep its locks for a minute. What was refused may be the transaction of somebody else.
      if (!isRefusal(error)) await end("abortTransaction").catch(() => undefined);
      throw error;
    }
    await end("commitTransaction");
    return true;
  });
}

async function send(db: Db, command: Document, session: ClientSession): Promise<Document> {
  const reply = await db.command(command, { session });
  const failed = reply.writeErrors?.[0] ?? reply.writeConcernError;
  if (failed) throw Object.assign(new Error(failed.errmsg), { code: failed.code });
  return reply;
}

async function inSession<Result>(
  db: Db,
  session: Binary,
  work: (session: ClientSession & { serverSession: NonNullable<ClientSession["serverSession"]> }) => Promise<Result>,
): Promise<Result> {
  const used = db.client.startSession({ causalConsistency: false });
  // The driver must neither give the session to others nor end it on the server: others write in it.
  used.serverSession.isDirty = true;
  used.serverSession.id = { id: session };
  try {
    return await work(used);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new NumberRefused("the session does not take the number", { cause: error });
  } finally {
    await used.endSession();
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && REFUSED_CODES.has(error.code);
}
