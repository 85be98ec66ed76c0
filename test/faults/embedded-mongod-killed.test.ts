import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { postJson } from "../harness/service.ts";
import { watchStalls } from "../harness/watch-stalls.ts";

let dataDir: string;
let service: ServiceProcess;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "keysvc-embedded-"));
  service = await startProcess({ KEYSVC_DATA_DIR: dataDir });
});
afterEach(async () => {
  await service.stop("SIGTERM");
  await rm(dataDir, { recursive: true, force: true });
});

const credential = async () => (await readFile(join(dataDir, "project-key"), "utf8")).trim();
const call = async (path: string, body: object) => postJson(service.url + path, body, await credential());

/** The mongod that runs on the data folder. */
function mongodPid(): number {
  const lines = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  const line = lines.find(
    (candidate) =>
      /\bmongod\s/.test(candidate) && candidate.includes(join(dataDir, "mongod")) && !/\bsh\b/.test(candidate),
  );
  return Number(line?.trim().split(" ")[0]);
}

describe("the embedded database", () => {
  it("that is killed is started again, and the service goes on without a restart", async () => {
    const { consumerId } = (await call("/consumer/create", { credits: { limit: 10 } })).body;
    const { key } = (await call("/key/create", { consumerId })).body;
    expect((await call("/key/validate", { key })).body.credits.remaining).toBe(9);
    const used = await credential();
    process.kill(mongodPid(), "SIGKILL");
    const stalled = watchStalls();
    const start = performance.now();
    const { status, headers } = await postJson(`${service.url}/key/validate`, { key, credits: 0 }, used);
    expect(performance.now() - start - stalled()).toBeLessThan(3_000);
    expect([200, 503]).toContain(status);
    if (status === 503) expect(headers.get("retry-after")).toMatch(/^[1-9]/);
    await expect
      .poll(async () => (await call("/key/validate", { key, credits: 0 })).status, { timeout: 20_000 })
      .toBe(200);
    expect((await call("/key/validate", { key })).body.credits.remaining).toBe(8);
  });

  it("keeps its data over restarts: the key made before still validates", async () => {
    const { consumerId } = (await call("/consumer/create", { credits: { limit: 10 } })).body;
    const { key } = (await call("/key/create", { consumerId })).body;
    expect((await call("/key/validate", { key })).body.valid).toBe(true);
    const firstCredential = await credential();
    expect(await service.stop("SIGTERM")).toBe(0);
    expect(service.output()).toContain(firstCredential);
    service = await startProcess({ KEYSVC_DATA_DIR: dataDir });
    expect((await call("/key/validate", { key })).body).toMatchObject({ valid: true, credits: { remaining: 8 } });
    // Shown once only.
    expect(await credential()).toBe(firstCredential);
    expect(service.output()).not.toContain(firstCredential);
  });

  it("of another secret is refused with one clear message", async () => {
    await service.stop("SIGTERM");
    const failure = startProcess({ KEYSVC_DATA_DIR: dataDir, KEYSVC_SECRET: "another-secret-0000" });
    await expect(failure).rejects.toThrow(/KEYSVC_SECRET is not the secret that this database was made with/);
    service = await startProcess({ KEYSVC_DATA_DIR: dataDir });
  });
});
