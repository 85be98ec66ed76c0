import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Listed {
  keyId: string;
}
const idsOf = ({ keys }: { keys: Listed[] }) => keys.map(({ keyId }) => keyId);

describe("/key/list", () => {
  it("lists the keys of the project, newest first, page by page, and counts them all", async () => {
    const owners = [await createConsumerWithKey(service), await createConsumerWithKey(service)];
    const made = owners.map(({ keyId }) => keyId);
    for (let index = 0; index < 5; index++) {
      const { consumerId } = owners[index % 2] ?? { consumerId: "" };
      made.push((await service.ok("/key/create", { consumerId })).keyId);
    }
    const newestFirst = [...made].reverse();
    const all = await service.ok("/key/list", {});
    expect(all).toMatchObject({ total: 7, page: 1, limit: 25 });
    expect(idsOf(all)).toEqual(newestFirst);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await service.ok("/key/list", { page, limit: 3 }));
    expect(pages.map(idsOf)).toEqual([newestFirst.slice(0, 3), newestFirst.slice(3, 6), newestFirst.slice(6), []]);
    for (const { total, limit } of pages) expect({ total, limit }).toEqual({ total: 7, limit: 3 });
    expect(all.keys[0]).toEqual(await service.ok("/key/details", { keyId: made.at(-1) }));
  });

  it("lists the keys of one consumer", async () => {
    const { consumerId, keyId } = await createConsumerWithKey(service);
    const other = await service.ok("/key/create", { consumerId });
    const listed = await service.ok("/key/list", { consumerId });
    expect(listed.total).toBe(2);
    expect(idsOf(listed)).toEqual([other.keyId, keyId]);
    const { consumerId: empty } = await service.ok("/consumer/create", {});
    expect(await service.ok("/key/list", { consumerId: empty })).toMatchObject({ total: 0, keys: [] });
  });

  it.each(["consumer_1", "", "x".repeat(128)])("refuses the unknown consumer %j", async (consumerId) => {
    const answer = await service.call("/key/list", { consumerId });
    expectProblem(answer, 404, "not_found");
    expect(answer.body.detail).toBe("consumerId: there is no such consumer");
  });

  it("does not list the keys of a consumer that was removed for good", async () => {
    const { consumerId, keyId } = await createConsumerWithKey(service);
    await service.ok("/consumer/delete", { consumerId, permanent: true });
    expect(idsOf(await service.ok("/key/list", {}))).not.toContain(keyId);
    expectProblem(await service.call("/key/list", { consumerId }), 404, "not_found");
  });

  it("answers an empty page however far past the end", async () => {
    const page = 2 ** 31 - 1;
    expect(await service.ok("/key/list", { page, limit: 200 })).toMatchObject({ page, limit: 200, keys: [] });
  });
});

describe("/consumer/keys", () => {
  it("shows the values of all keys in clear, oldest first, with one pool", async () => {
    const { consumerId, keyId, key } = await createConsumerWithKey(service, { credits: { limit: 9 } });
    const second = await service.ok("/key/create", { consumerId, enabled: false, prefix: "live" });
    await service.ok("/key/validate", { key, credits: 4 });
    const rotated = await service.ok("/key/rotate", { keyId, graceSeconds: 60 });
    const answer = await service.ok("/consumer/keys", { consumerId });
    expect(answer).toMatchObject({ consumerId, total: 2, credits: { limit: 9, used: 4, remaining: 5 } });
    expect(answer.keys).toMatchObject([
      { keyId, key: rotated.key, status: "active", allowedApis: ["*"] },
      { keyId: second.keyId, key: second.key, status: "disabled", createdAt: second.createdAt },
    ]);
    expect(Object.keys(answer.keys[0]).sort()).toEqual(["allowedApis", "createdAt", "key", "keyId", "status"]);
  });

  it("shows only the end of values where they are not to be recoverable, also of those that were kept before", async () => {
    const kept = await createConsumerWithKey(service);
    const { consumerId } = kept;
    const node = await startService({ KEYSVC_MONGODB_URI: service.databaseUri, KEYSVC_KEYS_RECOVERABLE: "false" });
    const shownBy = async (one: TestService) =>
      (await one.ok("/consumer/keys", { consumerId })).keys.map(({ key }: { key: string }) => key);
    const masked = (key: string) => `********${key.slice(-6)}`;
    try {
      const made = await node.ok("/key/create", { consumerId });
      expect(await shownBy(node)).toEqual([masked(kept.key), masked(made.key)]);
      expect(await shownBy(service)).toEqual([kept.key, masked(made.key)]);
      const { key } = await node.ok("/key/rotate", { keyId: kept.keyId });
      expect(await shownBy(service)).toEqual([masked(key), masked(made.key)]);
      expect((await service.ok("/key/validate", { key })).code).toBe("VALID");
    } finally {
      await node.app.stop();
    }
  });
});
