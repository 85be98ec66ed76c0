import type { DataFolder } from "./data-folder.ts";
import { openLog } from "./log-file.ts";
import { REPLICA_SET } from "./replica-set.ts";
import { spawnWatched, type WatchedMongod } from "./watchdog.ts";

const CACHE_GB = 1;
/** By default it may grow to 5 % of the disk. */
const OPLOG_MB = 2048;

/**
 * mongod reads a preallocated journal file to its end when it opens its data: with the usual 100 MB that is half of a
 * restart's time.
 */
const JOURNAL_FILE_MB = 32;

/** Starts a mongod under its watchdog on the folder's data; it may not be listening yet. */
export async function launchMongod(path: string, folder: DataFolder, port: number): Promise<WatchedMongod> {
  const log = await openLog(folder.logFile);
  try {
    return await spawnWatched(path, mongodArguments(folder, port), log.fd);
  } finally {
    await log.close();
  }
}

function mongodArguments(folder: DataFolder, port: number): string[] {
  return [
    ...["--dbpath", folder.dbPath, "--replSet", REPLICA_SET, "--keyFile", folder.keyFile],
    ...["--bind_ip", "127.0.0.1", "--port", String(port), "--nounixsocket", "--networkMessageCompressors", "disabled"],
    ...["--wiredTigerCacheSizeGB", String(CACHE_GB), "--oplogSize", String(OPLOG_MB), "--quiet"],
    ...["--wiredTigerEngineConfigString", `log=(file_max=${JOURNAL_FILE_MB}MB)`],
    // Statistics for MongoDB's support: up to 200 MB in the data folder and a write every second.
    ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
    // On a signal mongod would wait 15 s for other members to catch up, of which there are none.
    ...["--setParameter", "shutdownTimeoutMillisForSignaledShutdown=0"],
  ];
}
