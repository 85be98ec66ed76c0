import { type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toIngested } from "../../src/ingest/store.ts";
import type { IngestedEntry } from "../../src/journal/ingested-entry.ts";
import type { JournalEntry } from "../../src/journal/journal-entry.ts";
import { hasJournaled } from "../../src/journal/waiting-events.ts";
import { purgeProjects } from "../../src/project/purge.ts";
import { createProjectStore } from "../../src/project/store.ts";
import { OWNED } from "../../src/schema.ts";
import { ADMIN_KEY, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let client: MongoClient;
let db: Db;
beforeAll(async () => {
  service = await startService();
  client = await MongoClient.connect(service.databaseUri);
  db = client.db();
});
afterAll(async () => {
  await client.close();
  await service.close();
});

/** Later than a call can come that was let in before its project was deleted. */
const LATER_MS = 121_000;

/** Of a kind that nobody drains, so that it waits for as long as a test wants. */
function entryOf(projectId: string): JournalEntry {
  const kind = "of a later version" as JournalEntry["kind"];
  return { _id: `node:${projectId}`, kind, at: new Date(), count: 1, events: `[["req_1","${projectId}"]]` };
}

async function createDeleted(): Promise<string> {
  const { projectId } = await service.ok("/project/create", { name: "a project" }, ADMIN_KEY);
  await service.ok("/project/delete", { projectId }, ADMIN_KEY);
  return projectId;
}

async function purge(): Promise<void> {
  const now = async () => Date.now() + LATER_MS;
  const waits = (projectId: string) => hasJournaled(db, projectId);
  const options = { store: createProjectStore(db, 0), owned: OWNED, now, hasJournaled: waits };
  await purgeProjects(options, new AbortController().signal);
}

async function isThere(projectId: string): Promise<boolean> {
  return (await db.collection<{ _id: string }>("projects").findOne({ _id: projectId })) !== null;
}

describe("a deleted project", () => {
  it("is not forgotten while events of it wait in the journal", async () => {
    const projectId = await createDeleted();
    await db.collection<JournalEntry>("journal").insertOne(entryOf(projectId));
    await purge();
    expect(await isThere(projectId)).toBe(true);
    await db.collection<JournalEntry>("journal").deleteOne({ _id: `node:${projectId}` });
    await purge();
    expect(await isThere(projectId)).toBe(false);
  });

  it("keeps its events that wait in batches with those of others until they are drained, and is forgotten then", async () => {
    const projectId = await createDeleted();
    const ingested = db.collection<IngestedEntry>("ingested");
    const recorded = { projectId, requestIds: ["req_1"], nowMs: Date.now() };
    await ingested.insertOne(toIngested(entryOf(projectId), recorded));
    await purge();
    expect(await ingested.countDocuments({ projectId })).toBe(1);
    expect(await isThere(projectId)).toBe(true);
    await ingested.updateOne({ projectId }, { $unset: { kind: "" } });
    await purge();
    expect(await ingested.countDocuments({ projectId })).toBe(0);
    await purge();
    expect(await isThere(projectId)).toBe(false);
  });
});
