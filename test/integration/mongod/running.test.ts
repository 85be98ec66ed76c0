import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { findRunningMongod } from "../../../src/mongod/find-running-mongod.ts";
import { cleanUp, count, start, temporaryFolder, write } from "./harness.ts";

afterEach(cleanUp);

it("the mongod that runs on a data dir is found by it, while it runs and on whatever port", async () => {
  const dataDir = await temporaryFolder();
  expect(await findRunningMongod(dataDir)).toBeUndefined();
  for (let n = 0; n < 2; n += 1) {
    const mongod = await start(dataDir);
    const uri = await findRunningMongod(dataDir);
    expect(uri).toBe(mongod.uri);
    await write(uri ?? "", n);
    expect(await count(mongod.uri)).toBe(n + 1);
    await mongod.stop();
    expect(await findRunningMongod(dataDir)).toBeUndefined();
  }
  expect((await stat(join(dataDir, "mongod", "port"))).mode & 0o777).toBe(0o600);
});

it("a mongod that is not ready yet is waited for", async () => {
  const dataDir = await temporaryFolder();
  const portFile = join(dataDir, "mongod", "port");
  const mongod = await start(dataDir);
  const port = await readFile(portFile, "utf8");
  await rm(portFile);
  const found = findRunningMongod(dataDir);
  expect(await Promise.race([found, sleep(300, "waiting")])).toBe("waiting");
  await writeFile(portFile, port);
  expect(await found).toBe(mongod.uri);
});

it("whatever else listens at the port that a data dir remembers is not taken for its mongod", async () => {
  const [dataDir, otherDir] = [await temporaryFolder(), await temporaryFolder()];
  await (await start(dataDir)).stop();
  const other = await start(otherDir);
  for (const text of [`${other.port}\n`, "no port\n"]) {
    await writeFile(join(dataDir, "mongod", "port"), text);
    expect(await findRunningMongod(dataDir)).toBeUndefined();
  }
});
