import { setTimeout as sleep } from "node:timers/promises";
import { type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasJournaled } from "../../src/journal/waiting-events.ts";
import { purgeProjects } from "../../src/project/purge.ts";
import { createProjectStore } from "../../src/project/store.ts";
import { OWNED } from "../../src/schema.ts";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { untilDrained } from "../harness/until-drained.ts";

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

const operator = (path: string, body: unknown) => service.ok(path, body, ADMIN_KEY);
const createProject = (name = "a project") => operator("/project/create", { name });

/** One run of what housekeeping does every minute, at a time so much after now, or after another. */
function purge(laterMs: number, signal = new AbortController().signal, sinceMs = Date.now()): Promise<void> {
  return purgeProjects(
    {
      ...{ store: createProjectStore(db, 0), owned: OWNED, now: async () => sinceMs + laterMs },
      hasJournaled: (projectId) => hasJournaled(db, projectId),
    },
    signal,
  );
}

/** How many documents of a project each collection holds; those that hold none are left out. */
async function leftOf(projectId: string): Promise<Record<string, number>> {
  const ofProject = { $or: [{ projectId }, { _id: { $regex: `^${projectId}(:|$)` } }] };
  const counts = [...OWNED.map(({ collection }) => collection), "projects"].map(
    // Ids are texts here, which the type of a collection of anything does not know.
    async (name) => [name, await db.collection(name).countDocuments(ofProject as object)] as const,
  );
  return Object.fromEntries((await Promise.all(counts)).filter(([, count]) => count > 0));
}

/** A project with a document in every collection that has documents of projects. */
async function createFullProject(): Promise<{
  projectId: string;
  projectKey: string;
  key: string;
  consumerId: string;
}> {
  const project = await createProject();
  const ok = (path: string, body: unknown) => service.ok(path, body, project.projectKey);
  // An address that leads nowhere: what its consumer is to be told stays.
  const told = { credits: { limit: 10 }, webhookUrl: "https://hooks.invalid/" };
  const { consumerId } = await ok("/consumer/create", told);
  await ok("/webhook/secret/rotate", {});
  const { key } = await ok("/key/create", { consumerId });
  await ok("/api/create", { name: "an API" });
  await ok("/key/validate", { key, requestId: "once" });
  await ok("/ingest", { events: [{ method: "GET", path: "/", statusCode: 200, requestId: "once" }] });
  // Plans have a room of their own, which this test does without.
  await db.collection("plans").insertOne({ projectId: project.projectId });
  await untilDrained(db);
  return { ...project, key, consumerId };
}

/** Waits until a credential is refused. */
async function untilRefused(credential: string): Promise<void> {
  while ((await service.call("/consumer/create", {}, credential)).status !== 401) await sleep(10);
}

describe("a project", () => {
  it("is made with a credential of every scope, which is shown once", async () => {
    const made = await createProject("Zoë");
    expect(made).toEqual({
      projectId: expect.stringMatching(/^project_\w+$/),
      name: "Zoë",
      projectKey: expect.stringMatching(/^proj_[\w-]{43}$/),
      createdAt: expect.stringMatching(/Z$/),
    });
    const { credentials } = await service.ok("/project/credential/list", {}, made.projectKey);
    expect(credentials).toEqual([
      {
        credentialId: expect.stringMatching(/^credential_/),
        name: null,
        scopes: ["manage", "read", "validate", "ingest"],
        createdAt: made.createdAt,
        lastSix: made.projectKey.slice(-6),
        previousValidUntil: null,
      },
    ]);
  });

  it("has its own beginning in its audit log, made by the operator", async () => {
    const { projectId, projectKey } = await createProject("audited");
    const { entries } = await service.ok("/audit/list", {}, projectKey);
    const byAction = Object.fromEntries(entries.map((entry: { action: string }) => [entry.action, entry]));
    expect(byAction).toMatchObject({
      "project.create": { credentialId: null, targetId: projectId, before: {}, after: { name: "audited" } },
      "credential.create": { credentialId: null, before: {}, after: { lastSix: projectKey.slice(-6) } },
    });
    expect(entries).toHaveLength(2);
    expect(JSON.stringify(entries)).not.toContain(projectKey);
  });

  it("is listed to the operator, newest first, in pages", async () => {
    const { total } = await operator("/project/list", {});
    const older = await createProject("older");
    const newer = await createProject("newer");
    const shown = ({ projectId, name, createdAt }: Record<string, unknown>) => ({ projectId, name, createdAt });
    const first = await operator("/project/list", { limit: 1 });
    expect(first).toEqual({ total: total + 2, page: 1, limit: 1, projects: [shown(newer)] });
    expect((await operator("/project/list", { page: 2, limit: 1 })).projects).toEqual([shown(older)]);
    expect((await operator("/project/list", { page: 1_000 })).projects).toEqual([]);
  });
});

