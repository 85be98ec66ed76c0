import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { START_ARGUMENTS, startProcess } from "../test/harness/process.ts";

/** A server in a process of its own that answers /key/validate. */
export interface BenchServer {
  pid: number;
  port: number;
  /** 0: none. */
  grpcPort: number;
  stop(): Promise<void>;
}

/** What makes Node faster makes both faster. */
const NODE_FLAGS = START_ARGUMENTS.filter((argument) => argument.startsWith("--"));
const CONTROL = resolve(import.meta.dirname, "control-server.ts");

/** @param isHttpOnly whether it answers without the database */
export async function startControl(uri: string, credential: string, isHttpOnly = false): Promise<BenchServer> {
  const own = { BENCH_MONGODB_URI: uri, BENCH_CREDENTIAL: credential };
  const env = { ...process.env, ...own, ...(isHttpOnly && { BENCH_HTTP_ONLY: "1" }) };
  const child = fork(CONTROL, { env, execArgv: NODE_FLAGS });
  const exited = once(child, "exit");
  const ended = exited.then(([code]) => Promise.reject(new Error(`the control ended with ${code}`)));
  // Only its start waits for it.
  ended.catch(() => undefined);
  const [{ port }] = await Promise.race([once(child, "message"), ended]);
  const stop = async () => {
    if (child.connected) child.disconnect();
    await exited;
  };
  return { pid: child.pid ?? 0, port, grpcPort: 0, stop };
}

export async function startService(settings: Record<string, string>): Promise<BenchServer> {
  const { child, port, grpcPort, stop } = await startProcess(settings);
  return {
    pid: child.pid ?? 0,
    port,
    grpcPort,
    async stop() {
      await stop("SIGTERM");
    },
  };
}

/** What a process has in memory now; NaN where that cannot be asked. */
export async function residentMb(pid: number): Promise<number> {
  const asked = promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return asked.then(
    ({ stdout }) => Math.round(Number(stdout) / 1_024),
    () => Number.NaN,
  );
}
