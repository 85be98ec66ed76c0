import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "mongodb";
import type { Config } from "../config.ts";
import { connectDatabase, type Database } from "../mongo/client.ts";
import { findRunningMongod } from "../mongod/find-running-mongod.ts";
import { startEmbeddedMongod } from "../mongod/start-embedded-mongod.ts";
import { readSecret } from "../secrets/secret-file.ts";
import { checkData, isNew } from "./check-data.ts";
import { checkDatabase } from "./check-database.ts";
import { checkFolder } from "./check-folder.ts";
import { checkDisk, checkNode, checkOpenFiles } from "./check-host.ts";
import { checkJournal } from "./check-journal.ts";
import { checkPorts } from "./check-ports.ts";
import { checkSettings } from "./check-settings.ts";
import { checkTls } from "./check-tls.ts";
import { type Finding, findingsOf, ok } from "./finding.ts";

const REACH =
  "Start the database, and correct KEYSVC_MONGODB_URI: address, user, password and TLS as `mongosh` takes them.";
const ACCESS = "Give the user of KEYSVC_MONGODB_URI the roles readWrite and dbAdmin on its database.";

/**
 * What is wrong with an installation, by the environment that the service has, and how to mend it. It changes nothing, but for
 * one document that it writes and removes; the embedded database runs meanwhile if it does not already. Never rejects.
 */
export async function examine(environment: Readonly<Record<string, string | undefined>>): Promise<readonly Finding[]> {
  const { config, findings } = checkSettings(environment);
  const host = [checkNode(process.versions.node), ...findings, ...(await checkOpenFiles())];
  if (config === undefined) return host;
  return [
    ...host,
    ...(await findingsOf(
      "TLS",
      "Correct KEYSVC_TLS_CERT and KEYSVC_TLS_KEY: PEM files that the service can read.",
      () => checkTls(config, Date.now()),
    )),
    ...(await findingsOf("data folder", "Set KEYSVC_DATA_DIR to a folder of the service's user.", () =>
      checkFolder(config.dataDir),
    )),
    ...(await findingsOf("disk", "Set KEYSVC_DATA_DIR to a folder on a disk.", async () => [
      await checkDisk(config.dataDir),
    ])),
    ...(await findingsOf("ports", "Correct KEYSVC_HOST.", () => checkPorts(config))),
    ...(await findingsOf("database", REACH, () => checkStored(config))),
  ];
}

async function checkStored(config: Config): Promise<readonly Finding[]> {
  const isEmbedded = config.mongodbUri === undefined;
  // Nothing is made where the service has never been started.
  if (isEmbedded && !(await isThere(join(config.dataDir, "mongod", "password")))) {
    return [ok("database", "the embedded one is made at the first start")];
  }
  const { database, stop } = await open(config);
  const { db } = database;
  try {
    return [
      ok("database", isEmbedded ? "the embedded one can be reached" : "can be reached"),
      ...(await findingsOf("database", ACCESS, () => checkDatabase(db, isEmbedded))),
      ...((await isNew(db))
        ? [ok("data", "none yet: the first start makes everything")]
        : await checkContent(db, config)),
    ];
  } finally {
    await database.close();
    await stop();
  }
}

async function checkContent(db: Db, config: Config): Promise<readonly Finding[]> {
  const secret = config.secret ?? (await readSecret(join(config.dataDir, "secret")));
  const { previousSecret } = config;
  return [
    ...(await findingsOf("data", ACCESS, () => checkData(db, config, { secret, previousSecret }))),
    ...(await findingsOf("journal", ACCESS, () => checkJournal(db))),
  ];
}

async function open(config: Config): Promise<{ database: Database; stop: () => Promise<void> }> {
  const { uri, stop } = await locate(config);
  try {
    return { database: await connectDatabase(uri, { giveUpHangingSockets: true }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function locate({ mongodbUri, dataDir, cacheDir, mongodPath }: Config) {
  const nothing = async () => undefined;
  if (mongodbUri !== undefined) return { uri: mongodbUri, stop: nothing };
  const running = await findRunningMongod(dataDir);
  if (running !== undefined) return { uri: running, stop: nothing };
  const mongod = await startEmbeddedMongod({ dataDir, cacheDir, mongodPath, report: () => undefined });
  return { uri: mongod.uri, stop: mongod.stop };
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