describe("a deleted project", () => {
  it("lets nobody in within 200 ms, is on no list, and cannot be deleted again", async () => {
    const { projectId, projectKey } = await createFullProject();
    expect(await operator("/project/delete", { projectId })).toEqual({ projectId, deleted: true });
    const deletedAtMs = performance.now();
    let lastLetInMs = 0;
    for (;;) {
      const startMs = performance.now();
      if ((await service.call("/api/list", {}, projectKey)).status === 401) break;
      lastLetInMs = startMs;
    }
    expect(lastLetInMs - deletedAtMs).toBeLessThan(200);
    expectProblem(await service.call("/project/delete", { projectId }, ADMIN_KEY), 404, "not_found");
    const { projects } = await operator("/project/list", { limit: 200 });
    expect(projects.map((project: { projectId: string }) => project.projectId)).not.toContain(projectId);
  });

  it("is deleted by one of those who delete it at once", async () => {
    const { projectId } = await createProject();
    const answers = await Promise.all([1, 2, 3].map(() => service.call("/project/delete", { projectId }, ADMIN_KEY)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });

  it("that never was is not found", async () => {
    expectProblem(await service.call("/project/delete", { projectId: "project_never" }, ADMIN_KEY), 404, "not_found");
  });

  it("leaves nothing behind, and nothing of another project goes with it", async () => {
    const { projectId, projectKey } = await createFullProject();
    const other = await createFullProject();
    // An id that begins with the other's is another id.
    await db.collection<{ _id: string }>("verdicts").insertOne({ _id: `${projectId}x:consumer:once` });
    // As a question and the end of a day make them.
    for (const collection of ["analytics_calls", "segment_days"])
      await db.collection<{ _id: string }>(collection).insertOne({ _id: `${projectId}:made` });
    const everything = [...OWNED.map(({ collection }) => collection), "projects"].sort();
    expect(Object.keys(await leftOf(projectId)).sort()).toEqual(everything);
    const before = await leftOf(other.projectId);
    await operator("/project/delete", { projectId });
    await untilRefused(projectKey);
    await purge(0);
    expect(await leftOf(projectId)).toEqual({ projects: 1 });
    // The time runs from the deletion, however long it is ago by now.
    const deleted = await db.collection<{ _id: string; deletedAt: Date }>("projects").findOne({ _id: projectId });
    await purge(119_000, undefined, deleted?.deletedAt.getTime());
    expect(await leftOf(projectId)).toEqual({ projects: 1 });
    await purge(121_000);
    expect(await leftOf(projectId)).toEqual({});
    expect(await leftOf(other.projectId)).toEqual(before);
    expect((await service.ok("/key/validate", { key: other.key }, other.projectKey)).code).toBe("VALID");
    expect(
      await db.collection<{ _id: string }>("verdicts").countDocuments({ _id: `${projectId}x:consumer:once` }),
    ).toBe(1);
  });

  it("is emptied of what a call that was under way has added, before it is forgotten", async () => {
    const { projectId } = await createProject();
    await operator("/project/delete", { projectId });
    await purge(0);
    await db.collection("consumers").insertOne({ projectId });
    await purge(121_000);
    expect(await leftOf(projectId)).toEqual({ projects: 1 });
    await purge(121_000);
    expect(await leftOf(projectId)).toEqual({});
  });

  it("is emptied in batches, and goes on where it was broken off", async () => {
    const { projectId } = await createProject();
    await db
      .collection("keys")
      .insertMany(
        Array.from({ length: 2_500 }, (_, index) => ({ projectId, hash: Buffer.from(`${projectId} ${index}`) })),
      );
    await operator("/project/delete", { projectId });
    const store = createProjectStore(db, 0);
    expect(await store.removeOwned({ collection: "keys", owner: "projectId" }, projectId, 1_000)).toBe(1_000);
    expect((await leftOf(projectId)).keys).toBe(1_500);
    await purge(0, AbortSignal.abort());
    expect((await leftOf(projectId)).keys).toBe(1_500);
    await Promise.all([purge(0), purge(0)]);
    expect(await leftOf(projectId)).toEqual({ projects: 1 });
  });
});

describe("the default project", () => {
  it("can be deleted, and no start makes it again; the next one says so", async () => {
    const own = await startService();
    const { projects } = await own.ok("/project/list", {}, ADMIN_KEY);
    expect(projects).toMatchObject([{ name: "default" }]);
    await own.ok("/project/delete", { projectId: projects[0].projectId }, ADMIN_KEY);
    const lines: string[] = [];
    const next = await startService({ KEYSVC_MONGODB_URI: own.databaseUri }, (line) => lines.push(line));
    expect(lines.join("\n")).toMatch(/`default` was deleted/);
    expect(lines.join("\n")).toMatch(/KEYSVC_PROJECT_KEY .* opens nothing/);
    expect(lines.join("\n")).not.toContain(PROJECT_KEY);
    expect(next.app.newProjectKey).toBeUndefined();
    expect(await next.ok("/project/list", {}, ADMIN_KEY)).toMatchObject({ total: 0, projects: [] });
    expectProblem(await next.call("/api/list", {}), 401, "unauthenticated");
    await next.app.stop();
    await own.close();
  });
});
