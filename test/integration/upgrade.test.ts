import { type Db, MongoClient } from "mongodb";
import { afterEach, expect, it } from "vitest";
import { MIGRATIONS } from "../../src/schema.ts";
import { freshDatabaseUri, startService, type TestService } from "../harness/service.ts";
import { untilDrained } from "../harness/until-drained.ts";

const services: TestService[] = [];
const clients: MongoClient[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
  for (const client of clients.splice(0)) await client.close();
});

async function start(uri = freshDatabaseUri()): Promise<TestService> {
  const service = await startService({ KEYSVC_MONGODB_URI: uri });
  services.push(service);
  return service;
}

/** The database of a service, and its content by name. */
async function open(uri: string): Promise<Db> {
  const client = await MongoClient.connect(uri);
  clients.push(client);
  return client.db();
}

/** A service that has worked, and is stopped; with what it had. */
async function worked() {
  const service = await startService();
  const { ok } = service;
  const { consumerId } = await ok("/consumer/create", { name: "Acme", credits: { limit: 500 } });
  await ok("/consumer/create", { name: "Unlimited" });
  const { apiId } = await ok("/api/create", { name: "Things" });
  const { key, keyId } = await ok("/key/create", { consumerId, allowedApis: [apiId] });
  await ok("/key/create", { consumerId });
  for (let call = 0; call < 7; call++) await ok("/key/validate", { key, apiId });
  const db = await open(service.databaseUri);
  await untilDrained(db);
  await service.app.stop();
  return { uri: service.databaseUri, db, ...{ consumerId, apiId, key, keyId } };
}

/** Makes the database what the first version would have left. */
async function asFirstVersion(db: Db): Promise<void> {
  const remove = (collection: string, fields: readonly string[]) =>
    db.collection(collection).updateMany({}, { $unset: Object.fromEntries(fields.map((field) => [field, ""])) });
  await remove("consumers", ["planRevision", "chargeSlot", "keyCount", "stamp"]);
  await remove("keys", ["previous", "isImported"]);
  await remove("credentials", ["previous"]);
  await remove("projects", ["deletedAt", "revision"]);
  await db.collection<{ _id: string }>("settings").deleteOne({ _id: "schema" });
  for (const collection of ["segments", "segment_days", "analytics_calls", "nodes", "consumer_changes"]) {
    await db.dropCollection(collection);
  }
  // What it had of indexes besides that of _id.
  for (const collection of ["consumers", "keys", "apis", "credentials"]) await db.collection(collection).dropIndexes();
  for (const collection of ["consumers", "apis", "credentials"]) {
    await db.collection(collection).createIndex({ projectId: 1, createdAt: -1 }, { name: "project_created" });
  }
}

/** All collections with the keys of their indexes, and how long each is kept. */
async function shapeOf(db: Db): Promise<Record<string, unknown>> {
  const collections = await db.listCollections({}, { nameOnly: false }).toArray();
  const named = collections
    .filter(({ name }) => !name.startsWith("system."))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const shapes = named.map(async ({ name, options }) => {
    const indexes = await db.collection(name).indexes();
    const described = indexes.map(({ v: _version, ...index }) => JSON.stringify(index)).sort();
    return [name, { described, kept: options?.expireAfterSeconds }] as const;
  });
  return Object.fromEntries(await Promise.all(shapes));
}

