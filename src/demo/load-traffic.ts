import { join } from "node:path";
import { type AccessLog, parseAccessLog, readAccessLog } from "./access-log.ts";
import { generateAccessLog } from "./generate-access-log.ts";

/** The access log's name in KEYSVC_ACCESS_LOG_DIR. */
export const ACCESS_LOG_FILE = "apache_logs";
/** Fixed, so that every run without a log sees the same traffic. */
export const DEFAULT_SEED = 20_150_517;

export interface Traffic extends AccessLog {
  origin: { path: string; seed?: undefined } | { path: string; seed: number };
}

/**
 * Reads the access log of a folder, or generates one of the same shape where the folder has none.
 *
 * @param directory the setting KEYSVC_ACCESS_LOG_DIR
 * @returns with an origin that has a seed when the traffic was generated; its path is then the one that is absent
 */
export async function loadTraffic(directory: string, seed = DEFAULT_SEED): Promise<Traffic> {
  const path = join(directory, ACCESS_LOG_FILE);
  const log = await readAccessLog(path);
  if (log !== undefined) return { ...log, origin: { path } };
  return { ...parseAccessLog(generateAccessLog(seed)), origin: { path, seed } };
}
