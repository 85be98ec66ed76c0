import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Options } from "../vectors/middleware/case.ts";

const MODULE = join(import.meta.dirname, "../../clients/go");

/** The adapters of the Go client. */
export const GO_ADAPTERS = ["nethttp", "gin", "echo", "fiber"] as const;

/** An application that the Go program serves, on a port of its own. */
export interface GoServer {
  name: string;
  adapter: (typeof GO_ADAPTERS)[number];
  options: Options;
}

/** The program of clients/go/internal/app while it runs. */
export interface GoApp {
  /** The port of a server. */
  port(name: string): number;
  /** What OnError was told, and whatever else the program complained of. */
  complaints(): string;
  /** Stops serving, sends what waits, and resolves with how many events were dropped. */
  stop(): Promise<{ dropped: number }>;
}

/** Builds the program as a file. Throws with what the compiler says. */
export function buildGoApp(file: string): void {
  const { status, stderr, error } = spawnSync("go", ["build", "-o", file, "./internal/app"], {
    cwd: MODULE,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the Go program cannot be built: ${error?.message ?? stderr}`);
}

/** Starts the program with all its servers. Rejects with what it says when it cannot. */
export async function startGoApp(
  file: string,
  settings: { baseURL: string; projectKey: string; timeoutMs: number; servers: GoServer[] },
): Promise<GoApp> {
  const child = spawn(file, { stdio: ["pipe", "pipe", "pipe"], env: { PATH: process.env.PATH } });
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const readLine = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the Go program ended: ${complaints}`);
    return JSON.parse(value);
  };
  child.stdin.write(`${JSON.stringify(settings)}\n`);
  const ports: Record<string, number> = await readLine();
  return {
    port(name) {
      const port = ports[name];
      if (port === undefined) throw new Error(`no server ${name}`);
      return port;
    },
    complaints: () => complaints,
    async stop() {
      child.stdin.end();
      // Not "exit", after which there may be complaints to come.
      const closed = once(child, "close");
      const result = await readLine();
      await closed;
      return result;
    },
  };
}
