import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, type Answer, PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

// Bodies of every shape.
// biome-ignore lint/suspicious/noExplicitAny: as said
type Body = any;

/** A project of its own, and calls with its credential. */
async function createProject() {
  const { projectKey } = await service.ok("/project/create", { name: "a project" }, ADMIN_KEY);
  return {
    projectKey,
    ok: (path: string, body: object): Promise<Body> => service.ok(path, body, projectKey),
    call: (path: string, body: object): Promise<Answer> => service.call(path, body, projectKey),
    credentialId: async (): Promise<string> =>
      (await service.ok("/project/credential/list", {}, projectKey)).credentials[0].credentialId,
  };
}

const CREATED = {
  ...{ name: "a", imageUrl: null, externalId: null, metadata: {}, webhookUrl: null, status: "active" },
  ...{ planId: null, tags: ["t"], expiresAt: null, rateLimit: null, credits: null },
};

/** The changes of a consumer, in this order, and what the log must say of each. */
const CHANGES: { path: string; body: object; action: string; before: object; after: object }[] = [
  { path: "update", body: { name: "b" }, action: "update", before: { name: "a" }, after: { name: "b" } },
  {
    path: "update",
    body: { tags: null, metadata: { $set: 1 }, externalId: "e", name: "b" },
    action: "update",
    before: { tags: ["t"], metadata: {}, externalId: null },
    after: { tags: [], metadata: { $set: 1 }, externalId: "e" },
  },
  {
    path: "update",
    body: { rateLimit: { limit: 5 }, expiresAt: "2040-01-01T00:00:00Z" },
    action: "update",
    before: { rateLimit: null, expiresAt: null },
    after: { rateLimit: { limit: 5, window: 1 }, expiresAt: "2040-01-01T00:00:00.000Z" },
  },
  {
    path: "update",
    body: { credits: { limit: 10 } },
    action: "update",
    before: { credits: null },
    after: { credits: expect.objectContaining({ limit: 10, used: 0 }) },
  },
  {
    path: "update",
    body: { credits: { used: 4, shadowLimit: 8 } },
    action: "update",
    before: { credits: expect.objectContaining({ limit: 10, used: 0, shadowLimit: null }) },
    after: { credits: expect.objectContaining({ limit: 10, used: 4, shadowLimit: 8 }) },
  },
  {
    path: "update",
    body: { status: "disabled" },
    action: "update",
    before: { status: "active" },
    after: { status: "disabled" },
  },
  { path: "delete", body: {}, action: "delete", before: { status: "disabled" }, after: { status: "deleted" } },
  {
    path: "update",
    body: { status: "active", name: "c" },
    action: "restore",
    before: { status: "deleted", name: "b" },
    after: { status: "active", name: "c" },
  },
  {
    path: "delete",
    body: { permanent: true },
    action: "delete",
    before: expect.objectContaining({ name: "c", status: "active" }),
    after: {},
  },
];