it("a database of the first version comes to what a new one has, and to what it had itself: pools, keys, events", async () => {
  const world = await worked();
  await asFirstVersion(world.db);
  const { ok } = await start(world.uri);
  const fresh = await start();
  await ok("/analytics/stats", { source: "key_activity" });
  await fresh.ok("/analytics/stats", { source: "key_activity" });
  expect(await shapeOf(world.db)).toEqual(await shapeOf(await open(fresh.databaseUri)));
  const { consumerId, key, keyId, apiId } = world;
  expect(await ok("/consumer/details", { consumerId })).toMatchObject({ credits: { used: 7, remaining: 493 } });
  const { consumers } = await ok("/consumer/list", {});
  expect(consumers.map(({ name, apiKeyCount }: Record<string, unknown>) => [name, apiKeyCount])).toEqual([
    ["Unlimited", 0],
    ["Acme", 2],
  ]);
  expect((await ok("/key/validate", { key, apiId })).credits).toMatchObject({ used: 8, remaining: 492 });
  expect((await ok("/analytics/logs", { source: "key_activity", pageSize: 1 })).total).toBe(8);
  const rotated = await ok("/key/rotate", { keyId, graceSeconds: 60 });
  for (const value of [key, rotated.key]) expect((await ok("/key/validate", { key: value, apiId })).code).toBe("VALID");
  const { planId } = await ok("/plan/create", { name: "Gold", credits: { limit: 550 } });
  await ok("/consumer/update", { consumerId, planId });
  await ok("/plan/update", { planId, credits: { limit: 600 }, applyToConsumers: true });
  const limit = async () => (await ok("/consumer/details", { consumerId })).credits.limit;
  await expect.poll(limit, { timeout: 10_000 }).toBe(600);
});

it("two nodes that bring a database up to date at once leave it as one does", async () => {
  const world = await worked();
  await asFirstVersion(world.db);
  const starts = [start(world.uri), startService({ KEYSVC_MONGODB_URI: world.uri })] as const;
  const [one, other] = await Promise.all(starts);
  const { consumerId, key } = world;
  for (const { ok } of [one, other]) await ok("/key/validate", { key });
  await other.app.stop();
  expect((await one.ok("/consumer/details", { consumerId })).credits.used).toBe(9);
  expect((await one.ok("/analytics/logs", { source: "key_activity", pageSize: 1 })).total).toBe(9);
});

it("a node that died while it brought the database up to date is followed by another, once its lease has ended", async () => {
  const world = await worked();
  await asFirstVersion(world.db);
  const settings = world.db.collection<{ _id: string; holder: string; until: Date }>("settings");
  await settings.insertOne({ _id: "migrating", holder: "one that died", until: new Date(Date.now() + 5_000) });
  const startMs = Date.now();
  const { ok } = await start(world.uri);
  expect(Date.now()).toBeGreaterThan(startMs + 1_000);
  expect(await settings.findOne({ _id: "migrating" })).toBeNull();
  expect((await ok("/consumer/details", { consumerId: world.consumerId })).credits.used).toBe(7);
});

it("each migration, run again by a node that follows one that died, leaves what it has made alone", async () => {
  const { db } = await worked();
  await asFirstVersion(db);
  for (const { number, run } of MIGRATIONS) {
    await run(db);
    const before = await contentOf(db);
    await run(db);
    expect(await contentOf(db), `migration ${number}`).toEqual(before);
  }
});

/** Of what migrations change; segments are made anew each time, under other ids. */
async function contentOf(db: Db): Promise<unknown> {
  const read = (collection: string) => db.collection(collection).find().sort({ _id: 1 }).toArray();
  const documents = await Promise.all(["consumers", "keys", "apis", "credentials", "projects"].map(read));
  const segments = await db.collection("segments").find().sort({ projectId: 1, hour: 1 }).toArray();
  return { documents, segments: segments.map(({ _id, ...segment }) => segment) };
}

it("a database that a newer version has changed is refused, and left as it is", async () => {
  const { uri, db } = await worked();
  const settings = db.collection<{ _id: string; migration: number }>("settings");
  const newer = MIGRATIONS.length + 1;
  await settings.updateOne({ _id: "schema" }, { $set: { migration: newer } });
  await expect(startService({ KEYSVC_MONGODB_URI: uri })).rejects.toThrow(/newer version/);
  expect(await settings.findOne({ _id: "schema" })).toMatchObject({ migration: newer });
});
