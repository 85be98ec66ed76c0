import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject } from "../harness/own-project.ts";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

// Bodies of every shape.
// biome-ignore lint/suspicious/noExplicitAny: as said
type Body = any;

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
    const { ok, credentialId } = await createProject(service);
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
    const { ok, call } = await createProject(service);
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
    const { ok, credentialId } = await createProject(service);
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
    const { ok, projectKey } = await createProject(service);
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
