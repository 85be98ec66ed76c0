import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedMongodError } from "./embedded-mongod-error.ts";
import { isAlive, WATCHDOG_NAME } from "./watchdog.ts";

const POLL_INTERVAL_MS = 50;

/**
 * Waits until no mongod has `dbPath` open. The lock itself is mongod's own (mongod.lock, checked again when it starts);
 * this keeps a start from racing a mongod that is still flushing, and gets rid of one that lost its watchdog.
 * @throws EmbeddedMongodError when the lock is still held at `deadlineMs` (epoch ms)
 */
export async function waitForDataLock(
  dbPath: string,
  deadlineMs: number,
  report: (line: string) => void,
): Promise<void> {
  let reported = false;
  for (;;) {
    const holder = await lockHolder(dbPath);
    if (holder === undefined) return;
    if (Date.now() >= deadlineMs) throw lockHeldError(dbPath, holder);
    if (!reported) {
      report(`waiting for the mongod (pid ${holder}) that still has ${dbPath} open`);
      if (await hasLostWatchdog(holder)) process.kill(holder, "SIGTERM");
      reported = true;
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

/** The error for a data folder that another live service uses. */
export function lockHeldError(dbPath: string, holder: number | undefined): EmbeddedMongodError {
  const who = holder === undefined ? "Another mongod" : `Another mongod (pid ${holder})`;
  return new EmbeddedMongodError(
    `${who} has the embedded database ${dbPath} open, probably that of another keysvc with the same data directory. ` +
      "Stop that one, give this one its own KEYSVC_DATA_DIR, or let both share a database by KEYSVC_MONGODB_URI.",
  );
}

/**
 * The process that has `dbPath` open. mongod empties mongod.lock on a clean stop; after a crash the file names a process
 * that is gone or another program.
 */
export async function lockHolder(dbPath: string): Promise<number | undefined> {
  const pid = Number((await readFile(join(dbPath, "mongod.lock"), "utf8").catch(() => "")).trim());
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  return (await commandLine(pid)).includes(dbPath) ? pid : undefined;
}

async function hasLostWatchdog(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const parent = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
  return Number.isInteger(parent) && !(await commandLine(parent)).includes(WATCHDOG_NAME);
}

/** Arguments of a process; none where there is no /proc, then only mongod's own lock decides. */
async function commandLine(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
}
