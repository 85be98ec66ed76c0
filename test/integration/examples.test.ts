import { execFile } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SCRIPTS = readdirSync(join(ROOT, "examples")).filter((name) => name.endsWith(".sh"));
/** Sourced by the others. */
const SHARED = "call.sh";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Runs a script as its reader does, from another folder too. Rejects when it does not end with 0. */
async function run(name: string): Promise<string> {
  const PATH = `${join(ROOT, "node_modules/.bin")}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, KEYSVC_BASE_URL: service.url, KEYSVC_PROJECT_KEY: PROJECT_KEY };
  const { stdout } = await promisify(execFile)(join(ROOT, "examples", name), { cwd: ROOT, env });
  return stdout;
}

describe("the example", () => {
  it.each(SCRIPTS.filter((name) => name !== SHARED))("%s runs, and shows what it says", async (name) => {
    const shown = await run(name);
    expect(shown).not.toBe("");
    expect(shown).not.toContain(PROJECT_KEY);
  });

  it("fails when the service refuses what it asks", async () => {
    const url = service.url;
    service.url = `${url}/nowhere`;
    await expect(run("validate.sh")).rejects.toThrow();
    service.url = url;
  });

  it.each(SCRIPTS)("%s is listed, and stops at the first mistake", (name) => {
    expect(readFileSync(join(ROOT, "examples/README.md"), "utf8")).toContain(`[${name}](${name})`);
    if (name === SHARED) return;
    expect(readFileSync(join(ROOT, "examples", name), "utf8")).toContain("\nset -euo pipefail\n");
    accessSync(join(ROOT, "examples", name), constants.X_OK);
  });
});
