import { readFile, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** The lowest that the driver of the database supports. */
const NODE_MIN = [20, 19] as const;
/** What every test runs with, and what the figures are of. */
const NODE_MAJOR_GOOD = 24;
/** Each connection takes one, and so do the database's files where it is embedded. */
const OPEN_FILES_MIN = 1_024;
const OPEN_FILES_GOOD = 8_192;
const DISK_FREE_MIN = 1_000_000_000;
const DISK_FREE_GOOD = 10_000_000_000;

/** @param version such as `24.21.0` */
export function checkNode(version: string): Finding {
  const check = "Node";
  const remedy = `Run the service with Node ${NODE_MAJOR_GOOD} or newer.`;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major >= NODE_MAJOR_GOOD) return ok(check, `version ${version}`);
  const isTooOld = major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]);
  if (isTooOld) return problem(check, `version ${version} is too old`, remedy);
  return warning(check, `version ${version} works, but is not what the service is tested with most`, remedy);
}

/** How many files this process, and a service that is started as it was, may have open. */
export async function checkOpenFiles(): Promise<Finding[]> {
  // Elsewhere than on Linux nobody says.
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
  return soft === undefined ? [] : [judgeOpenFiles(soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft))];
}

export function judgeOpenFiles(limit: number): Finding {
  const check = "open files";
  const remedy = `Raise the limit to 65536: LimitNOFILE= of systemd, --ulimit nofile= of docker, or ulimit -n.`;
  if (limit < OPEN_FILES_MIN) return problem(check, `at most ${limit}, of which each connection takes one`, remedy);
  if (limit < OPEN_FILES_GOOD) return warning(check, `at most ${limit}, which many connections use up`, remedy);
  return ok(check, `at most ${limit}`);
}

/** The room on the disk of a folder, or of the nearest one above it that is there. */
export async function checkDisk(folder: string): Promise<Finding> {
  let path = resolve(folder);
  for (;;) {
    try {
      const { bavail, blocks, bsize } = await statfs(path);
      return judgeDisk(`disk of ${path}`, bavail * bsize, blocks * bsize);
    } catch (error) {
      if (dirname(path) === path) throw error;
      path = dirname(path);
    }
  }
}

/** @param free and `total` in bytes */
export function judgeDisk(check: string, free: number, total: number): Finding {
  const message = `${gigabytes(free)} of ${gigabytes(total)} GB are free`;
  const remedy = "Make room, or keep events for fewer days (KEYSVC_RETENTION_DAYS): a full disk stops the database.";
  if (free < DISK_FREE_MIN) return problem(check, message, remedy);
  if (free < DISK_FREE_GOOD && free < 0.1 * total) return warning(check, message, remedy);
  return ok(check, message);
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}
