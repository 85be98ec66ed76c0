import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type Db, MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Finding } from "../../src/doctor/finding.ts";
import { toIngested } from "../../src/ingest/store.ts";
import { makeCertificate } from "../harness/certificate.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { createConsumerWithKey, freshDatabaseUri, SECRET, startService, type TestService } from "../harness/service.ts";

const ROOT = resolve(import.meta.dirname, "../..");
let service: TestService;
let client: MongoClient;
let db: Db;
let dataDir: string;
beforeAll(async () => {
  service = await startService();
  client = await MongoClient.connect(service.databaseUri);
  db = client.db();
  // The thread that drains takes its leases when it has connected.
  const drain = db.collection<{ _id: string; holder: string }>("settings");
  await vi.waitFor(
    async () => expect(await drain.countDocuments({ _id: /Drain$/, holder: { $ne: "" } } as object)).toBe(2),
    10_000,
  );
});
afterAll(async () => {
  await client.close();
  await service.close();
});
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "keysvc-doctor-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

interface Examination {
  code: number | null;
  findings: Finding[];
  stdout: string;
}

/** Runs the command with the settings of the service, and others; the shell may limit it before. */
async function examine(settings: Record<string, string> = {}, shell = ""): Promise<Examination> {
  const ports = { KEYSVC_PORT: String(service.app.port), KEYSVC_GRPC_PORT: String(service.app.grpcPort) };
  const database = { KEYSVC_MONGODB_URI: service.databaseUri, KEYSVC_SECRET: SECRET, KEYSVC_DATA_DIR: dataDir };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...ports, ...database, ...settings };
  const given = Object.entries(env).filter(([, value]) => value !== "");
  const child = spawn("/bin/sh", ["-c", `${shell} exec "${process.execPath}" src/cli/keysvc.ts doctor --json`], {
    cwd: ROOT,
    env: Object.fromEntries(given),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((done) => child.once("close", done));
  const stdout = await text(child.stdout);
  return { code: await exited, findings: JSON.parse(stdout).findings, stdout };
}

/** What it finds of one thing, and that the exit code says whether there is a problem. */
async function found(check: string, settings?: Record<string, string>, shell?: string): Promise<Finding[]> {
  const { code, findings } = await examine(settings, shell);
  expect(code).toBe(findings.some(({ state }) => state === "problem") ? 1 : 0);
  for (const { state, remedy } of findings) expect(remedy === "", state).toBe(state === "ok");
  return findings.filter((finding) => finding.check === check);
}

const one = (state: Finding["state"], message: string | RegExp) => [
  expect.objectContaining({ state, message: expect.stringMatching(message) }),
];

describe("beside a running service", () => {
  it("finds no problem, says what it looked at, shows no secret, and leaves nothing behind", async () => {
    await createConsumerWithKey(service);
    const { code, findings, stdout } = await examine();
    expect(code, stdout).toBe(0);
    const checks = findings.map(({ check }) => check);
    const expected = ["Node", "data folder", "database", "MongoDB", "replica set", "majority writes", "clocks"];
    expect(checks).toEqual(expect.arrayContaining([...expected, "master secret", "schema", "indexes", "retention"]));
    expect(checks).toEqual(expect.arrayContaining(["journal", "drainer", "segments"]));
    expect(findings).toContainEqual(
      expect.objectContaining({ check: `port ${service.app.port}`, message: "keysvc serves KEYSVC_PORT" }),
    );
    for (const secret of [SECRET, new URL(service.databaseUri).password]) expect(stdout).not.toContain(secret);
    expect(await db.collection<{ _id: string }>("settings").findOne({ _id: "doctor" })).toBeNull();
  });
});

describe("settings", () => {
  it("that nothing reads, cannot be used, or contradict each other are named", async () => {
    expect(await found("settings", { KEYSVC_RETENTION: "3" })).toEqual(one("warning", "KEYSVC_RETENTION$"));
    const wrong = await found("settings", { KEYSVC_PORT: "99999", KEYSVC_ACTIVITY: "sometimes" });
    expect(wrong).toEqual([...one("problem", "KEYSVC_ACTIVITY"), ...one("problem", "KEYSVC_PORT")]);
    expect(await found("settings", { KEYSVC_METRICS_PORT: String(service.app.port) })).toEqual(
      one("problem", "KEYSVC_PORT and KEYSVC_METRICS_PORT"),
    );
    expect(await found("settings", { KEYSVC_HOST: "0.0.0.0" })).toEqual(one("warning", "unencrypted"));
    expect(await found("settings", { KEYSVC_SECRET_PREVIOUS: SECRET })).toEqual(one("warning", "PREVIOUS"));
  });
});

describe("the data folder", () => {
  it("is to be a folder, and its secrets this user's alone", async () => {
    await writeFile(join(dataDir, "admin-key"), "x".repeat(20), { mode: 0o644 });
    expect(await found("data folder")).toEqual(one("warning", /admin-key \(mode 0644\)/));
    await chmod(join(dataDir, "admin-key"), 0o600);
    expect(await found("data folder")).toEqual(one("ok", dataDir));
    await writeFile(join(dataDir, "file"), "");
    expect(await found("data folder", { KEYSVC_DATA_DIR: join(dataDir, "file") })).toEqual(one("problem", "no folder"));
  });
});

describe("ports", () => {
  it("of other programs, and addresses that are not this machine's, are problems", async () => {
    const other = createServer((_request, response) => response.end("hello"));
    await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
    const { port } = other.address() as AddressInfo;
    expect(await found(`port ${port}`, { KEYSVC_PORT: String(port) })).toEqual(one("problem", "another program"));
    expect(await found(`port ${port}`, { KEYSVC_METRICS_PORT: String(port), KEYSVC_PORT: "0" })).toEqual(
      one("problem", "another program"),
    );
    await new Promise((closed) => other.close(closed));
    expect(await found(`port ${port}`, { KEYSVC_PORT: String(port) })).toEqual(one("ok", "free"));
    const elsewhere = { KEYSVC_HOST: "192.0.2.1", KEYSVC_PORT: String(port), KEYSVC_GRPC_PORT: "off" };
    expect(await found(`port ${port}`, elsewhere)).toEqual(one("problem", "EADDRNOTAVAIL"));
  });
});

describe("TLS", () => {
  it("is a problem with a key that is another's, a certificate that has expired, or no files; soon to expire, a warning", async () => {
    const good = makeCertificate(dataDir, "good", 90);
    expect(await found("TLS", settingsOf(good))).toEqual(one("ok", "valid until"));
    expect(await found("TLS", settingsOf(makeCertificate(dataDir, "soon", 10)))).toEqual(
      one("warning", "expires in 9"),
    );
    expect(await found("TLS", settingsOf(makeCertificate(dataDir, "past", -1)))).toEqual(one("problem", "has expired"));
    const other = makeCertificate(dataDir, "other", 90);
    const mixed = settingsOf({ cert: good.cert, key: other.key });
    expect(await found("TLS", mixed)).toEqual(one("problem", "is not the key"));
    expect(await found("TLS", settingsOf({ cert: "/nowhere", key: good.key }))).toEqual(one("problem", "ENOENT"));
  });

  const settingsOf = ({ cert, key }: { cert: string; key: string }) => ({ KEYSVC_TLS_CERT: cert, KEYSVC_TLS_KEY: key });
});

it("few open files are a problem", async () => {
  expect(await found("open files", {}, "ulimit -n 512;")).toEqual(one("problem", "at most 512"));
  expect(await found("open files", {}, "ulimit -n 2048;")).toEqual(one("warning", "at most 2048"));
});

describe("the database", () => {
  it("that cannot be reached, or does not know the user, is a problem, and nothing of the password is shown", async () => {
    const nobody = "mongodb://user:password-of-the-database@127.0.0.1:9/?directConnection=true";
    expect(await found("database", { KEYSVC_MONGODB_URI: nobody })).toEqual(one("problem", "ECONNREFUSED"));
    const wrong = new URL(service.databaseUri);
    wrong.password = "password-of-the-database";
    const { stdout, code } = await examine({ KEYSVC_MONGODB_URI: wrong.href });
    expect(code).toBe(1);
    expect(stdout).toMatch(/authentication/i);
    expect(stdout).not.toContain("password-of-the-database");
  });

  it("that is new has no problem, and nothing is made in it", async () => {
    const uri = freshDatabaseUri();
    expect(await found("data", { KEYSVC_MONGODB_URI: uri })).toEqual(one("ok", "none yet"));
    const fresh = await MongoClient.connect(uri);
    const made = await fresh.db().listCollections().toArray();
    expect(made.map(({ name }) => name).filter((name) => name !== "settings")).toEqual([]);
    await fresh.db().dropDatabase();
    await fresh.close();
  });

  it("that was made with another secret is a problem, unless that is the previous one", async () => {
    const other = "another-secret-of-the-tests";
    expect(await found("master secret", { KEYSVC_SECRET: other })).toEqual(one("problem", "not the one"));
    const changing = { KEYSVC_SECRET: other, KEYSVC_SECRET_PREVIOUS: SECRET };
    expect(await found("master secret", changing)).toEqual(one("ok", "changes it"));
  });

  it("without an index, with an old or a newer schema, or another retention, is told of", async () => {
    await db.collection("keys").dropIndex("hash");
    expect(await found("indexes")).toEqual(one("problem", "missing: keys.hash$"));
    const settings = db.collection<{ _id: string }>("settings");
    const schema = await settings.findOne({ _id: "schema" });
    await settings.updateOne({ _id: "schema" }, { $set: { migration: 1 } });
    expect(await found("schema")).toEqual(one("warning", "version 1 of"));
    await settings.updateOne({ _id: "schema" }, { $set: { migration: 1_000 } });
    expect(await found("schema")).toEqual(one("problem", "newer version"));
    await settings.replaceOne({ _id: "schema" }, schema ?? {});
    const wrong = await found("retention", { KEYSVC_RETENTION_DAYS: "7" });
    expect(wrong).toHaveLength(4);
    expect(wrong).toContainEqual(expect.objectContaining({ message: expect.stringContaining("for 30 days") }));
  });

  it("whose journal is not drained, has unreadable entries, or whose segments are not merged, is told of", async () => {
    const settings = db.collection<{ _id: string }>("settings");
    const until = new Date(Date.now() + 600_000);
    await settings.updateOne({ _id: "journalDrain" }, { $set: { holder: "nobody", until }, $inc: { fence: 1 } });
    const journal = db.collection<{ _id: string }>("journal");
    const entry = { at: new Date(Date.now() - 600_000), count: 0, events: "[]" };
    await journal.insertOne({ _id: "waits", ...entry, kind: "activity" } as never);
    const lost = { _id: "lost", ...entry, kind: "unreadable" };
    await journal.insertOne(lost as never);
    const recorded = { projectId: "project_gone", requestIds: ["lost"], nowMs: Date.now() };
    await db.collection<{ _id: string }>("ingested").insertOne(toIngested(lost as never, recorded));
    const hour = new Date(Math.floor(Date.now() / 3_600_000 - 10) * 3_600_000);
    const segment = { projectId: "project_gone", source: "api_traffic", hour, size: 1 };
    await db.collection("segments").insertMany(Array.from({ length: 60 }, () => ({ ...segment })));
    expect(await found("journal")).toEqual([...one("problem", "oldest for 60"), ...one("warning", "2 entries")]);
    expect(await found("segments")).toEqual(one("warning", "1 past hours"));
    await db.collection("segments").deleteMany({ projectId: "project_gone" });
    await journal.deleteMany({});
    await db.collection("ingested").deleteMany({ projectId: "project_gone" });
    await settings.updateOne({ _id: "journalDrain" }, { $set: { until: new Date(0) } });
  });
});

describe("the embedded database", () => {
  it("is found beside the service that runs it, and started for a look where none does", async () => {
    await mkdir(join(dataDir, "own"));
    const own = { KEYSVC_DATA_DIR: join(dataDir, "own"), KEYSVC_MONGODB_URI: "", KEYSVC_SECRET: "" };
    expect(await found("database", own)).toEqual(one("ok", "made at the first start"));
    const running: ServiceProcess = await startProcess({ KEYSVC_DATA_DIR: own.KEYSVC_DATA_DIR });
    const ports = { KEYSVC_PORT: String(running.port), KEYSVC_GRPC_PORT: String(running.grpcPort) };
    const beside = await examine({ ...own, ...ports });
    expect(beside.findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(await running.stop("SIGTERM")).toBe(0);
    const alone = await examine({ ...own, ...ports });
    expect(alone.findings.filter(({ state }) => state !== "ok")).toEqual([]);
    await rm(join(own.KEYSVC_DATA_DIR, "secret"));
    expect(await found("master secret", { ...own, ...ports })).toEqual(one("problem", "not the one"));
  });
}, 60_000);
