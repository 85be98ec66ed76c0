import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let apiId: string;
beforeAll(async () => {
  service = await startService();
  apiId = (await service.ok("/api/create", { name: "an API" })).apiId;
});
afterAll(() => service.close());

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const details = async (keyId: string) => await service.ok("/key/details", { keyId });
const codeOf = async (key: string, more: object = {}) => (await service.ok("/key/validate", { key, ...more })).code;
const auditOf = async (targetId: string) => (await service.ok("/audit/list", { targetId })).entries;

/** Calls that name a key. */
const VERBS = ["update", "details", "rotate", "delete"].map((verb) => `/key/${verb}`);

describe("/key/details", () => {
  it("shows every field, and of the value only its end", async () => {
    const { consumerId, keyId, key } = await createConsumerWithKey(service, {}, { prefix: "live" });
    expect(await details(keyId)).toEqual({
      keyId,
      key: `********${key.slice(-6)}`,
      consumerId,
      name: null,
      status: "active",
      allowedApis: ["*"],
      prefix: "live",
      expiresAt: null,
      metadata: {},
      createdAt: expect.stringMatching(TIME),
      updatedAt: expect.stringMatching(TIME),
      previousValidUntil: null,
    });
  });

  it("shows what was set when the key was made", async () => {
    const set = {
      name: "n",
      allowedApis: [apiId, "*"],
      expiresAt: "2030-01-01T00:00:00.000Z",
      metadata: { $set: [1] },
    };
    const { keyId } = await createConsumerWithKey(service, {}, { ...set, enabled: false });
    expect(await details(keyId)).toMatchObject({ ...set, status: "disabled", prefix: "sk" });
  });
});

describe("/key/update", () => {
  it("changes what it names and leaves the rest, at once for the next validate", async () => {
    const set = { name: "n", allowedApis: [apiId], metadata: { a: 1 }, expiresAt: "2030-01-01T00:00:00.000Z" };
    const { keyId, key } = await createConsumerWithKey(service, { credits: { limit: 9 } }, set);
    const before = await details(keyId);
    const disabled = await service.ok("/key/update", { keyId, enabled: false });
    expect(disabled).toEqual({ ...before, status: "disabled", updatedAt: expect.stringMatching(TIME) });
    expect(disabled.updatedAt > before.updatedAt).toBe(true);
    expect(await details(keyId)).toEqual(disabled);
    expect(await codeOf(key)).toBe("KEY_DISABLED");
    await service.ok("/key/update", { keyId, enabled: true });
    expect(await codeOf(key)).toBe("VALID");
    await service.ok("/key/update", { keyId, expiresAt: "2020-01-01" });
    expect(await codeOf(key)).toBe("KEY_EXPIRED");
  });

  it("replaces the allowed APIs as a whole", async () => {
    const { apiId: other } = await service.ok("/api/create", { name: "other" });
    const { keyId, key } = await createConsumerWithKey(service, {}, { allowedApis: [apiId] });
    const changed = await service.ok("/key/update", { keyId, allowedApis: [other] });
    expect(changed.allowedApis).toEqual([other]);
    expect(await codeOf(key, { apiId })).toBe("API_NOT_ALLOWED");
    expect(await codeOf(key, { apiId: other })).toBe("VALID");
  });

  it.each([
    ["name", null, null],
    ["allowedApis", null, ["*"]],
    ["allowedApis", [], ["*"]],
    ["expiresAt", null, null],
    ["metadata", null, {}],
  ])("clears %s, sent as %j, to %j", async (field, sent, cleared) => {
    const set = { name: "n", allowedApis: [apiId], metadata: { a: 1 }, expiresAt: "2030-01-01" };
    const { keyId } = await createConsumerWithKey(service, {}, set);
    const before = await details(keyId);
    await service.ok("/key/update", { keyId, [field]: sent });
    expect(await details(keyId)).toEqual({ ...before, [field]: cleared, updatedAt: expect.any(String) });
  });

  it("clears enabled to what it is for a new key", async () => {
    const { keyId } = await createConsumerWithKey(service, {}, { enabled: false });
    const key = await service.ok("/key/update", { keyId, enabled: null });
    expect(key.status).toBe("active");
  });

  it("of nothing changes nothing, and leaves nothing in the audit log", async () => {
    const { keyId } = await createConsumerWithKey(service);
    const before = await details(keyId);
    expect(await service.ok("/key/update", { keyId })).toEqual(before);
    expect(await auditOf(keyId)).toHaveLength(1);
  });

  it("refuses APIs that the project does not have, names them, and changes nothing", async () => {
    const { keyId } = await createConsumerWithKey(service);
    const before = await details(keyId);
    const answer = await service.call("/key/update", { keyId, name: "x", allowedApis: [apiId, "api_1", "*", "api_2"] });
    expectProblem(answer, 404, "not_found");
    expect(answer.body.detail).toBe("allowedApis: there is no API api_1, api_2");
    expect(await details(keyId)).toEqual(before);
  });
});

