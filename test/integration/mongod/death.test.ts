import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { afterEach, describe, expect, it } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { openDataFolder } from "../../../src/mongod/data-folder.ts";
import { findMongod } from "../../../src/mongod/find-mongod.ts";
import { launchMongod } from "../../../src/mongod/launch-mongod.ts";
import { freePort, waitUntilListening } from "../../../src/mongod/port.ts";
import { REPLICA_SET } from "../../../src/mongod/replica-set.ts";
import {
  cleanUp,
  count,
  onCleanUp,
  parentOf,
  spawnService,
  start,
  startService,
  temporaryFolder,
  untilGone,
  write,
} from "./harness.ts";

const STRANGER_DELAY_MS = 300;

afterEach(cleanUp);

it("data written before a kill -9 of the service is there after the restart", async () => {
  const dataDir = await temporaryFolder();
  const service = await startService(dataDir);
  await write(service.uri, 1);
  service.process.kill("SIGKILL");
  expect(await count((await start(dataDir)).uri)).toBe(1);
});

it("data written before a kill -9 of mongod is there after the restart", async () => {
  const dataDir = await temporaryFolder();
  const mongod = await start(dataDir);
  await write(mongod.uri, 1);
  process.kill(mongod.pid, "SIGKILL");
  await mongod.exited;
  expect(await count((await start(dataDir)).uri)).toBe(1);
});

it("a mongod whose parent was killed -9 is gone within 10 s", async () => {
  const service = await startService(await temporaryFolder());
  service.process.kill("SIGKILL");
  await untilGone(service.pid, 10_000);
});

it.each([
  ["SIGTERM", 0],
  ["SIGKILL", 137],
] as const)("a mongod that ends on its own by %s is noticed, with exit code %i", async (signal, code) => {
  const mongod = await start(await temporaryFolder());
  process.kill(mongod.pid, signal);
  expect(await mongod.exited).toBe(code);
});

it("SIGTERM to the service's process group leaves the database up for the last flush", async () => {
  const dataDir = await temporaryFolder();
  const service = await startService(dataDir);
  const exit = once(service.process, "exit");
  process.kill(-(service.process.pid ?? 0), "SIGTERM");
  expect(await exit).toEqual([0, null]);
  await untilGone(service.pid, 0);
  expect(await count((await start(dataDir)).uri, { last: true })).toBe(1);
});

it.each([50, 300, 500, 700, 900, 1100, 1300])(
  "a first start killed after %i ms is completed by the next one",
  async (delayMs) => {
    const dataDir = await temporaryFolder();
    const child = spawnService(dataDir);
    await sleep(delayMs);
    child.kill("SIGKILL");
    await write((await start(dataDir)).uri, 1);
  },
);

describe("while a stranger on its former port keeps mongod from reading its configuration", () => {
  it("a restart waits", async () => {
    const dataDir = await temporaryFolder();
    const { port, stop } = await start(dataDir);
    await stop();
    await answerLate(port);
    await write((await start(dataDir)).uri, 1);
  });

  it("a first start killed between replica set and user is completed by the next one", async () => {
    const dataDir = await temporaryFolder();
    await answerLate(await startWithoutUser(dataDir));
    await write((await start(dataDir)).uri, 1);
  });
});

/** Leaves a folder as a first start does that is killed when the set is made and the user is not. Resolves with its port. */
async function startWithoutUser(dataDir: string): Promise<number> {
  const folder = await openDataFolder(dataDir);
  const config = readConfig(process.env);
  const binary = await findMongod({ ...config, dataVersion: undefined, report: () => undefined });
  const port = await freePort();
  const mongod = await launchMongod(binary.path, folder, port);
  await waitUntilListening(port, mongod.exited);
  const client = await MongoClient.connect(`mongodb://127.0.0.1:${port}/?directConnection=true`);
  const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
  await client.db("admin").command({ replSetInitiate: { _id: REPLICA_SET, version: 1, members } });
  await client.close();
  await mongod.stop();
  return port;
}

/** mongod asks its former port whether that is itself, and waits for the answer. */
async function answerLate(port: number): Promise<void> {
  const server = createServer((socket) => setTimeout(() => socket.destroy(), STRANGER_DELAY_MS));
  await once(server.listen(port, "127.0.0.1"), "listening");
  onCleanUp(async () => server.close());
}

describe.runIf(process.platform === "linux")("without its watchdog", () => {
  it("mongod is stopped by the service, which learns of it", async () => {
    const mongod = await start(await temporaryFolder());
    process.kill(await parentOf(mongod.pid), "SIGKILL");
    expect(await mongod.exited).toBeNull();
    await untilGone(mongod.pid, 0);
  });

  it("and without its service, mongod makes way for the next start", async () => {
    const dataDir = await temporaryFolder();
    const service = await startService(dataDir);
    await write(service.uri, 1);
    service.process.kill("SIGSTOP");
    process.kill(await parentOf(service.pid), "SIGKILL");
    service.process.kill("SIGKILL");
    expect(await count((await start(dataDir)).uri)).toBe(1);
    // Its lock is free a moment before the process is gone.
    await untilGone(service.pid, 10_000);
  });
});
