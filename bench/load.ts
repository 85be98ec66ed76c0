import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Calls of /key/validate that follow one another, at most so many at once. */
export interface LoadPlan {
  protocol: "http" | "grpc";
  port: number;
  credential: string;
  /** A file with one key a line, which are validated in turns. */
  keysFile: string;
  /** How many calls are under way: one on each connection, or as streams of a few connections by gRPC. */
  connections: number;
  seconds: number;
}

export interface LoadResult {
  /** Calls that were answered as they should be within the time. */
  answered: number;
  /** All others: another status than 200 or OK, no answer in time, a broken connection. */
  failed: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

const WRK_LUA = resolve(import.meta.dirname, "validate.lua");
const LOAD_PROCESS = resolve(import.meta.dirname, "load-process.ts");

export async function isWrkInstalled(): Promise<boolean> {
  // Without arguments wrk shows its usage and ends with 1; what is not there cannot be started at all.
  return run("wrk", ["-v"]).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
}

/** Puts load on a server from a process of its own: wrk for HTTP where it is installed, else a small one of Node. */
export async function runLoad(plan: LoadPlan, hasWrk: boolean, signal: AbortSignal): Promise<LoadResult> {
  return plan.protocol === "http" && hasWrk
    ? figuresOf("wrk", wrkArguments(plan), signal)
    : figuresOf(process.execPath, [LOAD_PROCESS, JSON.stringify(plan)], signal);
}

/** Runs a program that puts load on a server and prints what came of it as a line of JSON. */
export async function figuresOf(command: string, parts: readonly string[], signal: AbortSignal): Promise<LoadResult> {
  const { stdout } = await run(command, parts, { signal }).catch((error: unknown) => {
    // Why it was stopped says more than that it was.
    signal.throwIfAborted();
    throw error;
  });
  const line = stdout.split("\n").find((candidate) => candidate.startsWith("{"));
  if (line === undefined) throw new Error(`no figures from the load:\n${stdout}`);
  return JSON.parse(line);
}

/** One thread: it makes more calls than a server on the same two cores answers, and leaves them to the server. */
function wrkArguments({ connections, seconds, port, keysFile, credential }: LoadPlan): string[] {
  const pace = ["--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`];
  const script = ["--timeout", "10s", "--script", WRK_LUA];
  return [...pace, ...script, `http://127.0.0.1:${port}/key/validate`, "--", keysFile, credential];
}
