import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import {
  ADMIN_KEY,
  freshDatabaseUri,
  PROJECT_KEY,
  SECRET,
  startService,
  type TestService,
} from "../harness/service.ts";

const ROOT = resolve(import.meta.dirname, "../..");

let service: TestService;
let dataDir: string;
beforeAll(async () => {
  service = await startService();
  dataDir = await mkdtemp(join(tmpdir(), "keysvc-cli-"));
});
afterAll(async () => {
  await service.close();
  await rm(dataDir, { recursive: true });
});

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

const COMMAND = join(ROOT, "src/cli/keysvc.ts");

function start(commandLine: readonly string[], settings: Record<string, string>, program = COMMAND): ChildProcess {
  // By its own first line, as npm's link to it is run; the Node of the repository is the first on the path.
  return spawn(program, commandLine, {
    cwd: ROOT,
    env: { PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`, KEYSVC_DATA_DIR: dataDir, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs the command line against the service, with the credentials of the tests, or with settings of its own. */
async function run(commandLine: readonly string[], settings?: Record<string, string>, program?: string): Promise<Run> {
  const credentials = { KEYSVC_ADMIN_KEY: ADMIN_KEY, KEYSVC_PROJECT_KEY: PROJECT_KEY };
  const child = start(commandLine, settings ?? { KEYSVC_BASE_URL: service.url, ...credentials }, program);
  if (child.stdout === null || child.stderr === null) throw new Error("its output is not piped");
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

/** Runs a command that must succeed, and returns what it wrote as JSON. */
async function runJson(...commandLine: string[]) {
  const { code, stdout, stderr } = await run([...commandLine, "--json"]);
  expect([code, stderr], commandLine.join(" ")).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe("keysvc project", () => {
  it("makes, lists and deletes projects", async () => {
    const made = await run(["project", "create", "Zoë's\u001b[2J"]);
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const [, projectId] = /^project +(project_\w+)$/m.exec(made.stdout) ?? [];
    const [, projectKey = ""] = /^credential +(proj_\S+)$/m.exec(made.stdout) ?? [];
    expect((await service.call("/api/list", {}, projectKey)).status).toBe(200);
    const list = await run(["project", "list"]);
    expect(list.stdout.split("\n")[2]).toMatch(new RegExp(`^${projectId} +Zoë's\\\\u001b\\[2J +\\d{4}-`));
    expect(list.stdout).toContain("2 in all, page 1 of 1");
    const deleted = await run(["project", "delete", projectId ?? "", "--yes"]);
    expect([deleted.code, deleted.stdout]).toEqual([0, expect.stringContaining(`${projectId} is deleted`)]);
    expect((await runJson("project", "list")).total).toBe(1);
  });

  it("does not delete a project unless it is told so twice", async () => {
    const { projectId } = await runJson("project", "create", "kept");
    const { code, stderr } = await run(["project", "delete", projectId]);
    expect(code).toBe(2);
    expect(stderr).toContain("say --yes");
    expect((await runJson("project", "list", "--limit", "1")).projects[0].projectId).toBe(projectId);
  });

  it("makes, lists, rotates and revokes credentials", async () => {
    const made = await runJson("project", "credential", "create", "--name", "ci", "--scopes", "read,validate");
    expect(made).toMatchObject({ name: "ci", scopes: ["read", "validate"] });
    const rotated = await run(["project", "credential", "rotate", made.credentialId, "--grace-seconds", "60"]);
    const [, value = ""] = /^value +(proj_\S+)$/m.exec(rotated.stdout) ?? [];
    expect(rotated.stdout).toMatch(/The old value works until \d{4}-/);
    for (const one of [value, made.projectKey]) expect((await service.call("/api/list", {}, one)).status).toBe(200);
    const list = await run(["project", "credential", "list"]);
    expect(list.stdout).toMatch(new RegExp(`^${made.credentialId} +ci +read, validate +…${value.slice(-6)} +\\d`, "m"));
    expect(list.stdout).not.toContain(value);
    const again = await run(["project", "credential", "rotate", made.credentialId]);
    expect(again.stdout).toContain("The old value works no more");
    const revoked = await run(["project", "credential", "revoke", made.credentialId]);
    expect([revoked.code, revoked.stdout]).toEqual([0, `${made.credentialId} is revoked.\n`]);
    expect((await runJson("project", "credential", "list")).total).toBe(1);
  });

  it("finds the credentials in the data folder, and the service by host and port", async () => {
    await writeFile(join(dataDir, "admin-key"), `${ADMIN_KEY}\n`);
    await writeFile(join(dataDir, "project-key"), `${PROJECT_KEY}\n`);
    const settings = { KEYSVC_PORT: String(service.app.port) };
    expect((await run(["project", "list"], settings)).code).toBe(0);
    expect((await run(["project", "credential", "list"], settings)).code).toBe(0);
    await rm(join(dataDir, "admin-key"));
    const { code, stderr } = await run(["project", "list"], settings);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/KEYSVC_ADMIN_KEY, or put it in .*admin-key/)]);
  });
});

describe("keysvc ready", () => {
  it("ends with 0 when the service takes calls, and with 1 when there is none", async () => {
    expect(await run(["ready"])).toEqual({ code: 0, stdout: "ready\n", stderr: "" });
    const { code, stderr } = await run(["ready"], { KEYSVC_BASE_URL: "http://127.0.0.1:1" });
    expect([code, stderr]).toEqual([1, expect.stringContaining("there is no service at http://127.0.0.1:1")]);
  });
});

