import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const FULL = "/dev/full";

/** Programs that write, with what begins their errors. */
const PROGRAMS: [commandLine: string, program: string][] = [
  ["src/cli/keysvc.ts help", "keysvc"],
  ["src/cli/keysvc.ts start --help", "keysvc"],
  ["src/cli/keysvc.ts doctor", "keysvc"],
  ["src/main.ts --help", "keysvc"],
  ["src/seed/seed.ts --help", "seed"],
];

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "keysvc-lost-output-"));
});
afterAll(() => rm(dataDir, { recursive: true }));

/** Opens a file that takes nothing. */
async function withFullFile<T>(use: (fd: number) => Promise<T>): Promise<T> {
  const full = await open(FULL, "w");
  try {
    return await use(full.fd);
  } finally {
    await full.close();
  }
}

/** Runs a program whose stdout is a file that is open, or a pipe that nobody reads. */
async function run(commandLine: string, output: number | "closed") {
  const child = spawn(process.execPath, commandLine.split(" "), {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, KEYSVC_DATA_DIR: dataDir },
    stdio: ["ignore", output === "closed" ? "pipe" : output, "pipe"],
  });
  child.stdout?.destroy();
  if (child.stderr === null) throw new Error("its errors are not piped");
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code, stderr };
}

describe.each(PROGRAMS)("%s", (commandLine, program) => {
  it("ends quietly, as by SIGPIPE, when its reader has gone", async () => {
    expect(await run(commandLine, "closed")).toEqual({ code: 141, stderr: "" });
  });

  it.runIf(existsSync(FULL))("says in a line why its output could not be written, and ends with 1", async () => {
    const stderr = `${program}: the output could not be written: ENOSPC\n`;
    expect(await withFullFile((full) => run(commandLine, full))).toEqual({ code: 1, stderr });
  });
});

it.runIf(existsSync(FULL))("an error that cannot be written either leaves its exit code", async () => {
  const code = await withFullFile(async (full) => {
    const child = spawn(process.execPath, ["src/cli/keysvc.ts", "bogus"], { cwd: ROOT, stdio: ["ignore", full, full] });
    return (await once(child, "close"))[0];
  });
  expect(code).toBe(2);
});
