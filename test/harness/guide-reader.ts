import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../src/mongod/port.ts";
import { containsLines, matchesOutput } from "./match-output.ts";
import type { Step } from "./read-guide.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** The ports that the guides speak of: two of the service, one of an application, one of a receiver. */
const GUIDE_PORTS = [8080, 8081, 3000, 4000];
const STEP_TIMEOUT_MS = 90_000;
const POLL_MS = 50;

/** Somebody who follows a guide: a clone of the repository, a terminal, and others for what goes on meanwhile. */
export interface GuideReader {
  /** Does what a step says. Throws when the command fails, or prints something else than the guide shows. */
  follow(step: Step): Promise<void>;
  /** Everything that a step printed, for those who write a guide. */
  printed: Map<Step, string>;
  close(): Promise<void>;
}

/** @param settings environment variables of the service, besides the ports */
export async function openGuideReader(settings: Record<string, string>): Promise<GuideReader> {
  const folder = makeClone();
  const ports = await choosePorts();
  const toOwn = (text: string) => replacePorts(text, ports);
  const toGuide = (text: string) => replacePorts(text, new Map([...ports].map(([from, to]) => [to, from])));
  const environment = { ...guideEnvironment(folder, ports), ...settings };
  const options = { cwd: folder, env: environment, detached: true };
  const shell = spawn("bash", ["--noprofile", "--norc"], { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const programs = new Map<string, Program>();
  const printed = new Map<Step, string>();
  let blocks = 0;

  async function run(command: string): Promise<string> {
    const file = join(folder, `.block-${++blocks}`);
    writeFileSync(file, toOwn(command));
    shell.stdin.write(`. ${file} >${file}.out 2>${file}.err </dev/null; echo "status $?"\n`);
    const timeout = AbortSignal.timeout(STEP_TIMEOUT_MS);
    const [said] = await once(shell.stdout, "data", { signal: timeout }).catch(() => ["no end\n"]);
    const read = (name: string) => toGuide(existsSync(name) ? readFileSync(name, "utf8") : "");
    if (String(said) !== "status 0\n") throw new Error(`${said}${read(`${file}.out`)}${read(`${file}.err`)}`);
    return read(`${file}.out`);
  }

  async function start(name: string, command: string): Promise<Program> {
    await programs.get(name)?.stop("SIGINT");
    const program = startProgram(
      spawn("bash", ["-c", toOwn(command)], { ...options, stdio: ["ignore", "pipe", "pipe"] }),
      toGuide,
    );
    programs.set(name, program);
    return program;
  }

  return {
    printed,
    async follow(step) {
      if (step.kind === "write") return writeFileSync(join(folder, step.name), toOwn(step.text));
      if (step.kind === "run") {
        const output = await run(step.command);
        printed.set(step, output);
        if (step.expected !== undefined && !matchesOutput(step.expected, output))
          throw new Error(`printed:\n${output}`);
        return;
      }
      const program = step.kind === "start" ? await start(step.name, step.command) : programs.get(step.name);
      if (program === undefined) throw new Error(`${step.name} was not started`);
      await program.until(step.expected ?? "").finally(() => printed.set(step, program.output()));
    },
    async close() {
      for (const program of programs.values()) await program.stop("SIGTERM");
      shell.stdin.end();
      await once(shell, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A program in a terminal of its own. */
interface Program {
  output(): string;
  /** Resolves once it has printed these lines. Throws when it ends before, or takes too long. */
  until(expected: string): Promise<void>;
  /** As Ctrl-C does it: the signal goes to all processes of the terminal. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

function startProgram(child: ChildProcess, toGuide: (text: string) => string): Program {
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      text += chunk;
    });
  const output = () => toGuide(text);
  const group = -(child.pid ?? 0);
  const exited = once(child, "exit");
  return {
    output,
    async until(expected) {
      const endMs = performance.now() + STEP_TIMEOUT_MS;
      while (!containsLines(expected, output())) {
        if (child.exitCode !== null || performance.now() > endMs) throw new Error(`printed:\n${output()}`);
        await sleep(POLL_MS);
      }
    },
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      process.kill(group, signal);
      await exited;
      // The last of them frees the port.
      while (isAlive(group)) await sleep(POLL_MS);
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A folder like a fresh clone after `npm ci`: everything is a link, but for what is built. */
function makeClone(): string {
  const folder = mkdtempSync(join(tmpdir(), "keysvc-guide-"));
  const left = [".git", ".keysvc", "clients", "coverage", "dist"];
  for (const name of readdirSync(ROOT)) if (!left.includes(name)) symlinkSync(join(ROOT, name), join(folder, name));
  mkdirSync(join(folder, "clients"));
  symlinkSync(join(ROOT, "clients/go"), join(folder, "clients/go"));
  const source = join(ROOT, "clients/typescript");
  cpSync(source, join(folder, "clients/typescript"), {
    recursive: true,
    filter: (path) => !path.startsWith(join(source, "dist")),
  });
  // What `npm ci` does is there already, and was tried where these tests run.
  mkdirSync(join(folder, ".bin"));
  const npm = `#!/bin/sh\n[ "$1" = ci ] && exit 0\nPATH=\${PATH#*:}\nexec npm "$@"\n`;
  writeFileSync(join(folder, ".bin/npm"), npm, { mode: 0o755 });
  return folder;
}

function guideEnvironment(folder: string, ports: Map<number, number>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    // Node's own of vitest, and the settings of whoever runs the tests, are not the reader's.
    ([name]) => !/^(?:KEYSVC_|VITEST|NODE_OPTIONS|npm_)/.test(name) || name === "KEYSVC_CACHE_DIR",
  );
  return {
    ...Object.fromEntries(kept),
    PATH: `${join(folder, ".bin")}${delimiter}${process.env.PATH}`,
    KEYSVC_PORT: String(ports.get(8080)),
    KEYSVC_GRPC_PORT: String(ports.get(8081)),
    KEYSVC_BASE_URL: `http://127.0.0.1:${ports.get(8080)}`,
  };
}

function replacePorts(text: string, ports: Map<number, number>): string {
  return text.replace(/\b\d{4,5}\b/g, (number) => String(ports.get(Number(number)) ?? number));
}

async function choosePorts(): Promise<Map<number, number>> {
  const ports = new Map<number, number>();
  for (const port of GUIDE_PORTS) ports.set(port, await freePort());
  return ports;
}
