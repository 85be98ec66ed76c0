import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** Name of the watchdog in the process list; a mongod whose parent has another name has lost its watchdog. */
export const WATCHDOG_NAME = "keysvc-mongod-watchdog";

/** How long mongod may take to flush before it is killed; its journal keeps every acknowledged write even then. */
const STOP_TIMEOUT_MS = 8_000;

/**
 * mongod's parent. The service holds the other end of its stdin; when that closes (the service stops mongod, or dies in
 * whatever way), mongod is asked to stop, and killed if it does not. Signals to the watchdog itself are ignored: only
 * the pipe decides. It is a shell script because it must outlive the service, and a second Node would cost 40 MB.
 */
const WATCHDOG_SCRIPT = `
"$@" </dev/null >&2 &
mongod=$!
echo "$mongod"
trap '' HUP INT TERM
exec 3<&0
(
  while read -r _; do :; done <&3
  kill -TERM "$mongod"
  tenths=${STOP_TIMEOUT_MS / 100}
  while [ "$tenths" -gt 0 ] && kill -0 "$mongod"; do sleep 0.1; tenths=$((tenths - 1)); done
  kill -KILL "$mongod"
) >/dev/null 2>&1 &
reader=$!
wait "$mongod"
code=$?
kill -KILL "$reader" 2>/dev/null
exit "$code"
`;

/** A mongod under its watchdog. */
export interface WatchedMongod {
  pid: number;
  /** Resolves once mongod is gone, with its exit code (128 + n after signal n), null if it is unknown. */
  exited: Promise<number | null>;
  /** Asks mongod to flush and stop; resolves when it is gone. Idempotent. */
  stop(): Promise<void>;
}

/** Starts mongod in a session of its own, so that signals to the service's process group or terminal do not reach it. */
export async function spawnWatched(path: string, args: readonly string[], logFd: number): Promise<WatchedMongod> {
  const watchdog = spawn("/bin/sh", ["-c", WATCHDOG_SCRIPT, WATCHDOG_NAME, path, ...args], {
    detached: true,
    stdio: ["pipe", "pipe", logFd],
  });
  const { stdin, stdout } = watchdog;
  if (stdin === null || stdout === null) throw new Error("the watchdog has no pipes");
  // A pipe whose other end is gone is no event of its own: the watchdog's exit is.
  stdin.on("error", () => undefined);
  const ended = exitCodeOf(watchdog);
  const [pid] = await Promise.race([firstLine(stdout), ended.then(() => [])]);
  if (pid === undefined) throw new Error("the watchdog of mongod (/bin/sh) could not be started");
  const exited = ended.then((code) => (code === null ? endOrphan(Number(pid)) : code));
  return {
    pid: Number(pid),
    exited,
    stop: async () => {
      stdin.end();
      await exited;
    },
  };
}

function exitCodeOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", (code) => resolve(code));
  });
}

function firstLine(input: Readable): Promise<string[]> {
  const lines = createInterface({ input });
  return new Promise((resolve) => lines.once("line", (line) => resolve([line])));
}

/** The watchdog was killed, mongod was not: without it nothing would stop mongod when the service dies. */
async function endOrphan(pid: number): Promise<null> {
  for (let waitedMs = 0; isAlive(pid); waitedMs += 50) {
    if (waitedMs === 0) process.kill(pid, "SIGTERM");
    if (waitedMs === STOP_TIMEOUT_MS) process.kill(pid, "SIGKILL");
    await sleep(50);
  }
  return null;
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
