import { totalmem } from "node:os";
import type { DataFolder } from "./data-folder.ts";
import { openLog } from "./log-file.ts";
import { REPLICA_SET } from "./replica-set.ts";
import { spawnWatched, type WatchedMongod } from "./watchdog.ts";

/** Of the memory that this process may use; MongoDB itself would take half, but here it is not alone. */
const CACHE_SHARE = 1 / 6;
const CACHE_MIN_GB = 0.25;
const CACHE_MAX_GB = 4;
/** By default it may grow to 5 % of the disk. */
const OPLOG_MB = 2048;

/**
 * mongod reads a preallocated journal file to its end when it opens its data: with the usual 100 MB that is half of a
 * restart's time.
 */
const JOURNAL_FILE_MB = 32;

/** How much of the data mongod keeps in its own memory: where keys outgrow it, each charge costs half as much again. */
function cacheGb(): number {
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(totalmem(), limit) : totalmem();
  const gb = Math.round(((memory * CACHE_SHARE) / 2 ** 30) * 100) / 100;
  return Math.min(Math.max(gb, CACHE_MIN_GB), CACHE_MAX_GB);
}

const HISTORY_SECONDS = 10;

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
    ...["--wiredTigerCacheSizeGB", String(cacheGb()), "--oplogSize", String(OPLOG_MB), "--quiet"],
    ...["--wiredTigerEngineConfigString", `log=(file_max=${JOURNAL_FILE_MB}MB)`],
    // Statistics for MongoDB's support: up to 200 MB in the data folder and a write every second.
    ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
    // For 300 s by default every version of a document is kept, for reads of the past, which nobody makes here.
    ...["--setParameter", `minSnapshotHistoryWindowInSeconds=${HISTORY_SECONDS}`],
    // On a signal mongod would wait 15 s for other members to catch up, of which there are none.
    ...["--setParameter", "shutdownTimeoutMillisForSignaledShutdown=0"],
  ];
}
