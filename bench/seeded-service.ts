import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ServiceProcess, startProcess } from "../test/harness/process.ts";

export interface SeededService {
  service: ServiceProcess;
  projectKey: string;
  /** Stops service and database, and removes their data. */
  stop(): Promise<void>;
}

const ROOT = resolve(import.meta.dirname, "..");
const PROJECT_KEY = "project-key-of-the-benchmark";

/** A service in a process of its own, with the embedded database, whose default project is filled with consumers. */
export async function startSeededService(consumers: number): Promise<SeededService> {
  const dataDir = await mkdtemp(join(tmpdir(), "keysvc-bench-"));
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  const settings = { KEYSVC_DATA_DIR: dataDir, KEYSVC_PROJECT_KEY: PROJECT_KEY, KEYSVC_LOG_LEVEL: "info" };
  try {
    await seed(consumers, settings);
    const service = await startProcess(settings);
    const stop = async () => {
      await service.stop("SIGTERM");
      await removeData();
    };
    return { service, projectKey: PROJECT_KEY, stop };
  } catch (error) {
    await removeData();
    throw error;
  }
}

async function seed(consumers: number, settings: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, ["src/seed/seed.ts", "--consumers", String(consumers)], {
    cwd: ROOT,
    env: { ...process.env, ...settings },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the seed ended with ${code}`);
}
