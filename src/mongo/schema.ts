import type { CreateCollectionOptions, Db, IndexDescription } from "mongodb";
import { isOtherwiseThere, isThereAlready } from "./classify-error.ts";
import { holdMigrationLease } from "./migration-lease.ts";

const SECONDS_OF_A_DAY = 86_400;

/** A change of stored data or indexes that a later version makes, once, in the order of the numbers. */
export interface Migration {
  /** From 1, without a gap; never changed once released. */
  number: number;
  /** What it does, for the log. */
  title: string;
  /** Must be repeatable: a node that dies half-way is followed by another that starts over. */
  run(db: Db): Promise<void>;
}

/** The highest migration that is done; undefined: the database is new, or of the first version. */
export async function migrationOf(db: Db): Promise<number | undefined> {
  // Served by _id.
  return (await db.collection<SchemaVersion>("settings").findOne({ _id: "schema" }))?.migration;
}

/** The indexes that a room's queries need. */
export interface CollectionIndexes {
  collection: string;
  indexes: IndexDescription[];
}

/** A time-series collection that a room needs. */
export interface TimeSeries extends CollectionIndexes {
  timeField: string;
  metaField: string;
  granularity: "seconds" | "minutes" | "hours";
}

interface SchemaVersion {
  _id: "schema";
  /** The highest migration that is done. */
  migration: number;
}

/**
 * Brings the database to this version: runs the migrations that are not done yet, in order, then makes the indexes, which
 * leaves those that exist alone. Nodes may do so at once: one migrates, the others wait for it. Refuses a database that a newer version has changed.
 *
 * @param report takes a line for people before each migration
 */
export async function prepareSchema(
  db: Db,
  migrations: readonly Migration[],
  indexes: readonly CollectionIndexes[],
  report: (line: string) => void = () => undefined,
): Promise<void> {
  const stored = await migrationOf(db);
  // A new database has nothing to migrate.
  const done = stored ?? ((await isEmpty(db)) ? migrations.length : 0);
  if (done > migrations.length) {
    throw new Error(`the database is of a newer version (migration ${done}); this one knows ${migrations.length}`);
  }
  if (done < migrations.length) {
    const onWait = () => report("waiting for another node, which brings the database up to date");
    await holdMigrationLease(db, () => migrate(db, migrations, report), onWait);
  }
  if (stored === undefined) await noteMigration(db, migrations.length);
  for (const { collection, indexes: wanted } of indexes) {
    if (wanted.length > 0) await db.collection(collection).createIndexes(wanted);
    else await createCollection(db, collection);
  }
}

/** Runs the migrations that are not done by now, each of which may read and write everything: nobody else must be at it. */
async function migrate(db: Db, migrations: readonly Migration[], report: (line: string) => void): Promise<void> {
  for (const migration of migrations.slice((await migrationOf(db)) ?? 0)) {
    report(`bringing the database up to date, which may take minutes: ${migration.title}`);
    await migration.run(db);
    await noteMigration(db, migration.number);
  }
}

/** Only upwards, in case another node is ahead. Served by _id. */
async function noteMigration(db: Db, number: number): Promise<void> {
  const settings = db.collection<SchemaVersion>("settings");
  await settings.updateOne({ _id: "schema" }, { $max: { migration: number } }, { upsert: true });
}

/**
 * Makes the time-series collections and their indexes, and gives those that exist their retention. Nodes may do so at once.
 *
 * @param retentionDays how long events are kept
 */
export async function prepareTimeSeries(db: Db, series: readonly TimeSeries[], retentionDays: number): Promise<void> {
  const expireAfterSeconds = retentionDays * SECONDS_OF_A_DAY;
  for (const { collection, timeField, metaField, granularity, indexes } of series) {
    await createCollection(db, collection, { timeseries: { timeField, metaField, granularity }, expireAfterSeconds });
    // Changes nothing where it is the same.
    await db.command({ collMod: collection, expireAfterSeconds });
    await db.collection(collection).createIndexes(indexes);
  }
}

/** A collection whose documents are kept as long as the events that they are of. */
export interface ExpiringCollection {
  collection: string;
  /** Has the time of a document. */
  field: string;
  /** How much later than that time an event of the document may be. */
  spanSeconds: number;
}

/**
 * Makes the indexes by which documents expire, and gives those that exist their retention. Nodes may do so at once.
 *
 * @param retentionDays how long events are kept
 */
export async function prepareExpiry(
  db: Db,
  expiring: readonly ExpiringCollection[],
  retentionDays: number,
): Promise<void> {
  for (const { collection, field, spanSeconds } of expiring) {
    const expireAfterSeconds = retentionDays * SECONDS_OF_A_DAY + spanSeconds;
    const key = { [field]: 1 } as const;
    try {
      await db.collection(collection).createIndex(key, { name: "expiry", expireAfterSeconds });
    } catch (error) {
      if (!isOtherwiseThere(error)) throw error;
      await db.command({ collMod: collection, index: { name: "expiry", expireAfterSeconds } });
    }
  }
}

async function createCollection(db: Db, name: string, options: CreateCollectionOptions = {}): Promise<void> {
  try {
    await db.createCollection(name, options);
  } catch (error) {
    if (!isThereAlready(error)) throw error;
  }
}

async function isEmpty(db: Db): Promise<boolean> {
  return (await db.listCollections({}, { nameOnly: true }).toArray()).length === 0;
}
