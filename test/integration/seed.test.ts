import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterEach, expect, it, vi } from "vitest";
import type { Consumer } from "../../src/consumer/consumer.ts";
import type { Key } from "../../src/key/key.ts";
import { startProcess } from "../harness/process.ts";
import {
  ADMIN_KEY,
  freshDatabaseUri,
  PROJECT_KEY,
  postJson,
  SECRET,
  startService,
  type TestService,
} from "../harness/service.ts";

vi.setConfig({ testTimeout: 120_000 });

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanups.splice(0).reverse()) await undo();
});

async function start(databaseUri: string): Promise<TestService> {
  const service = await startService({ KEYSVC_MONGODB_URI: databaseUri });
  cleanups.push(() => service.close());
  return service;
}

/** Runs `npm run seed` on a database, without the settings of whoever runs the tests. */
function startSeed(databaseUri: string | undefined, commandLine: string[], settings: Record<string, string> = {}) {
  const { PATH, HOME, KEYSVC_CACHE_DIR } = process.env;
  const target = databaseUri === undefined ? {} : { KEYSVC_MONGODB_URI: databaseUri, KEYSVC_SECRET: SECRET };
  const child = spawn(process.execPath, ["src/seed/seed.ts", ...commandLine], {
    env: { PATH, HOME, KEYSVC_CACHE_DIR, KEYSVC_PROJECT_KEY: PROJECT_KEY, ...target, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  return { child, output, ended: once(child, "close").then(([exitCode]) => ({ exitCode, ...output })) };
}

async function seed(databaseUri: string, ...commandLine: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await startSeed(databaseUri, commandLine).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout;
}

/** The state of a project's seeds in the audit log, newest first. */
async function seedEntries(service: TestService): Promise<object[]> {
  const { entries } = await service.ok("/audit/list", { pageSize: 200 });
  return entries.filter(({ action }: { action: string }) => action === "project.seed");
}

it("a new database that was seeded is one that the service could have filled itself", async () => {
  const databaseUri = freshDatabaseUri();
  const stdout = await seed(databaseUri, "--consumers", "2000");
  expect(stdout).toMatch(/^Filling the project default \(project_\w+\)$/m);
  expect(stdout).toMatch(/^Added 2,000 consumers with 2,000 keys in [\d.]+ s, [\d,]+ consumers\/s$/m);
  const service = await start(databaseUri);
  const [, sample, owner] = /^A key that validates: (\w+) \(of (\w+)\)$/m.exec(stdout) ?? [];
  expect(await service.ok("/key/validate", { key: sample })).toMatchObject({
    code: "VALID",
    consumer: { consumerId: owner },
  });
  const list = await service.ok("/consumer/list", { limit: 60 });
  expect(list).toMatchObject({ total: 2_000, filtered: 2_000 });
  const codes = new Set<string>();
  for (const { consumerId } of list.consumers) codes.add(await checkConsumer(service, consumerId));
  expect(codes).toContain("VALID");
  expect(codes.size).toBeGreaterThan(1);
  for (const status of ["active", "disabled", "deleted"]) {
    expect((await service.ok("/consumer/list", { status })).filtered).toBeGreaterThan(30);
  }
});

/** The verdict on a consumer's key, after a look at all that the service says of the consumer. */
async function checkConsumer(service: TestService, consumerId: string): Promise<string> {
  const details = await service.ok("/consumer/details", { consumerId });
  expect(details).toMatchObject({ consumerId, metadata: expect.any(Object), tags: expect.any(Array) });
  const { total, keys } = await service.ok("/consumer/keys", { consumerId });
  expect(total).toBe(1);
  const [{ key, keyId }] = keys;
  const verdict = await service.ok("/key/validate", { key });
  if (details.status === "deleted") expect(verdict.code).toBe("NOT_FOUND");
  else expect(verdict).toMatchObject({ keyId, consumer: { consumerId, name: details.name, planId: details.planId } });
  if (details.status === "disabled") expect(verdict.valid).toBe(false);
  if (verdict.valid && details.credits) expect(verdict.credits.used).toBe(details.credits.used + 1);
  return verdict.code;
}

it("a second run adds to the first, on the same plans and APIs, and a running service sees it", async () => {
  const service = await start(freshDatabaseUri());
  const { consumerId } = await service.ok("/consumer/create", { name: "Acme" });
  expect((await service.ok("/consumer/list", {})).total).toBe(1);
  await seed(service.databaseUri, "--consumers", "300", "--keys-per-consumer", "2");
  await vi.waitFor(async () => expect((await service.ok("/consumer/list", {})).total).toBe(301), 5_000);
  await seed(service.databaseUri, "--consumers=40", "--keys-per-consumer=0", "--seed=7");
  await vi.waitFor(async () => expect((await service.ok("/consumer/list", {})).total).toBe(341), 5_000);
  expect(await service.ok("/consumer/details", { consumerId })).toMatchObject({ name: "Acme" });
  expect(await seedEntries(service)).toMatchObject([
    { credentialId: null, after: { consumers: 40, keys: 0, seed: 7 } },
    { credentialId: null, after: { consumers: 300, keys: 600, seed: 42 } },
  ]);
  const plans = await service.ok("/plan/list", {});
  expect(plans.plans.map(({ name }: { name: string }) => name).sort()).toEqual([
    "Business",
    "Enterprise",
    "Free",
    "Starter",
    "Team",
  ]);
  expect((await service.ok("/api/list", {})).total).toBe(3);
});

it("the project is chosen by its name or its id, and has to be one that exists", async () => {
  const service = await start(freshDatabaseUri());
  const made = await service.ok("/project/create", { name: "Weather" }, ADMIN_KEY);
  for (const project of ["Weather", made.projectId]) {
    await seed(service.databaseUri, "--consumers", "10", "--project", project);
  }
  expect((await service.ok("/consumer/list", {}, made.projectKey)).total).toBe(20);
  expect((await service.ok("/consumer/list", {})).total).toBe(0);
  const unknown = await startSeed(service.databaseUri, ["--consumers", "1", "--project", "Climate"]).ended;
  expect(unknown).toMatchObject({ exitCode: 1, stderr: 'seed: there is no project "Climate"\n' });
  await service.ok("/project/create", { name: "Weather" }, ADMIN_KEY);
  const ambiguous = await startSeed(service.databaseUri, ["--consumers", "1", "--project", "Weather"]).ended;
  expect(ambiguous).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(made.projectId) });
});

it("Ctrl-C leaves consumers that each have their keys, and records how many there are", async () => {
  const databaseUri = freshDatabaseUri();
  const { child, output, ended } = startSeed(databaseUri, ["--consumers", "100000", "--keys-per-consumer", "2"]);
  while (!/\d %/.test(output.stdout) && child.exitCode === null) {
    await Promise.race([once(child.stdout, "data"), ended]);
  }
  child.kill("SIGINT");
  const { exitCode, stdout, stderr } = await ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: "seed: stopped by SIGINT\n" });
  const service = await start(databaseUri);
  const { consumers, keys, complete } = await countStored(databaseUri);
  expect(consumers).toBeLessThan(100_000);
  expect([keys, complete]).toEqual([2 * consumers, consumers]);
  expect(await seedEntries(service)).toMatchObject([{ after: { consumers, keys } }]);
  expect(stdout).toContain(`Added ${consumers.toLocaleString("en-US")} consumers`);
});

