import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MongoClient } from "mongodb";
import { vi } from "vitest";
import { type EmbeddedMongod, startEmbeddedMongod } from "../../../src/mongod/start-embedded-mongod.ts";
import { isAlive } from "../../../src/mongod/watchdog.ts";

/** The user's own cache: a mongod need not be fetched for every run of the tests. */
export const cacheDir = process.env.KEYSVC_CACHE_DIR ?? join(homedir(), ".cache", "keysvc");

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const cleanups: (() => Promise<unknown>)[] = [];

/** Undoes what a test has started. */
export async function cleanUp(): Promise<void> {
  for (const undo of cleanups.splice(0).reverse()) await undo();
}

/** What cleanUp undoes, the newest first. */
export function onCleanUp(undo: () => Promise<unknown>): void {
  cleanups.push(undo);
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keysvc-mongod-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }));
  return folder;
}

/** Starts in this process; stopped by cleanUp at the latest. */
export async function start(dataDir: string, report: (line: string) => void = () => {}): Promise<EmbeddedMongod> {
  const mongod = await startEmbeddedMongod({ dataDir, cacheDir, report });
  cleanups.push(() => mongod.stop());
  return mongod;
}

export interface ServiceProcess {
  process: ChildProcess;
  uri: string;
  pid: number;
}

/** Starts in a process of its own that leads its process group. */
export function spawnService(dataDir: string): ChildProcess {
  const program = fileURLToPath(new URL("./service-process.ts", import.meta.url));
  const child = spawn(process.execPath, [program, dataDir, cacheDir], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanups.push(async () => {
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "exit");
  });
  return child;
}

export async function startService(dataDir: string): Promise<ServiceProcess> {
  const child = spawnService(dataDir);
  if (child.stdout === null) throw new Error("no stdout");
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, "line"), once(child, "exit").then(() => [])]);
  if (typeof line !== "string") throw new Error("the service ended before it was ready");
  const { uri, pid } = JSON.parse(line) as { uri: string; pid: number };
  return { process: child, uri, pid };
}

export async function withClient<T>(uri: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 }).connect();
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

export async function write(uri: string, n: number): Promise<void> {
  await withClient(uri, (client) =>
    client
      .db()
      .collection("probe")
      .insertOne({ n }, { writeConcern: { w: "majority" } }),
  );
}

export async function count(uri: string, filter: object = {}): Promise<number> {
  return await withClient(uri, (client) => client.db().collection("probe").countDocuments(filter));
}

/** Resolves with how long it took until the process was gone, in ms. */
export async function untilGone(pid: number, timeoutMs: number): Promise<number> {
  const startMs = performance.now();
  while (isAlive(pid)) {
    if (performance.now() - startMs > timeoutMs) throw new Error(`process ${pid} is still there after ${timeoutMs} ms`);
    await sleep(20);
  }
  return performance.now() - startMs;
}

export async function parentOf(pid: number): Promise<number> {
  return Number(/^PPid:\s*(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);
}
