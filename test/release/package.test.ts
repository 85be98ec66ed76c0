import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { type InstalledPackage, installPackage, nodesHere, userEnvironment } from "../harness/installed-package.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SIZE_MAX = 1_500_000;
let installed: InstalledPackage;

beforeAll(() => {
  installed = installPackage();
}, 300_000);
afterAll(() => installed?.remove());

/** Runs a command in the folder of the user. */
function run(path: string, command: string, args: string[], settings: Record<string, string> = {}): string {
  const env = { ...userEnvironment(path), ...settings };
  return execFileSync(command, args, { cwd: installed.folder, env, encoding: "utf8", timeout: 60_000, stdio: "pipe" });
}

/** What a user of the client writes. */
const PROGRAM = `
  import { KeysvcClient } from "keysvc/client";
  const client = new KeysvcClient();
  const { consumerId } = await client.consumer.create({ name: "Acme", credits: { limit: 10 } });
  const { key } = await client.key.create({ consumerId });
  const { allowed, creditsRemaining } = await client.verify(key, { credits: 3 });
  const { consumers } = await client.consumer.list({});
  const window = [-3_600_000, 3_600_000].map((offsetMs) => new Date(Date.now() + offsetMs).toISOString());
  const [startTime, endTime] = window;
  const { stats } = await client.analytics.stats({ source: "key_activity", startTime, endTime });
  console.log(JSON.stringify({ allowed, creditsRemaining, listed: consumers.length, requests: stats.totalRequests }));
  await client.close();
`;

describe.each(nodesHere())("the package on Node $version", ({ path }) => {
  it("has a command that says what it is", () => {
    expect(run(path, "npx", ["keysvc", "--version"])).toBe(`${manifest.version}\n`);
    expect(run(path, "npx", ["keysvc", "help"])).toMatch(/^usage: keysvc /);
    expect(run(path, "npx", ["keysvc", "start", "--help"])).toContain("KEYSVC_MONGODB_URI");
  }, 120_000);

  it("starts the service with a MongoDB of its own, serves the client that it brings, and stops on SIGTERM", async () => {
    rmSync(join(installed.folder, ".keysvc"), { recursive: true, force: true });
    const service = spawn(join(installed.folder, "node_modules/.bin/keysvc"), ["start"], {
      cwd: installed.folder,
      env: { ...userEnvironment(path), KEYSVC_PORT: "0", KEYSVC_GRPC_PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Not "exit", after which there may be output to come.
    const closed = once(service, "close");
    let output = "";
    try {
      const port = await new Promise<number>((onReady, reject) => {
        const read = (chunk: Buffer) => {
          output += chunk;
          const [, found] = /"port":(\d+).*"msg":"ready"/.exec(output) ?? [];
          if (found !== undefined) onReady(Number(found));
        };
        service.stdout.on("data", read);
        service.stderr.on("data", read);
        service.once("exit", () => reject(new Error(`the service ended before it was ready:\n${output}`)));
      });
      expect(output).toContain(`"version":"${manifest.version}"`);
      // What npm start tells Node, the command does too.
      const commandLine = readFileSync(`/proc/${service.pid}/cmdline`, "utf8").split("\0");
      expect(commandLine).toEqual(expect.arrayContaining(["--enable-source-maps", "--min-semi-space-size=16"]));
      writeFileSync(join(installed.folder, "program.mjs"), PROGRAM);
      const settings = {
        KEYSVC_BASE_URL: `http://127.0.0.1:${port}`,
        KEYSVC_PROJECT_KEY: readFileSync(join(installed.folder, ".keysvc/project-key"), "utf8").trim(),
      };
      const said = run(path, "node", ["program.mjs"], settings);
      expect(JSON.parse(said)).toEqual({ allowed: true, creditsRemaining: 7, listed: 1, requests: 1 });
      expect(run(path, "npx", ["keysvc", "project", "list"], settings)).toContain("1 in all");
      expect(run(path, "npx", ["keysvc", "doctor", "--json"])).toContain('"findings"');
    } finally {
      service.kill("SIGTERM");
    }
    expect(await closed).toEqual([0, null]);
    expect(output).toContain('"msg":"stopped"');
  }, 120_000);
});

describe("the package", () => {
  it("brings what is run and read, and nothing of tests, benchmarks and what only the repository runs", () => {
    const paths = installed.files.map(({ path }) => path);
    const needed = ["LICENSE", "README.md", "CHANGELOG.md", "docs/operating.md", "gen/openapi.yaml", "dist/main.js"];
    const threads = ["dist/listing/worker.js", "dist/analytics/worker.js", "dist/journal/drain-worker.js"];
    expect(paths).toEqual(expect.arrayContaining([...needed, ...threads, "proto/keysvc/v1/key.proto"]));
    const strange = paths.filter(
      (path) => /(^|\/)(test|bench|demo|seed|codegen)\/|\.test\./.test(path) || /(?<!\.d)\.ts$/.test(path),
    );
    expect(strange).toEqual([]);
    expect(installed.files.find(({ path }) => path === "bin/keysvc")?.mode).toBe(0o755);
    expect(installed.size).toBeLessThan(SIZE_MAX);
  });

  it("brings every file that a compiled one refers to", () => {
    const paths = new Set(installed.files.map(({ path }) => path));
    const modules = [...paths].filter((path) => path.startsWith("dist/") && path.endsWith(".js"));
    expect(modules.length).toBeGreaterThan(200);
    const missing = modules.flatMap((module) => {
      const text = readFileSync(join(installed.folder, "node_modules/keysvc", module), "utf8");
      const targets = [...text.matchAll(/(?:from|import\(?)\s*"(\.[^"]+)"|new URL\("([^"]+)", import\.meta\.url\)/g)];
      const files = targets.map(([, imported, url]) => join(module, "..", imported ?? url ?? ""));
      return files.filter((file) => !paths.has(file)).map((file) => `${module}: ${file}`);
    });
    expect(missing).toEqual([]);
  });

  it("has every file that its exports name", () => {
    const paths = installed.files.map(({ path }) => `./${path}`);
    const named = Object.values(manifest.exports).flatMap((target) => Object.values(target));
    expect(named.filter((file) => !paths.includes(file))).toEqual([]);
  });

  it("can be required from CommonJS, where Node can do so", () => {
    const program = 'console.log(typeof require("keysvc/client").KeysvcClient)';
    for (const { path } of nodesHere())
      expect(run(path, "node", ["--no-warnings", "--eval", program])).toBe("function\n");
  });

  it.each([
    ["Node", ["--module", "node16"]],
    ["a bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ])("has types that a program for %s is compiled with", (_name, options) => {
    const program = `
      import { KeysvcClient, type VerificationResult } from "keysvc/client";
      export const verdict: Promise<VerificationResult> = new KeysvcClient({ projectKey: "k" }).verify("sk_1");
      // @ts-expect-error: a key is a text
      new KeysvcClient({ projectKey: "k" }).verify(1);
    `;
    writeFileSync(join(installed.folder, "program.mts"), program);
    const strict = [
      "--ignoreConfig",
      "--strict",
      "--noEmit",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom",
      "--types",
      "",
    ];
    const compile = () =>
      run(process.env.PATH ?? "", join(ROOT, "node_modules/.bin/tsc"), [...strict, ...options, "program.mts"]);
    expect(compile()).toBe("");
  });
});
