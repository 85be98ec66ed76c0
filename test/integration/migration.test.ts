import { MongoClient } from "mongodb";
import { expect, it } from "vitest";
import { segmentRecorded } from "../../src/journal/segment-recorded.ts";
import { writeTrafficRow } from "../../src/journal/traffic-event.ts";
import { openJournal, stepUntil } from "../harness/journal.ts";
import { ADMIN_KEY, createConsumerWithKey, freshDatabaseUri, startService } from "../harness/service.ts";
import { TRAFFIC } from "../harness/traffic.ts";
import { openTrafficReader } from "../harness/traffic-reader.ts";
import { LOCAL_RECEIVERS, startReceiver, untilTold } from "../harness/webhook-receiver.ts";

it("projects and credentials of the first version are listed, open what they opened, and can be rotated and deleted", async () => {
  const old = await startService();
  await old.app.stop();
  const client = await MongoClient.connect(old.databaseUri);
  const db = client.db();
  // As the first version stored them.
  await db.collection("credentials").updateMany({}, { $unset: { previous: 1 } });
  await db.collection("projects").updateMany({}, { $unset: { deletedAt: 1, revision: 1 } });
  await db.collection("settings").deleteOne({ _id: "schema" as never });
  await client.close();
  const service = await startService({ KEYSVC_MONGODB_URI: old.databaseUri });
  const { projects } = await service.ok("/project/list", {}, ADMIN_KEY);
  expect(projects).toMatchObject([{ name: "default" }]);
  const { credentials } = await service.ok("/project/credential/list", {});
  expect(credentials).toMatchObject([{ previousValidUntil: null }]);
  const { credentialId } = credentials[0];
  const { projectKey } = await service.ok("/project/credential/rotate", { credentialId, graceSeconds: 60 });
  expect((await service.ok("/project/credential/list", {}, projectKey)).total).toBe(1);
  await service.ok("/project/delete", { projectId: projects[0].projectId }, ADMIN_KEY);
  expect((await service.ok("/project/list", {}, ADMIN_KEY)).total).toBe(0);
  await service.close();
});

it("consumers of the third version are told of their threshold once, as those that are made now", async () => {
  const receiver = await startReceiver();
  const old = await startService(LOCAL_RECEIVERS);
  const credits = { limit: 10, shadowLimit: 2 };
  const { key } = await createConsumerWithKey(old, { webhookUrl: receiver.url, credits });
  await old.app.stop();
  const client = await MongoClient.connect(old.databaseUri);
  await client
    .db()
    .collection("consumers")
    .updateMany({}, { $unset: { thresholdTold: 1 } });
  await client
    .db()
    .collection("settings")
    .updateOne({ _id: "schema" as never }, { $set: { migration: 3 } });
  const service = await startService({ ...LOCAL_RECEIVERS, KEYSVC_MONGODB_URI: old.databaseUri });
  expect(await client.db().collection("consumers").countDocuments({ thresholdTold: false })).toBe(1);
  for (let call = 0; call < 10; call++) await service.ok("/key/validate", { key });
  await untilTold(service);
  const told = receiver.received.map(({ type }) => type).filter((type) => type.startsWith("consumer."));
  expect(told.sort()).toEqual(["consumer.credits.exhausted", "consumer.credits.threshold_reached"]);
  await client.close();
  await service.close();
  await receiver.close();
});

it("traffic that the fourth version has recorded is drained, and its ids count", async () => {
  const old = await startService();
  const event = (requestId: string) => ({ method: "GET", path: "/", statusCode: 200, requestId });
  await old.ok("/ingest", { events: [event("of-this-version")] });
  const reader = await openTrafficReader(old);
  const [stored] = await reader.find();
  await old.app.stop();
  const { db } = reader;
  // As the fourth version left it: ids in one document, events in another.
  const projectId: string = stored?.projectId;
  const requestIds = ["of-the-fourth-1", "of-the-fourth-2"];
  await db.collection("ingested").insertOne({ projectId, at: new Date(), requestIds });
  await db.collection("ingested").dropIndex("waiting");
  const rows = requestIds.map((requestId) =>
    writeTrafficRow({ ...TRAFFIC, projectId, requestId, at: Date.now() - 1_000 }),
  );
  const entry = { _id: "node:1" as never, kind: "traffic", at: new Date(), count: 2, events: `[${rows.join()}]` };
  await db.collection("journal").insertOne(entry);
  await db.collection("settings").deleteOne({ _id: "ingestedDrain" as never });
  await db.collection("settings").updateOne({ _id: "schema" as never }, { $set: { migration: 4 } });
  const service = await startService({ KEYSVC_MONGODB_URI: old.databaseUri });
  const sent = [...requestIds, "of-this-version", "of-this-version-2"].map(event);
  expect(await service.ok("/ingest", { events: sent })).toMatchObject({ accepted: 1, duplicates: 3 });
  const ids = (await reader.find()).map(({ requestId }) => requestId);
  expect(ids.sort()).toEqual([...requestIds, "of-this-version", "of-this-version-2"]);
  expect((await service.ok("/analytics/logs", { source: "api_traffic", pageSize: 1 })).total).toBe(4);
  await reader.close();
  await service.close();
});

it("a new database, in which another node has made no more than its first collection, is taken for what it is", async () => {
  const uri = freshDatabaseUri();
  const client = await MongoClient.connect(uri);
  await client.db().createCollection("settings");
  await client.close();
  const service = await startService({ KEYSVC_MONGODB_URI: uri });
  expect(await service.ok("/consumer/create", { name: "first" })).toMatchObject({ name: "first" });
  await service.close();
});

it("events that were recorded before there were segments are in the answers to questions, also those of a batch under way", async () => {
  const journal = await openJournal();
  await journal.write(30);
  await stepUntil(await journal.drainer(), "idle");
  await journal.write(20);
  const drainer = await journal.drainer();
  await journal.expireLease();
  await stepUntil(drainer, "inserted");
  // As the second version left it.
  await journal.db.collection("segments").deleteMany({});
  await segmentRecorded(journal.db);
  // Twice: a node that dies half-way is followed by another.
  await segmentRecorded(journal.db);
  await journal.expireLease();
  await stepUntil(await journal.drainer(), "idle");
  await journal.expectDrained();
  await journal.close();
});
