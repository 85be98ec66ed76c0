import type { MongoClient, ServerSessionId } from "mongodb";

/** Ends sessions in the database, and undoes the transactions that are open in them. */
export async function killSessions(client: MongoClient, ids: readonly ServerSessionId[]): Promise<void> {
  // The database takes an empty list for all sessions of this user.
  if (ids.length === 0) return;
  await client.db("admin").command({ killSessions: ids });
}
