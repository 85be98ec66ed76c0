import { platform } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { lockHeldError, waitForDataLock } from "./data-lock.ts";
import { EmbeddedMongodError } from "./embedded-mongod-error.ts";
import { findMongod } from "./find-mongod.ts";
import { launchMongod } from "./launch-mongod.ts";
import { boundLog } from "./log-file.ts";
import type { MongodBinary } from "./mongod-version.ts";
import { freePort, waitUntilListening } from "./port.ts";
import { becomePrimary, uriOf } from "./replica-set.ts";

export interface EmbeddedMongodOptions {
  /** The service's data directory; the database lives in `<dataDir>/mongod`. */
  dataDir: string;
  /** Per-user cache for binaries. */
  cacheDir: string;
  /** A mongod binary to use and no other (KEYSVC_MONGOD). */
  mongodPath?: string | undefined;
  /** The port of 127.0.0.1 that mongod must have; a free one when absent. */
  mongodPort?: number | undefined;
  /** Takes human progress lines. */
  report: (line: string) => void;
}

export interface EmbeddedMongod {
  port: number;
  /** For the official driver; contains the password, so it must not be logged. */
  uri: string;
  /** Such as `6.0.5`. */
  version: string;
  pid: number;
  /**
   * Resolves when mongod is gone, whether stopped or by itself, with its exit code (128 + n after signal n, null if
   * unknown). Never rejects.
   */
  exited: Promise<number | null>;
  /** Flushes, stops and resolves when the process is gone (at most about 8 s). Idempotent. */
  stop(): Promise<void>;
}

const LOCK_TIMEOUT_MS = 10_000;
const PRIMARY_TIMEOUT_MS = 5 * 60_000;
const PATIENCE_REPORT_MS = 5_000;
const EXIT_ADDRESS_IN_USE = 48;
const EXIT_DATA_IN_USE = 100;

/**
 * Finds or fetches a mongod and runs it on the data directory as a replica set of one, on a free port of 127.0.0.1 with
 * a password. Resolves when majority writes succeed. mongod stops when this process ends, however it ends.
 * @throws EmbeddedMongodError for everything an operator can mend
 */
export async function startEmbeddedMongod(options: EmbeddedMongodOptions): Promise<EmbeddedMongod> {
  if (platform() === "win32") {
    throw new EmbeddedMongodError("There is no embedded database on Windows. Set KEYSVC_MONGODB_URI, or use WSL.");
  }
  const folder = await openDataFolder(options.dataDir);
  const lockDeadlineMs = Date.now() + LOCK_TIMEOUT_MS;
  await waitForDataLock(folder.dbPath, lockDeadlineMs, options.report);
  const binary = await findMongod({ ...options, dataVersion: folder.version });
  const { report } = options;
  for (;;) {
    const outcome = await tryStart(binary, folder, options.mongodPort ?? (await freePort()), report);
    if (typeof outcome === "object" && outcome !== null) return outcome;
    if (outcome === EXIT_ADDRESS_IN_USE && options.mongodPort === undefined) continue;
    if (outcome !== EXIT_DATA_IN_USE) throw startFailed(binary, folder, outcome);
    if (Date.now() >= lockDeadlineMs) throw lockHeldError(folder.dbPath, undefined);
    await sleep(200);
    await waitForDataLock(folder.dbPath, lockDeadlineMs, report);
  }
}

/** Resolves with the exit code instead if mongod ends before it is primary. */
async function tryStart(
  binary: MongodBinary,
  folder: DataFolder,
  port: number,
  report: (line: string) => void,
): Promise<EmbeddedMongod | number | null> {
  const access = { port, password: folder.password };
  // Before mongod touches the files: a start that breaks off must not leave data of an unknown version.
  if (folder.version === undefined) await folder.rememberVersion(binary.version);
  const mongod = await launchMongod(binary.path, folder, port);
  const patience = setInterval(() => report("mongod is still opening its data"), PATIENCE_REPORT_MS);
  try {
    const ready = waitUntilListening(port, mongod.exited).then(() => becomePrimary(access));
    // If mongod ends first, its exit code says more than the broken connection.
    ready.catch(() => undefined);
    const deadline = sleep(PRIMARY_TIMEOUT_MS, undefined, { ref: false }).then(() => Promise.reject(notReady(folder)));
    deadline.catch(() => undefined);
    const end = await Promise.race([ready.then(() => "ready" as const), mongod.exited, deadline]);
    if (end !== "ready") return end;
  } catch (error) {
    await mongod.stop();
    throw error;
  } finally {
    clearInterval(patience);
  }
  await folder.rememberVersion(binary.version);
  await folder.rememberPort(port);
  mongod.exited.then(boundLog(folder.logFile));
  return { port, uri: uriOf(access), version: binary.version, ...mongod };
}

function startFailed(binary: MongodBinary, folder: DataFolder, code: number | null): EmbeddedMongodError {
  return new EmbeddedMongodError(
    `mongod ${binary.version} (${binary.path}) ended at once with exit code ${code}. Its log ${folder.logFile} says why; ` +
      "usual reasons are a full disk and files of another user. KEYSVC_MONGODB_URI selects a database of your own instead.",
  );
}

function notReady(folder: DataFolder): EmbeddedMongodError {
  return new EmbeddedMongodError(
    `The embedded database was not ready after ${PRIMARY_TIMEOUT_MS / 60_000} minutes. See its log ${folder.logFile}.`,
  );
}
