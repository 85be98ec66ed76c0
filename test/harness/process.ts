import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { freePort } from "../../src/mongod/port.ts";

/** A service in a process of its own, as `npm start` runs it. */
export interface ServiceProcess {
  child: ChildProcess;
  url: string;
  port: number;
  grpcPort: number;
  /** Everything that it wrote so far. */
  output: () => string;
  /** Sends a signal and resolves with the exit code, null after a fatal signal. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

const ROOT = resolve(import.meta.dirname, "../..");
/** What `npm start` gives to Node: `exec node ...`. */
export const START_ARGUMENTS = manifest.scripts.start.split(" ").slice(2);
const READY_TIMEOUT_MS = 60_000;

/** Starts the service and resolves when it is ready. Rejects with its output when it ends before. */
export async function startProcess(settings: Record<string, string>): Promise<ServiceProcess> {
  // One that is killed and comes back finds its ports free.
  const ports = { KEYSVC_PORT: String(await freePort()), KEYSVC_GRPC_PORT: String(await freePort()) };
  const child = spawn(process.execPath, START_ARGUMENTS, {
    cwd: ROOT,
    env: { ...withoutSettings(process.env), ...ports, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  // Not "exit", after which there may be output to come.
  const closed = once(child, "close");
  const ready = new Promise<{ port: number; grpcPort: number }>((resolveReady, reject) => {
    let isReady = false;
    const onData = (chunk: Buffer) => {
      output += chunk;
      if (isReady) return;
      const line = output
        .split("\n")
        .find((candidate) => candidate.includes('"msg":"ready"') && candidate.endsWith("}"));
      if (line === undefined) return;
      isReady = true;
      resolveReady(JSON.parse(line));
    };
    child.stdout.on("data", onData);
    child.stderr.on("data", onData);
    child.once("close", () => reject(new Error(`the service ended before it was ready:\n${output}`)));
    setTimeout(() => reject(new Error(`the service was not ready in time:\n${output}`)), READY_TIMEOUT_MS).unref();
  });
  const { port, grpcPort } = await ready;
  return {
    child,
    port,
    grpcPort,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    async stop(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await closed;
      return child.exitCode;
    },
  };
}

/** The settings of whoever runs the tests are not those of the services that they start; the cache is. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !name.startsWith("KEYSVC_") || name === "KEYSVC_CACHE_DIR",
  );
  return Object.fromEntries(kept);
}