describe("keysvc says what went wrong", () => {
  it("of the service: its detail and its fields, with exit code 1", async () => {
    const unknown = await run(["project", "credential", "revoke", "credential_unknown"]);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toMatch(/answered 404: credentialId: there is no such credential/);
    const broken = await run(["project", "credential", "create", "--scopes", "read,fly"]);
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringMatching(/answered 400: .*\n {2}scopes\[1\]: /) });
  });

  it("of a wrong credential: where it came from, and not what it is", async () => {
    const wrong = "wrong-credential-of-nobody";
    const settings = { KEYSVC_BASE_URL: service.url, KEYSVC_PROJECT_KEY: wrong };
    const { code, stderr } = await run(["project", "credential", "list"], settings);
    expect([code, stderr]).toEqual([1, expect.stringContaining("taken from KEYSVC_PROJECT_KEY")]);
    expect(stderr).not.toContain(wrong);
    await writeFile(join(dataDir, "project-key"), "two words and more");
    const file = await run(["project", "credential", "list"], { KEYSVC_BASE_URL: service.url });
    expect([file.code, file.stderr]).toEqual([1, expect.stringContaining("holds more than a credential")]);
    expect(file.stderr).not.toContain("two words");
  });

  it("of a service that is not there, with exit code 1", async () => {
    const settings = { KEYSVC_BASE_URL: "http://127.0.0.1:1", KEYSVC_ADMIN_KEY: ADMIN_KEY };
    const { code, stderr } = await run(["project", "list"], settings);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no service at http:\/\/127\.0\.0\.1:1: .+/)]);
  });

  it("of something else that answers, and gives a redirect no credential", async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.url);
      if (request.url?.startsWith("/moved")) response.writeHead(307, { location: "/elsewhere" });
      response.end("<html>");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    // A TCP server has an address object.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const page = await run(["project", "list"], { KEYSVC_BASE_URL: url, KEYSVC_ADMIN_KEY: ADMIN_KEY });
    expect([page.code, page.stderr]).toEqual([1, expect.stringContaining("answered 200: no answer of keysvc")]);
    const moved = await run(["project", "list"], { KEYSVC_BASE_URL: `${url}/moved`, KEYSVC_ADMIN_KEY: ADMIN_KEY });
    expect(moved.code).toBe(1);
    expect(seen).toEqual(["/project/list", "/moved/project/list"]);
    server.close();
  });

  it("of a command that it does not know: the usage, with exit code 2", async () => {
    for (const line of [["project", "destroy"], [], ["project", "list", "--colour"]]) {
      const { code, stdout, stderr } = await run(line);
      expect([code, stdout], line.join(" ")).toEqual([2, ""]);
      expect(stderr).toMatch(/^keysvc: .+\n\nusage: keysvc/);
    }
  });

  it("and shows its version when it is asked, with exit code 0", async () => {
    expect(await run(["--version"])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  it("and shows the usage when it is asked, with exit code 0", async () => {
    const { code, stdout } = await run(["help"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^usage: keysvc/)]);
  });
});

describe("keysvc start", () => {
  it("runs the service until it is told to stop, and then exits with 0", async () => {
    const child = start(["start"], {
      ...{ KEYSVC_PORT: "0", KEYSVC_GRPC_PORT: "off", KEYSVC_MONGODB_URI: freshDatabaseUri(), KEYSVC_SECRET: SECRET },
      ...{ KEYSVC_ADMIN_KEY: ADMIN_KEY, KEYSVC_PROJECT_KEY: PROJECT_KEY },
    });
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk;
      if (output.includes('"msg":"ready"')) child.kill("SIGTERM");
    });
    const [code] = await once(child, "close");
    expect(output).toContain('"msg":"ready"');
    expect(code).toBe(0);
  });

  it.each([
    ["the command", COMMAND, ["start", "--port", "9", "bogus"], '"--port"'],
    ["the command of the package", join(ROOT, "bin/keysvc"), ["start", "bogus"], '"bogus"'],
    ["npm start", "npm", ["start", "--silent", "--", "bogus"], '"bogus"'],
  ])("refuses an argument, by %s, rather than start without it", async (_title, program, commandLine, argument) => {
    // Nothing would be bound, were it to start.
    const settings = { KEYSVC_HOST: "192.0.2.1", HOME: dataDir, npm_config_update_notifier: "false" };
    const { code, stdout, stderr } = await run(commandLine, settings, program);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^keysvc: .+\n\nusage: keysvc start/);
    expect(stderr).toContain(`takes no ${argument}`);
  });

  it.runIf(existsSync("/proc/self")).each([
    ["the secrets", {}],
    ["the database", { KEYSVC_SECRET: SECRET, KEYSVC_ADMIN_KEY: ADMIN_KEY }],
  ])("ends with the setting of a data folder that takes no files, for %s, rather than hang", async (_what, secrets) => {
    const { code, stderr } = await run(["start"], { KEYSVC_DATA_DIR: "/proc/keysvc", ...secrets });
    const reason = "KEYSVC_DATA_DIR: ENOENT: no such file or directory, mkdir '/proc/keysvc";
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  it("shows the settings when it is asked", async () => {
    const { code, stdout } = await run(["start", "--help"], {});
    expect([code, stdout]).toEqual([0, expect.stringContaining("KEYSVC_MONGODB_URI")]);
  });
});
