import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importValues, legacyValue, sha256 } from "../harness/import-values.ts";
import { expectProblem } from "../harness/problem.ts";
import { ADMIN_KEY, createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const codeOf = async (key: string, node = service) => (await node.ok("/key/validate", { key })).code;
const consumerOf = async (consumer: object = {}) => (await service.ok("/consumer/create", consumer)).consumerId;
const countOf = async (consumerId: string) => (await service.ok("/key/list", { consumerId })).total;

describe("/key/import", () => {
  it("takes 1,000 keys in one call, in order, and each validates", async () => {
    const values = Array.from({ length: 1_000 }, legacyValue);
    const keys = values.map((value, index) => ({ sha256: sha256(value), name: `key ${index}` }));
    const consumerId = await consumerOf();
    const imported = await service.ok("/key/import", { consumerId, keys });
    expect(imported.keys.map(({ name }: { name: string }) => name)).toEqual(keys.map(({ name }) => name));
    const ids = imported.keys.map(({ keyId }: { keyId: string }) => keyId);
    const shown = await service.ok("/consumer/keys", { consumerId });
    expect(shown.keys.map(({ keyId }: { keyId: string }) => keyId)).toEqual(ids);
    for (const index of [0, 1, 500, 999]) {
      expect(await service.ok("/key/validate", { key: values[index] })).toMatchObject({ keyId: ids[index] });
    }
  });

  it("takes upper-case hexadecimal for the same", async () => {
    const value = legacyValue();
    const consumerId = await consumerOf();
    await service.ok("/key/import", { consumerId, keys: [{ sha256: sha256(value).toUpperCase() }] });
    expect(await codeOf(value)).toBe("VALID");
    expectProblem((await importValues(service, [value])).answer, 409, "failed_precondition");
  });

  it("refuses a hash that the request has twice, and names each repetition", async () => {
    const [one, two] = [sha256(legacyValue()), sha256(legacyValue())];
    const consumerId = await consumerOf();
    const keys = [one, two, one.toUpperCase(), two].map((hash) => ({ sha256: hash }));
    const answer = await service.call("/key/import", { consumerId, keys });
    expectProblem(answer, 400, "invalid_argument", ["keys[2].sha256", "keys[3].sha256"]);
    expect(await countOf(consumerId)).toBe(0);
  });

  it("imports all or nothing: a hash that the project has already is named, and no key is made", async () => {
    const taken = legacyValue();
    await importValues(service, [taken]);
    const fresh = legacyValue();
    const { consumerId, answer } = await importValues(service, [fresh, taken]);
    expectProblem(answer, 409, "failed_precondition");
    expect(answer.body.detail).toBe("keys[1].sha256: the project has this key already");
    expect(await codeOf(fresh)).toBe("NOT_FOUND");
    expect(await countOf(consumerId)).toBe(0);
    expect((await service.ok("/consumer/delete", { consumerId })).keysAffected).toBe(0);
  });

  it("refuses a hash whose key was rotated, while the old value is in its grace", async () => {
    const value = legacyValue();
    const { answer } = await importValues(service, [value]);
    const [{ keyId }] = answer.body.keys;
    await service.ok("/key/rotate", { keyId, graceSeconds: 3_600 });
    expectProblem((await importValues(service, [value])).answer, 409, "failed_precondition");
    const later = await startService({
      KEYSVC_MONGODB_URI: service.databaseUri,
      KEYSVC_TEST_CLOCK_OFFSET_MS: String(3_600_000),
    });
    const again = (await importValues(later, [value])).answer.body.keys[0];
    await later.ok("/key/rotate", { keyId: again.keyId, graceSeconds: 60 });
    expect(await later.ok("/key/validate", { key: value })).toMatchObject({ code: "VALID", keyId: again.keyId });
    await later.app.stop();
  });

  it("refuses a hash of a deleted consumer's key until that is gone", async () => {
    const value = legacyValue();
    const { consumerId } = await importValues(service, [value]);
    await service.ok("/consumer/delete", { consumerId });
    expectProblem((await importValues(service, [value])).answer, 409, "failed_precondition");
    const later = await startService({
      KEYSVC_MONGODB_URI: service.databaseUri,
      KEYSVC_TEST_CLOCK_OFFSET_MS: String(7 * 24 * 3_600_000),
    });
    const { consumerId: owner } = await later.ok("/consumer/create", {});
    await later.ok("/key/import", { consumerId: owner, keys: [{ sha256: sha256(value) }] });
    expect(await later.ok("/key/validate", { key: value })).toMatchObject({ consumer: { consumerId: owner } });
    await later.app.stop();
  });

  it("lets each project import the same hash, for itself alone", async () => {
    const { projectKey } = await service.ok("/project/create", { name: "other" }, ADMIN_KEY);
    const { consumerId } = await service.ok("/consumer/create", {}, projectKey);
    const value = legacyValue();
    await importValues(service, [value]);
    await service.ok("/key/import", { consumerId, keys: [{ sha256: sha256(value) }] }, projectKey);
    const verdict = await service.ok("/key/validate", { key: value }, projectKey);
    expect(verdict).toMatchObject({ code: "VALID", consumer: { consumerId } });
  });

  it("gives a hash that is imported by several callers at once to one of them", async () => {
    for (let round = 0; round < 10; round++) {
      const value = legacyValue();
      const answers = await Promise.all(Array.from({ length: 4 }, () => importValues(service, [legacyValue(), value])));
      const statuses = answers.map(({ answer }) => answer.status).sort();
      expect(statuses).toEqual([200, 409, 409, 409]);
      const counts = await Promise.all(answers.map(({ consumerId }) => countOf(consumerId)));
      expect(counts.sort()).toEqual([0, 0, 0, 2]);
    }
  });

  it("names hashes that are none, and APIs that the project does not have", async () => {
    const consumerId = await consumerOf();
    const good = sha256(legacyValue());
    const keys = [good.slice(1), `${good}0`, "g".repeat(64), good].map((hash) => ({ sha256: hash }));
    const refused = await service.call("/key/import", { consumerId, keys: [...keys, {}] });
    const fields = [0, 1, 2, 4].map((index) => `keys[${index}].sha256`);
    expectProblem(refused, 400, "invalid_argument", fields);
    const unknown = await service.call("/key/import", {
      consumerId,
      keys: [{ sha256: good }, { sha256: sha256(legacyValue()), allowedApis: ["*", "api_1"] }],
    });
    expectProblem(unknown, 404, "not_found");
    expect(unknown.body.detail).toBe("keys[1].allowedApis: there is no API api_1");
    expectProblem((await importValues(service, [legacyValue()], "consumer_1")).answer, 404, "not_found");
  });
});

describe("a consumer", () => {
  it("owns at most 10,000 keys, whether made or imported", async () => {
    const { consumerId, keyId } = await createConsumerWithKey(service);
    const hashes = (count: number) => ({
      keys: Array.from({ length: count }, () => ({ sha256: sha256(legacyValue()) })),
    });
    for (let call = 0; call < 9; call++) await service.ok("/key/import", { consumerId, ...hashes(1_000) });
    expectProblem(await service.call("/key/import", { consumerId, ...hashes(1_000) }), 409, "failed_precondition");
    await service.ok("/key/import", { consumerId, ...hashes(999) });
    expectProblem(await service.call("/key/create", { consumerId }), 409, "failed_precondition");
    expect(await countOf(consumerId)).toBe(10_000);
    await service.ok("/key/delete", { keyId });
    await service.ok("/key/create", { consumerId });
    expect((await service.ok("/consumer/keys", { consumerId })).total).toBe(10_000);
  });
});