describe("/key/delete", () => {
  it("removes a key at once, and for good: it does not come back with its consumer", async () => {
    const { consumerId, keyId, key } = await createConsumerWithKey(service, { credits: { limit: 5 } });
    const other = await service.ok("/key/create", { consumerId });
    await codeOf(key);
    expect(await service.ok("/key/delete", { keyId })).toEqual({ keyId, deleted: true });
    expect(await service.ok("/key/validate", { key })).toMatchObject({ code: "NOT_FOUND", keyId: null });
    for (const path of VERBS) expectProblem(await service.call(path, { keyId }), 404, "not_found");
    expect(await service.ok("/consumer/delete", { consumerId })).toMatchObject({ keysAffected: 1 });
    expect(await service.ok("/consumer/update", { consumerId, status: "active" })).toMatchObject({ keysRestored: 1 });
    expect(await codeOf(key)).toBe("NOT_FOUND");
    expect(await codeOf(other.key)).toBe("VALID");
    expect((await service.ok("/consumer/details", { consumerId })).credits.used).toBe(2);
  });
});

describe("keys of a deleted consumer", () => {
  it("are shown as deleted, take no change, and come back as they were", async () => {
    const { consumerId, keyId, key } = await createConsumerWithKey(service, {}, { enabled: false });
    const before = await details(keyId);
    await service.ok("/consumer/delete", { consumerId });
    const deleted = { ...before, status: "deleted" };
    expect(await details(keyId)).toEqual(deleted);
    expect((await service.ok("/key/list", { consumerId })).keys).toEqual([deleted]);
    expect((await service.ok("/consumer/keys", { consumerId })).keys).toMatchObject([{ keyId, status: "deleted" }]);
    for (const path of VERBS.filter((verb) => verb !== "/key/details")) {
      expectProblem(await service.call(path, { keyId }), 409, "failed_precondition");
    }
    for (const path of ["/key/create", "/key/import"]) {
      const answer = await service.call(path, { consumerId, ...(path === "/key/import" && IMPORT) });
      expectProblem(answer, 409, "failed_precondition");
    }
    expect(await codeOf(key)).toBe("NOT_FOUND");
    await service.ok("/consumer/update", { consumerId, status: "active" });
    expect(await details(keyId)).toEqual(before);
    expect(await codeOf(key)).toBe("KEY_DISABLED");
  });

  const IMPORT = { keys: [{ sha256: "0".repeat(64) }] };

  it("do not exist any more when the consumer's recovery has ended", async () => {
    const { consumerId, keyId } = await createConsumerWithKey(service);
    const living = await createConsumerWithKey(service);
    await service.ok("/consumer/delete", { consumerId });
    const { total, keys } = await service.ok("/key/list", { limit: 200 });
    expect(keys).toContainEqual(expect.objectContaining({ keyId }));
    const later = await startService({
      KEYSVC_MONGODB_URI: service.databaseUri,
      KEYSVC_TEST_CLOCK_OFFSET_MS: String(7 * 24 * 3_600_000),
    });
    try {
      for (const path of VERBS) expectProblem(await later.call(path, { keyId }), 404, "not_found");
      const listed = await later.ok("/key/list", { limit: 200 });
      expect(listed.total).toBe(total - 1);
      expect(listed.keys.map((key: { keyId: string }) => key.keyId)).not.toContain(keyId);
      expect(listed.keys).toContainEqual(expect.objectContaining({ keyId: living.keyId, status: "active" }));
      expectProblem(await later.call("/key/list", { consumerId }), 404, "not_found");
    } finally {
      await later.app.stop();
    }
  });
});

describe("a key of another project", () => {
  it("does not exist: no call tells of it, and its value is NOT_FOUND", async () => {
    const { projectKey } = await service.ok("/project/create", { name: "other" }, ADMIN_KEY);
    const { consumerId, keyId, key } = await createConsumerWithKey(service);
    for (const path of VERBS) expectProblem(await service.call(path, { keyId }, projectKey), 404, "not_found");
    for (const path of ["/key/create", "/key/list"]) {
      expectProblem(await service.call(path, { consumerId }, projectKey), 404, "not_found");
    }
    expect(await service.ok("/key/list", {}, projectKey)).toEqual({ total: 0, page: 1, limit: 25, keys: [] });
    expect((await service.ok("/key/validate", { key }, projectKey)).code).toBe("NOT_FOUND");
    expect(await codeOf(key)).toBe("VALID");
  });
});

describe("the audit log", () => {
  it("has every change of a key with what it changed, and nothing of a value", async () => {
    const { consumerId, keyId, key } = await createConsumerWithKey(service, {}, { name: "one" });
    await service.ok("/key/update", { keyId, name: "two", enabled: false });
    const rotated = await service.ok("/key/rotate", { keyId });
    await service.ok("/key/rotate", { keyId, graceSeconds: 60 });
    await service.ok("/key/delete", { keyId });
    const entries = await auditOf(keyId);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      ...["key.delete", "key.rotate", "key.rotate", "key.update", "key.create"],
    ]);
    const [, withGrace, withoutGrace, updated, created] = entries;
    expect(created).toMatchObject({ before: {}, after: { consumerId, name: "one", status: "active" } });
    expect(updated).toMatchObject({
      before: { name: "one", status: "active" },
      after: { name: "two", status: "disabled" },
    });
    expect(withoutGrace).toMatchObject({ before: {}, after: { rotatedAt: expect.stringMatching(TIME) } });
    expect(withGrace).toMatchObject({
      before: { previousValidUntil: null },
      after: { previousValidUntil: expect.stringMatching(TIME) },
    });
    const text = JSON.stringify(entries);
    for (const value of [key, rotated.key]) expect(text).not.toContain(value.slice(-6));
  });
});
