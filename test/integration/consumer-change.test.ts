import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patiently } from "../harness/patiently.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const CREDITS = { limit: 100, refill: { every: "7d", refillCredit: 100 } };

async function fieldsOf(path: string, body: object): Promise<[number, string[]]> {
  const answer = await service.call(path, body);
  return [answer.status, (answer.body.errors ?? []).map(({ field }: { field: string }) => field)];
}

describe("a change beside a running load of validates", () => {
  it("is made, and neither it nor any charge is lost", { timeout: 60_000 }, async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { credits: { limit: 1_000_000 } });
    let isRunning = true;
    let charged = 0;
    const load = Array.from({ length: 16 }, async () => {
      while (isRunning) {
        const { code } = await service.ok("/key/validate", { key });
        expect(code).toBe("VALID");
        charged++;
      }
    });
    for (let number = 0; number < 50; number++) {
      await service.ok("/consumer/update", { consumerId, name: `name ${number}`, tags: [String(number)] });
    }
    isRunning = false;
    await Promise.all(load);
    const { name, tags, credits } = await service.ok("/consumer/details", { consumerId });
    expect({ name, tags, used: credits.used }).toEqual({ name: "name 49", tags: ["49"], used: charged });
    expect(charged).toBeGreaterThan(50);
  });

  it("of 40 changes at once to different fields, none undoes another", async () => {
    const { consumerId } = await service.ok("/consumer/create", { credits: CREDITS });
    const changes = [
      { name: "renamed" },
      { externalId: "outside" },
      { tags: ["a"] },
      { metadata: { a: 1 } },
      { credits: { shadowLimit: 7 } },
      { credits: { overage: { enabled: true, limit: 5 } } },
      { rateLimit: { limit: 3, window: 60 } },
      { imageUrl: "https://example.com/a.png" },
    ];
    const repeated = Array.from({ length: 5 }, () => changes).flat();
    const made = repeated.map((change) => patiently(() => service.call("/consumer/update", { consumerId, ...change })));
    expect(new Set((await Promise.all(made)).map(({ status }) => status))).toEqual(new Set([200]));
    const details = await service.ok("/consumer/details", { consumerId });
    expect(details).toMatchObject(Object.assign({}, ...changes.filter((change) => !("credits" in change))));
    expect(details.credits).toMatchObject({ shadowLimit: 7, overage: { enabled: true, limit: 5 } });
  });
});

describe("/consumer/update", () => {
  it("answers exactly the specified fields, and changes nothing when nothing is sent", async () => {
    const { consumerId } = await service.ok("/consumer/create", { name: "a", credits: { limit: 5 } });
    const before = await service.ok("/consumer/details", { consumerId });
    const updated = await service.ok("/consumer/update", { consumerId });
    expect(Object.keys(updated).sort()).toEqual(["consumerId", "credits", "keysRestored", "name", "status"]);
    expect(updated).toMatchObject({
      consumerId,
      name: "a",
      status: "active",
      keysRestored: 0,
      credits: before.credits,
    });
    expect(await service.ok("/consumer/details", { consumerId })).toEqual(before);
    const { entries } = await service.ok("/audit/list", { targetId: consumerId });
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(["consumer.create"]);
  });

  it("clears what is null, sets what has a value, and leaves alone what is absent", async () => {
    const set = {
      ...{ name: "a", imageUrl: "i", externalId: "e", webhookUrl: "https://example.com/", tags: ["t"] },
      ...{ metadata: { m: [1, "x", null, true, { y: 0.5 }] }, expiresAt: "2040-01-01T00:00:00.000Z" },
      rateLimit: { limit: 2, window: 60 },
      credits: { limit: 5, shadowLimit: 4, overage: { enabled: true, limit: 1 }, expiresAt: 4_000_000_000_000 },
    };
    const { consumerId } = await service.ok("/consumer/create", set);
    await service.ok("/consumer/update", { consumerId, name: "b" });
    const details = await service.ok("/consumer/details", { consumerId });
    const { credits, ...others } = set;
    expect(details).toMatchObject({ ...others, name: "b" });
    expect(details.credits).toMatchObject(credits);
    const cleared = Object.fromEntries(Object.keys(set).map((name) => [name, null]));
    await service.ok("/consumer/update", { consumerId, ...cleared });
    expect(await service.ok("/consumer/details", { consumerId })).toMatchObject({
      ...{ ...cleared, tags: [], metadata: {} },
      status: "active",
    });
  });

  it("keeps texts that look like operators or expressions as they are", async () => {
    const set = {
      ...{ name: "$name", externalId: "$$ROOT", imageUrl: "$secret", tags: ["$set", "a.b", "__proto__", "\0"] },
      metadata: JSON.parse('{"$set": {"a.b": 1}, "__proto__": {"x": 1}, "": [{"$literal": 1}], "constructor": null}'),
    };
    const { consumerId } = await service.ok("/consumer/create", set);
    expect(await service.ok("/consumer/details", { consumerId })).toMatchObject(set);
    await service.ok("/consumer/update", { consumerId, name: "x", tags: [], metadata: {} });
    await service.ok("/consumer/update", { consumerId, ...set });
    const details = await service.ok("/consumer/details", { consumerId });
    expect(JSON.stringify(details.metadata)).toBe(JSON.stringify(set.metadata));
    expect(details.tags).toEqual(set.tags);
  });

  it("names every field that it refuses, and changes nothing then", async () => {
    const { consumerId } = await service.ok("/consumer/create", { name: "kept" });
    expect(await fieldsOf("/consumer/update", { consumerId, name: "b", status: "deleted" })).toEqual([400, ["status"]]);
    expect(await fieldsOf("/consumer/update", { consumerId, status: null })).toEqual([400, ["status"]]);
    expect(await fieldsOf("/consumer/update", { consumerId, webhookUrl: "ftp://x" })).toEqual([400, ["webhookUrl"]]);
    expect(await fieldsOf("/consumer/update", { consumerId, credits: {} })).toEqual([400, ["credits.limit"]]);
    expect(
      await fieldsOf("/consumer/update", { consumerId, credits: { used: 1, carryover: { enabled: true } } }),
    ).toEqual([400, ["credits.limit", "credits.carryover.max", "credits.carryover"]]);
    expect(await fieldsOf("/consumer/update", { consumerId, rateLimit: {} })).toEqual([400, ["rateLimit.limit"]]);
    expect(await service.ok("/consumer/details", { consumerId })).toMatchObject({ name: "kept", status: "active" });
    expect(await fieldsOf("/consumer/update", { consumerId: "consumer_none", name: "a" })).toEqual([404, []]);
  });

  it("disables and enables every key with the very next validate, each key's own status untouched", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { credits: CREDITS });
    const { key: off } = await service.ok("/key/create", { consumerId, enabled: false });
    const codes = async () => [
      (await service.ok("/key/validate", { key })).code,
      (await service.ok("/key/validate", { key: off })).code,
    ];
    await service.ok("/consumer/update", { consumerId, status: "disabled" });
    expect(await codes()).toEqual(["CONSUMER_DISABLED", "KEY_DISABLED"]);
    await service.ok("/consumer/update", { consumerId, status: "active" });
    expect(await codes()).toEqual(["VALID", "KEY_DISABLED"]);
  });
});