describe("the audit log", () => {
  it("has each change of a consumer, newest first, with exactly the fields that changed", async () => {
    const { ok, credentialId } = await createProject();
    const { consumerId, createdAt } = await ok("/consumer/create", { name: "a", tags: ["t"] });
    for (const { path, body } of CHANGES) await ok(`/consumer/${path}`, { consumerId, ...body });
    const { entries, nextCursor } = await ok("/audit/list", { targetId: consumerId });
    const common = { credentialId: await credentialId(), targetId: consumerId, at: expect.any(String) };
    expect(entries).toEqual([
      ...CHANGES.map(({ action, before, after }) => ({
        ...common,
        action: `consumer.${action}`,
        before,
        after,
      })).reverse(),
      { ...common, at: createdAt, action: "consumer.create", before: {}, after: CREATED },
    ]);
    expect(nextCursor).toBe(null);
    const times = entries.map(({ at }: Body) => at);
    expect(times).toEqual([...times].sort().reverse());
    for (const at of times) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("has no entry of what was refused, of what changed nothing, of reading and of validating", async () => {
    const { ok, call } = await createProject();
    const { consumerId } = await ok("/consumer/create", { name: "a", credits: { limit: 5 } });
    const { key } = await ok("/key/create", { consumerId });
    const before = await ok("/audit/list", {});
    await ok("/consumer/update", { consumerId });
    await ok("/consumer/update", { consumerId, name: "a", status: "active", imageUrl: null, credits: {} });
    expect((await call("/consumer/update", { consumerId, status: "deleted" })).status).toBe(400);
    expect((await call("/consumer/update", { consumerId, planId: "plan_none", name: "x" })).status).toBe(404);
    expect((await call("/consumer/create", { planId: "plan_none" })).status).toBe(404);
    for (const name of ["details", "keys", "list"])
      await ok(`/consumer/${name}`, name === "list" ? {} : { consumerId });
    await ok("/key/validate", { key });
    expect(await ok("/audit/list", {})).toEqual(before);
    await ok("/consumer/delete", { consumerId });
    await ok("/consumer/delete", { consumerId });
    expect((await call("/consumer/update", { consumerId, name: "x" })).status).toBe(409);
    expect((await ok("/audit/list", {})).entries).toHaveLength(before.entries.length + 1);
  });

  it("says which credential made a change, and null for the operator", async () => {
    const { ok, credentialId } = await createProject();
    const firstId = await credentialId();
    const other = await ok("/project/credential/create", { name: "other" });
    const { consumerId } = await ok("/consumer/create", {});
    await service.ok("/consumer/update", { consumerId, name: "x" }, other.projectKey);
    const { entries } = await ok("/audit/list", {});
    const whoDid = (wanted: string) => entries.find(({ action }: Body) => action === wanted).credentialId;
    expect(["consumer.update", "consumer.create", "project.create"].map(whoDid)).toEqual([
      other.credentialId,
      firstId,
      null,
    ]);
  });

  it("has no value of a key or a credential, nor a hash, in any entry", async () => {
    const { ok, projectKey } = await createProject();
    const { consumerId } = await ok("/consumer/create", { name: "a", credits: { limit: 5 } });
    const { key, keyId } = await ok("/key/create", { consumerId });
    const rotated = await ok("/key/rotate", { keyId, graceSeconds: 60 });
    const sha256 = "0123456789abcdef".repeat(4);
    await ok("/key/import", { consumerId, keys: [{ sha256 }] });
    const credential = await ok("/project/credential/create", { name: "n", scopes: ["read"] });
    const again = await ok("/project/credential/rotate", { credentialId: credential.credentialId });
    await ok("/consumer/delete", { consumerId });
    await ok("/consumer/update", { consumerId, status: "active" });
    await ok("/key/delete", { keyId });
    await ok("/consumer/delete", { consumerId, permanent: true });
    const log = JSON.stringify(await ok("/audit/list", { pageSize: 200 }));
    const secrets = [key, rotated.key, sha256, credential.projectKey, again.projectKey, projectKey, PROJECT_KEY];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(15);
      // Of a credential its last six are shown, and of nothing any more.
      expect(log).not.toContain(secret.slice(0, -8));
      expect(log).not.toContain(secret.slice(8));
    }
    expect(log).not.toMatch(/hash|cipher|hmac/i);
  });
});

describe("/audit/list", () => {
  it.each([1, 3, 200])("walks over every change once with pages of %i, while changes are made", async (pageSize) => {
    const { ok } = await createProject();
    const made: string[] = [];
    for (let number = 0; number < 8; number++)
      made.push((await ok("/consumer/create", { name: `${number}` })).consumerId);
    const walked: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Body = await ok("/audit/list", { pageSize, ...(cursor !== undefined && { cursor }) });
      expect(page.entries.length).toBeLessThanOrEqual(pageSize);
      walked.push(...page.entries.map(({ targetId }: Body) => targetId));
      cursor = page.nextCursor;
      await ok("/consumer/create", { name: "later" });
    }
    expect(walked.filter((id) => id.startsWith("consumer_"))).toEqual(made.reverse());
    expect(new Set(walked).size).toBe(walked.length);
  });

  it("shows 50 on a page unless it is told otherwise, and the last page without a cursor", async () => {
    const { ok } = await createProject();
    // A project begins with two entries: itself and its credential.
    await Promise.all(Array.from({ length: 48 }, () => ok("/consumer/create", {})));
    expect(await ok("/audit/list", {})).toMatchObject({ entries: { length: 50 }, nextCursor: null });
    await ok("/consumer/create", {});
    const { entries, nextCursor } = await ok("/audit/list", {});
    expect(entries).toHaveLength(50);
    expect(await ok("/audit/list", { cursor: nextCursor })).toMatchObject({ entries: { length: 1 }, nextCursor: null });
  });

  it("refuses a cursor that is not of this list, by name", async () => {
    const { ok, call } = await createProject();
    const stranger = await createProject();
    const { consumerId: targetId } = await ok("/consumer/create", { name: "a" });
    for (const name of ["b", "c"]) await ok("/consumer/update", { consumerId: targetId, name });
    const { nextCursor: all } = await ok("/audit/list", { pageSize: 1 });
    const { nextCursor: one } = await ok("/audit/list", { pageSize: 1, targetId });
    const flipped = [...one].map((character, index) => [...one].with(index, character === "A" ? "B" : "A").join(""));
    const refused = [
      ...[all, "", "x", one.slice(1), `${one}A`, `${one}=`, one.toUpperCase(), "__proto__"].map((cursor) => ({
        cursor,
        targetId,
      })),
      ...flipped.map((cursor) => ({ cursor, targetId })),
      ...[{ cursor: one }, { cursor: one, targetId: "consumer_other" }],
    ];
    for (const request of refused) {
      expectProblem(await call("/audit/list", request), 400, "invalid_argument", ["cursor"]);
    }
    expectProblem(await stranger.call("/audit/list", { cursor: all }), 400, "invalid_argument", ["cursor"]);
    expectProblem(await stranger.call("/audit/list", { cursor: one, targetId }), 400, "invalid_argument", ["cursor"]);
    expect((await ok("/audit/list", { cursor: one, targetId, pageSize: 200 })).entries).toHaveLength(2);
  });

  it.each([
    [{ pageSize: 0 }, "pageSize"],
    [{ pageSize: 201 }, "pageSize"],
    [{ pageSize: "5" }, "pageSize"],
    [{ cursor: 5 }, "cursor"],
    [{ targetId: 5 }, "targetId"],
    [{ page: 2 }, "page"],
  ])("refuses %j by name", async (request, field) => {
    expectProblem(await service.call("/audit/list", request), 400, "invalid_argument", [field]);
  });

  it("is empty for a target that nothing was done to, or that is another project's", async () => {
    const { ok } = await createProject();
    const { consumerId } = await service.ok("/consumer/create", {});
    for (const targetId of [consumerId, "consumer_none", "", "$ne"]) {
      expect(await ok("/audit/list", { targetId })).toEqual({ entries: [], nextCursor: null });
    }
  });
});
