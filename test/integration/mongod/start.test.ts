import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { cleanUp, count, start, temporaryFolder, untilGone, withClient, write } from "./harness.ts";

afterEach(cleanUp);

it("majority writes, transactions, change streams and time-series work as soon as it has started", async () => {
  const { uri } = await start(await temporaryFolder());
  await withClient(uri, async (client) => {
    const db = client.db();
    const probe = db.collection<{ _id: number }>("probe");
    await probe.insertOne({ _id: 1 }, { writeConcern: { w: "majority" } });
    await client.withSession((session) =>
      session.withTransaction(() => probe.insertOne({ _id: 2 }, { session }), { writeConcern: { w: "majority" } }),
    );
    const stream = probe.watch();
    const change = stream.next();
    await probe.insertOne({ _id: 3 });
    expect(await Promise.race([change, probe.insertOne({ _id: 4 }).then(() => change)])).toMatchObject({
      operationType: "insert",
    });
    await stream.close();
    await db.createCollection("events", { timeseries: { timeField: "t" } });
    await db.collection("events").insertOne({ t: new Date() });
  });
});

it("data is there after a restart, on whatever port", async () => {
  const dataDir = await temporaryFolder();
  for (let n = 0; n < 3; n += 1) {
    const mongod = await start(dataDir);
    expect(await count(mongod.uri)).toBe(n);
    await write(mongod.uri, n);
    await mongod.stop();
  }
});

it("after stop the process is gone, and stopping again is harmless", async () => {
  const mongod = await start(await temporaryFolder());
  await Promise.all([mongod.stop(), mongod.stop()]);
  await untilGone(mongod.pid, 0);
  await mongod.stop();
  expect(await mongod.exited).toBe(0);
});

it("nobody gets in without the password", async () => {
  const { uri } = await start(await temporaryFolder());
  const stranger = uri.replace(/keysvc:[^@]+@/, "");
  await expect(count(stranger)).rejects.toThrow(/requires authentication/);
  await expect(count(uri.replace(/keysvc:[^@]+@/, "keysvc:guess@"))).rejects.toThrow(/Authentication failed/);
});

it("password, keyfile, log and data are for this user only", async () => {
  const dataDir = await temporaryFolder();
  await start(dataDir);
  const mode = async (name: string) => (await stat(join(dataDir, "mongod", name))).mode & 0o777;
  expect(await mode(".")).toBe(0o700);
  for (const name of ["password", "keyfile", "mongod.log"]) expect(await mode(name)).toBe(0o600);
});

it("the data directory remembers its MongoDB version and is not opened by another series", async () => {
  const dataDir = await temporaryFolder();
  const versionFile = join(dataDir, "mongod", "version");
  const mongod = await start(dataDir);
  await mongod.stop();
  expect((await readFile(versionFile, "utf8")).trim()).toBe(mongod.version);
  // Stands for a mongod on the machine that was replaced by another series.
  await writeFile(versionFile, "5.9.1\n");
  process.env.MONGOMS_RUNTIME_DOWNLOAD = "false";
  try {
    await expect(start(dataDir)).rejects.toThrow("no mongod 5.9 was found");
  } finally {
    delete process.env.MONGOMS_RUNTIME_DOWNLOAD;
  }
});

it("a lost password file is named as the reason", async () => {
  const dataDir = await temporaryFolder();
  await (await start(dataDir)).stop();
  await writeFile(join(dataDir, "mongod", "password"), "another\n");
  await expect(start(dataDir)).rejects.toThrow('Put back the files "password" and "keyfile"');
});

it("files that mongod cannot open give its exit code and its log", async () => {
  const dataDir = await temporaryFolder();
  await (await start(dataDir)).stop();
  await writeFile(join(dataDir, "mongod", "db", "WiredTiger.turtle"), "garbage");
  await expect(start(dataDir)).rejects.toThrow(/ended at once with exit code \d+.*mongod\.log says why/);
});