it("a reader that goes away ends it quietly, with consumers that each have their keys and are recorded", async () => {
  const databaseUri = freshDatabaseUri();
  const { child, ended } = startSeed(databaseUri, ["--consumers", "100000", "--keys-per-consumer", "2"]);
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect(await ended).toMatchObject({ exitCode: 141, stderr: "" });
  const service = await start(databaseUri);
  const { consumers, keys, complete } = await countStored(databaseUri);
  expect(consumers).toBeLessThan(100_000);
  expect([keys, complete]).toEqual([2 * consumers, consumers]);
  const recorded = consumers === 0 ? [] : [{ after: { consumers, keys } }];
  expect(await seedEntries(service)).toMatchObject(recorded);
});

/** `complete` are the consumers that have as many keys as they count. */
async function countStored(databaseUri: string) {
  const client = await MongoClient.connect(databaseUri);
  try {
    const consumers = await client.db().collection<Consumer>("consumers").find().toArray();
    const keys = await client.db().collection<Key>("keys").find().toArray();
    const counts = new Map<string, number>();
    for (const { consumerId } of keys) counts.set(consumerId, (counts.get(consumerId) ?? 0) + 1);
    const complete = consumers.filter(({ _id, keyCount }) => counts.get(_id) === keyCount);
    return { consumers: consumers.length, keys: keys.length, complete: complete.length };
  } finally {
    await client.close();
  }
}

it("without a database of its own it fills the embedded one, also while a service runs on it", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "keysvc-seed-test-"));
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
  const settings = { KEYSVC_DATA_DIR: dataDir, KEYSVC_PROJECT_KEY: "" };
  const first = await startSeed(undefined, ["--consumers", "50"], settings).ended;
  const projectKey = (await readFile(join(dataDir, "project-key"), "utf8")).trim();
  expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(projectKey) });
  const service = await startProcess({ KEYSVC_DATA_DIR: dataDir });
  cleanups.push(() => service.stop("SIGTERM"));
  const second = await startSeed(undefined, ["--consumers", "50"], settings).ended;
  expect(second).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("the service that runs on") });
  expect(second.stdout).not.toContain(projectKey);
  const key = /^A key that validates: (\w+)/m.exec(second.stdout)?.[1];
  const { body } = await postJson(`${service.url}/key/validate`, { key }, projectKey);
  expect(body.code).toBe("VALID");
});

it("a command line that cannot be used ends with 2 and the usage, before anything is opened", async () => {
  const nowhere = "mongodb://127.0.0.1:1/?replicaSet=none";
  const wrong = await startSeed(nowhere, ["--consumers", "ten"]).ended;
  expect(wrong).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringMatching(/^seed: --consumers must .*\n\nusage: /),
  });
  const help = await startSeed(nowhere, ["--help"]).ended;
  expect(help).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^usage: npm run seed /), stderr: "" });
});

it("a database that does not answer ends it with the setting that names it", async () => {
  const { exitCode, stderr } = await startSeed("mongodb://127.0.0.1:1/?replicaSet=none", ["--consumers", "1"]).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(/^seed: KEYSVC_MONGODB_URI: /) });
});
