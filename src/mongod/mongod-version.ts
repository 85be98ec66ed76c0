import { runCommand } from "./run-command.ts";

/** A mongod binary that was seen to run. */
export interface MongodBinary {
  path: string;
  /** Full version, such as `6.0.5`. */
  version: string;
}

/** Older servers lack time-series and change-stream behaviour that the service relies on. */
export const OLDEST_SERIES = "6.0";

const PROBE_TIMEOUT_MS = 10_000;

/** Takes the version out of what `mongod --version` prints; undefined if it is not there. */
export function parseMongodVersion(output: string): string | undefined {
  return /^\s*db version v?(\d+\.\d+\.\d+)/m.exec(output)?.[1];
}

/** The release series of a version: `6.0` of `6.0.5`. Data files fit within a series. */
export function seriesOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** Orders versions numerically: negative if `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Runs `<path> --version`. Rejects with a one-line reason if the program does not run here (missing libraries, wrong
 * architecture) or is no mongod of 6.0 or newer.
 */
export async function probeMongod(path: string): Promise<MongodBinary> {
  const version = parseMongodVersion(await runCommand(path, ["--version"], { timeoutMs: PROBE_TIMEOUT_MS }));
  if (version === undefined) throw new Error(`${path} --version does not look like a mongod`);
  if (compareVersions(version, OLDEST_SERIES) < 0) {
    throw new Error(`${path} is MongoDB ${version}, ${OLDEST_SERIES} or newer is needed`);
  }
  return { path, version };
}
