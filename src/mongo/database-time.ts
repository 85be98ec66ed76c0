import type { Db, Document } from "mongodb";

/** The primary's clock, epoch milliseconds, shifted by the setting for tests: the time of everything that is stored. */
export async function databaseTime(db: Db, clockOffsetMs: number): Promise<number> {
  const { localTime } = await db.command({ hello: 1 });
  if (!(localTime instanceof Date)) throw new Error("the database did not tell its time");
  return localTime.getTime() + clockOffsetMs;
}

/** The same as an expression, for queries. */
export function databaseNow(clockOffsetMs: number): Document {
  return { $add: [{ $toDouble: "$$NOW" }, clockOffsetMs] };
}
