import type { Db } from "mongodb";
import type { Config } from "../config.ts";
import { isMissing } from "../mongo/classify-error.ts";
import { migrationOf } from "../mongo/schema.ts";
import { INDEXES, MIGRATIONS, TIME_SERIES } from "../schema.ts";
import { opensDataKey } from "../secrets/store.ts";
import { segmentExpiry } from "../segments/store.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const SECONDS_OF_A_DAY = 86_400;
const START = "Start the service once with this version: it makes what is missing.";

/** Whether the database is made for this version and these settings. */
export async function checkData(db: Db, { retentionDays }: Config, secrets: Secrets): Promise<Finding[]> {
  return [
    await checkSecret(db, secrets),
    // The first version did not write it down.
    judgeMigration((await migrationOf(db)) ?? 0),
    await checkIndexes(db),
    ...(await checkRetention(db, retentionDays)),
  ];
}

/** Whether no service has ever been started on the database. */
export async function isNew(db: Db): Promise<boolean> {
  return (await opensDataKey(db, "")) === undefined;
}

export interface Secrets {
  /** Of the settings, or the data folder; undefined: it is yet to be made. */
  secret: string | undefined;
  previousSecret: string | undefined;
}

async function checkSecret(db: Db, { secret, previousSecret }: Secrets): Promise<Finding> {
  const check = "master secret";
  if (secret !== undefined && (await opensDataKey(db, secret))) return ok(check, "opens the data of this database");
  if (previousSecret !== undefined && (await opensDataKey(db, previousSecret))) {
    return ok(check, "the next start changes it from KEYSVC_SECRET_PREVIOUS");
  }
  const remedy =
    "Set KEYSVC_SECRET to the secret that the database was made with, or restore the file `secret` of its data folder.";
  return problem(check, "it is not the one that this database was made with, so no key in it can be read", remedy);
}

function judgeMigration(migration: number): Finding {
  const check = "schema";
  const known = MIGRATIONS.length;
  if (migration > known) {
    const remedy = "Run that version, or restore a backup from before it.";
    return problem(check, `a newer version has changed the database (${migration}, this one knows ${known})`, remedy);
  }
  if (migration === known) return ok(check, `version ${migration}`);
  const remedy = "Make a backup; the next start brings it up to date, after which older versions refuse it.";
  return warning(check, `version ${migration} of ${known}`, remedy);
}

async function checkIndexes(db: Db): Promise<Finding> {
  const check = "indexes";
  const missing: string[] = [];
  for (const { collection, indexes } of [...INDEXES, ...TIME_SERIES]) {
    const there = await indexesOf(db, collection);
    for (const { name, key } of indexes) {
      const found = there.some((one) => JSON.stringify(one.key) === JSON.stringify(key));
      if (!found) missing.push(`${collection}.${name ?? Object.keys(key).join("_")}`);
    }
  }
  if (missing.length === 0) return ok(check, "all are there");
  return problem(check, `missing: ${missing.join(", ")}`, START);
}

async function indexesOf(db: Db, collection: string): Promise<{ key: object; expireAfterSeconds?: number }[]> {
  try {
    return (await db.collection(collection).indexes()) as { key: object; expireAfterSeconds?: number }[];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Whether events are kept for as long as the settings say. */
async function checkRetention(db: Db, retentionDays: number): Promise<Finding[]> {
  const check = "retention";
  const wanted = retentionDays * SECONDS_OF_A_DAY;
  const found = new Map<string, number | undefined>();
  const names = TIME_SERIES.map(({ collection }) => collection);
  const collections = db.listCollections({ name: { $in: names } }, { nameOnly: false });
  for (const { name, options } of await collections.toArray()) found.set(name, options?.expireAfterSeconds);
  for (const { collection, spanSeconds } of segmentExpiry) {
    const expiry = (await indexesOf(db, collection)).find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
    const seconds = expiry?.expireAfterSeconds;
    found.set(collection, seconds === undefined ? undefined : seconds - spanSeconds);
  }
  const wrong = [...found].filter(([, seconds]) => seconds !== wanted);
  if (wrong.length === 0) return [ok(check, `events are kept for ${retentionDays} days`)];
  return wrong.map(([collection, seconds]) => {
    const kept = seconds === undefined ? "for ever" : `for ${seconds / SECONDS_OF_A_DAY} days`;
    const remedy = "Give all nodes the same KEYSVC_RETENTION_DAYS and restart them: each start sets it.";
    return warning(check, `${collection} is kept ${kept}, the settings say ${retentionDays} days`, remedy);
  });
}
