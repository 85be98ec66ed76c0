import { type Binary, type Db, type Document, UUID } from "mongodb";

const TRANSACTION_TOO_OLD = 225;
const INCOMPLETE_TRANSACTION_HISTORY = 217;

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
export async function runNumbered(db: Db, command: Document, session: Binary, txnNumber: number): Promise<Document> {
  const used = db.client.startSession({ causalConsistency: false });
  // The driver must neither give the session to others nor end it on the server: others write in it.
  used.serverSession.isDirty = true;
  used.serverSession.id = { id: session };
  try {
    const numbered = { ...command, txnNumber: BigInt(txnNumber), writeConcern: { w: "majority" } };
    const reply = await db.command(numbered, { session: used });
    const failed = reply.writeErrors?.[0] ?? reply.writeConcernError;
    if (failed) throw Object.assign(new Error(failed.errmsg), { code: failed.code });
    return reply;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== TRANSACTION_TOO_OLD && code !== INCOMPLETE_TRANSACTION_HISTORY) throw error;
    throw new NumberRefused("the session does not take the number", { cause: error });
  } finally {
    await used.endSession();
  }
}
