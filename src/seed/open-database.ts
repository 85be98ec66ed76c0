import { type Config, naming } from "../config.ts";
import { connectDatabase, type Database } from "../mongo/client.ts";
import { prepareExpiry, prepareSchema, prepareTimeSeries } from "../mongo/schema.ts";
import { findRunningMongod } from "../mongod/find-running-mongod.ts";
import { startEmbeddedMongod } from "../mongod/start-embedded-mongod.ts";
import { INDEXES, MIGRATIONS, TIME_SERIES } from "../schema.ts";
import { segmentExpiry } from "../segments/store.ts";

/**
 * Opens the database of the service, with its indexes: the one of the settings; else the embedded one, which a service may
 * have open, and which runs for as long as it is needed where none has.
 *
 * @param report takes lines for people
 */
export async function openDatabase(config: Config, report: (line: string) => void): Promise<Database> {
  const { uri, stop } = await locate(config, report);
  const setting = config.mongodbUri === undefined ? "KEYSVC_DATA_DIR" : "KEYSVC_MONGODB_URI";
  try {
    return await naming(setting, async () => {
      const database = await connectPrepared(uri, config);
      const close = () => database.close().finally(stop);
      return { ...database, close };
    });
  } catch (error) {
    await stop();
    throw error;
  }
}

async function locate(config: Config, report: (line: string) => void) {
  const nothing = async () => undefined;
  if (config.mongodbUri !== undefined) return { uri: config.mongodbUri, stop: nothing };
  const { dataDir, cacheDir, mongodPath } = config;
  const running = await findRunningMongod(dataDir);
  if (running !== undefined) {
    report(`Using the database of the service that runs on ${dataDir}`);
    return { uri: running, stop: nothing };
  }
  const mongod = await startEmbeddedMongod({ dataDir, cacheDir, mongodPath, report });
  return { uri: mongod.uri, stop: mongod.stop };
}

async function connectPrepared(uri: string, { retentionDays }: Config): Promise<Database> {
  const database = await connectDatabase(uri, { giveUpHangingSockets: false });
  try {
    await prepareSchema(database.db, MIGRATIONS, INDEXES);
    await prepareTimeSeries(database.db, TIME_SERIES, retentionDays);
    await prepareExpiry(database.db, segmentExpiry, retentionDays);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
