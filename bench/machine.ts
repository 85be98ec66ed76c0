import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";

/** What the figures of a benchmark were measured on. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  node: string;
  mongod: string;
  load: "wrk" | "own";
  /** Processes that ran or waited for a core in the minute before the benchmark began: others, that is. */
  busyBefore: number;
}

export function describeMachine(mongodVersion: string, hasWrk: boolean): Machine {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    mongod: mongodVersion,
    load: hasWrk ? "wrk" : "own",
    busyBefore: loadavg()[0] ?? 0,
  };
}

/** What the figures are of; null outside a repository. */
export function currentCommit(): string | null {
  try {
    const git = (...parts: string[]) => execFileSync("git", parts, { encoding: "utf8", stdio: "pipe" }).trim();
    return git("rev-parse", "HEAD") + (git("status", "--porcelain", "--untracked-files=no") === "" ? "" : ", changed");
  } catch {
    return null;
  }
}
