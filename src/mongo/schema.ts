import type { Db, IndexDescription } from "mongodb";

/** A change of stored data or indexes that a later version makes, once, in the order of the numbers. */
export interface Migration {
  /** From 1, without a gap; never changed once released. */
  number: number;
  /** What it does, for the log. */
  title: string;
  /** Must be repeatable: a node that dies half-way is followed by another that starts over. */
  run(db: Db): Promise<void>;
}

/** The indexes that a room's queries need. */
export interface CollectionIndexes {
  collection: string;
  indexes: IndexDescription[];
}

interface SchemaVersion {
  _id: "schema";
  /** The highest migration that is done. */
  migration: number;
}

/**
 * Brings the database to this version: runs the migrations that are not done yet, in order, then makes the indexes, which
 * leaves those that exist alone. Nodes may do so at once. Refuses a database that a newer version has changed.
 */
export async function prepareSchema(
  db: Db,
  migrations: readonly Migration[],
  indexes: readonly CollectionIndexes[],
): Promise<void> {
  const settings = db.collection<SchemaVersion>("settings");
  const stored = await settings.findOne({ _id: "schema" });
  // A new database has nothing to migrate.
  const done = stored?.migration ?? ((await isEmpty(db)) ? migrations.length : 0);
  if (done > migrations.length) {
    throw new Error(`the database is of a newer version (migration ${done}); this one knows ${migrations.length}`);
  }
  for (const migration of migrations.slice(done)) {
    await migration.run(db);
    // Only upwards, in case another node is ahead. Served by _id.
    await settings.updateOne({ _id: "schema" }, { $max: { migration: migration.number } }, { upsert: true });
  }
  if (stored === null) {
    await settings.updateOne({ _id: "schema" }, { $max: { migration: migrations.length } }, { upsert: true });
  }
  for (const { collection, indexes: wanted } of indexes) {
    await db.collection(collection).createIndexes(wanted);
  }
}

async function isEmpty(db: Db): Promise<boolean> {
  return (await db.listCollections({}, { nameOnly: true }).toArray()).length === 0;
}
