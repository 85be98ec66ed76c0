import { type ClientSession, type Db, type Document, MongoServerError } from "mongodb";

/**
 * Sends a write as it is, within a transaction: the driver's bulk writes cost more than the rest of a batch. Rejects when a
 * statement was refused, which undoes the transaction.
 *
 * @returns how many documents were matched or inserted
 */
export async function writeCommand(db: Db, command: Document, session: ClientSession): Promise<number> {
  const reply = await db.command(command, { session });
  const [failure] = reply.writeErrors ?? [];
  // The driver makes errors of commands alone.
  if (failure !== undefined) throw new MongoServerError({ code: failure.code, message: "a write was refused" });
  return reply.n;
}
