import { setTimeout as sleep } from "node:timers/promises";
import { type Binary, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeyValue } from "../../src/key/key-value.ts";
import { importValues, legacyValue, sha256 } from "../harness/import-values.ts";
import { ADMIN_KEY, startService, type TestService } from "../harness/service.ts";

let service: TestService;
/** A node on the same database, to which it is two hours later. */
let later: TestService;
beforeAll(async () => {
  service = await startService();
  later = await startService({
    KEYSVC_MONGODB_URI: service.databaseUri,
    KEYSVC_TEST_CLOCK_OFFSET_MS: String(2 * 3_600_000),
  });
});
afterAll(async () => {
  await later.app.stop();
  await service.close();
});

const codeOf = async (key: string, node = service) => (await node.ok("/key/validate", { key })).code;
const consumerOf = async (consumer: object = {}) => (await service.ok("/consumer/create", consumer)).consumerId;

describe("an imported key", () => {
  it.each([
    ["of another service", "ak_live_0123456789"],
    ["of our form, from another installation", createKeyValue("sk")],
    ["of one character", "k"],
    ["of odd characters", ' é😀\u0000\n{"$gt":""} '],
    ["of 8,192 bytes", "k".repeat(8_192)],
  ])("%s is validated and charged like any other", async (_title, value) => {
    const { consumerId, answer } = await importValues(service, [value]);
    const [{ keyId }] = answer.body.keys;
    const verdict = await service.ok("/key/validate", { key: value, credits: 7 });
    expect(verdict).toMatchObject({ code: "VALID", keyId, consumer: { consumerId }, credits: { used: 7 } });
    expect(await codeOf(`${value.slice(0, 8_000)}x`)).toBe("NOT_FOUND");
  });

  it("has what the request gives it, and shows nothing of its value, which is not known", async () => {
    const { apiId } = await service.ok("/api/create", { name: "a" });
    const consumerId = await consumerOf({ credits: { limit: 100 } });
    const set = { name: "old", allowedApis: [apiId], expiresAt: "2030-01-01T00:00:00.000Z" };
    const value = legacyValue();
    const keys = [{ sha256: sha256(value), ...set }];
    const answer = await service.ok("/key/import", { consumerId, keys });
    expect(answer).toEqual({ keys: [{ keyId: expect.stringMatching(/^key_\w+$/), name: "old" }] });
    const [{ keyId }] = answer.keys;
    const key = await service.ok("/key/details", { keyId });
    expect(key).toMatchObject({ ...set, keyId, key: "********", prefix: null, status: "active", metadata: {} });
    const shown = await service.ok("/consumer/keys", { consumerId });
    expect(shown.keys).toMatchObject([{ keyId, key: "********" }]);
    expect((await service.ok("/key/validate", { key: value, apiId })).code).toBe("VALID");
    await service.ok("/key/update", { keyId, expiresAt: "2020-01-01", name: "new" });
    expect(await codeOf(value)).toBe("KEY_EXPIRED");
  });

  it("leaves neither its value nor the SHA-256 of it in the database, the audit log included", async () => {
    const value = legacyValue();
    const { answer } = await importValues(service, [value]);
    const [{ keyId }] = answer.body.keys;
    const { entries } = await service.ok("/audit/list", { targetId: keyId });
    expect(entries).toMatchObject([{ action: "key.import", before: {}, after: { status: "active" } }]);
    const client = await MongoClient.connect(service.databaseUri);
    const db = client.db();
    const stored = await db.collection<{ _id: string; hash: Binary }>("keys").findOne({ _id: keyId });
    const audited = await db.collection("audit").find({ targetId: keyId }).toArray();
    await client.close();
    const hash = stored?.hash.toString("hex") ?? "";
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const text = JSON.stringify([stored, hash, audited]);
    for (const secret of [value, sha256(value)]) expect(text).not.toContain(secret);
  });

  it("becomes an ordinary key when it is rotated; its old value has its grace", async () => {
    const value = legacyValue();
    const { answer } = await importValues(service, [value]);
    const [{ keyId }] = answer.body.keys;
    const rotated = await service.ok("/key/rotate", { keyId, graceSeconds: 3_600 });
    expect(rotated.key).toMatch(/^sk_\w{33}$/);
    expect(await service.ok("/key/details", { keyId })).toMatchObject({
      key: `********${rotated.key.slice(-6)}`,
      prefix: "sk",
      previousValidUntil: rotated.previousValidUntil,
    });
    for (const each of [value, rotated.key]) expect(await codeOf(each)).toBe("VALID");
    expect(await codeOf(value, later)).toBe("NOT_FOUND");
    expect(await codeOf(rotated.key, later)).toBe("VALID");
  });

  it("has its grace also where it was the only import of the project", async () => {
    const { projectKey } = await service.ok("/project/create", { name: "one import" }, ADMIN_KEY);
    const { consumerId } = await service.ok("/consumer/create", {}, projectKey);
    const value = legacyValue();
    const imported = await service.ok("/key/import", { consumerId, keys: [{ sha256: sha256(value) }] }, projectKey);
    const [{ keyId }] = imported.keys;
    const rotate = (graceSeconds: number) => service.ok("/key/rotate", { keyId, graceSeconds }, projectKey);
    const verdict = async () => (await service.ok("/key/validate", { key: value }, projectKey)).code;
    await rotate(3_600);
    await rotate(0);
    await sleep(200);
    expect(await verdict()).toBe("VALID");
  });

  it("is refused by the very next validate once it is deleted, and can be imported again", async () => {
    const value = legacyValue();
    const { answer, consumerId } = await importValues(service, [value]);
    expect(await codeOf(value)).toBe("VALID");
    await service.ok("/key/delete", { keyId: answer.body.keys[0].keyId });
    expect(await codeOf(value)).toBe("NOT_FOUND");
    expect((await importValues(service, [value], consumerId)).answer.status).toBe(200);
    await sleep(200);
    expect(await codeOf(value)).toBe("VALID");
  });

  it("validates within 200 ms on every node, though it was refused just before", async () => {
    const other = await startService({ KEYSVC_MONGODB_URI: service.databaseUri });
    try {
      for (let round = 0; round < 5; round++) {
        const value = legacyValue();
        for (const node of [service, other]) expect(await codeOf(value, node)).toBe("NOT_FOUND");
        await importValues(service, [value]);
        await sleep(200);
        for (const node of [service, other]) expect(await codeOf(value, node)).toBe("VALID");
      }
    } finally {
      await other.app.stop();
    }
  });
});
