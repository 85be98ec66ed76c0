import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConsumerWithKey, PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { fieldsOf, SHAPES } from "../harness/shapes.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const REFILL = {
  ...{ every: "7d", refillCredit: 3, refillPolicy: "add" },
  carryover: { enabled: true, max: 2 },
};
const CREDITS = {
  ...{ limit: 10, shadowLimit: 8, expiresAt: 4_000_000_000_000 },
  overage: { enabled: true, limit: 4 },
  refill: REFILL,
};
/** Every field of a new consumer but its plan, none as it is when nothing is sent. */
const FULL = {
  ...{ name: "Zoë", imageUrl: "https://example.com/z.png", externalId: "crm-1", status: "active" },
  ...{ webhookUrl: "https://example.com/hook", tags: ["b", "a", "b"], metadata: { seats: 2, list: [null, {}] } },
  ...{ rateLimit: { limit: 100, window: 60 }, credits: CREDITS },
};

// Bodies of every shape.
// biome-ignore lint/suspicious/noExplicitAny: as said
const details = (consumerId: string): Promise<any> => service.ok("/consumer/details", { consumerId });

async function create(consumer: object): Promise<string> {
  return (await service.ok("/consumer/create", consumer)).consumerId;
}

describe("/consumer/create", () => {
  it.each([
    ["of nothing", {}, { name: null, status: "active", tags: [], externalId: null }],
    ["of everything", FULL, { name: "Zoë", status: "active", tags: ["b", "a", "b"], externalId: "crm-1" }],
    ["of a disabled one", { status: "disabled" }, { name: null, status: "disabled", tags: [], externalId: null }],
  ])("%s answers exactly the specified fields", async (_title, consumer, expected) => {
    const made = await service.ok("/consumer/create", consumer);
    expect(fieldsOf(made)).toEqual(SHAPES.created);
    expect(made).toMatchObject({ ...expected, projectKey: PROJECT_KEY, createdAt: expect.stringMatching(ISO_UTC) });
    expect(made.consumerId).toMatch(/^consumer_\w{10,}$/);
  });

  it("takes null in every field as if it were absent", async () => {
    const nothing = Object.fromEntries([...Object.keys(FULL), "planId"].map((name) => [name, null]));
    const { consumerId: _one, createdAt: _oneAt, updatedAt: _oneLater, ...one } = await details(await create(nothing));
    const { consumerId: _two, createdAt: _twoAt, updatedAt: _twoLater, ...two } = await details(await create({}));
    expect(one).toEqual(two);
  });

  it("gives each consumer an id of its own, also when they are made at once", async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, () => create({ name: "the same", externalId: "the same" })),
    );
    expect(new Set(ids).size).toBe(50);
  });

  it("fills in the defaults of a rate limit, a refill, an overage and a carryover", async () => {
    const refill = { every: "1d", refillCredit: 1, carryover: { enabled: false } };
    const made = await details(
      await create({ rateLimit: { limit: 5 }, credits: { limit: 1, overage: { enabled: false }, refill } }),
    );
    expect(made.rateLimit).toEqual({ limit: 5, window: 1 });
    expect(made.credits.overage).toEqual({ enabled: false, limit: 0 });
    expect(made.credits.refill).toMatchObject({ refillPolicy: "reset", carryover: { enabled: false, max: 0 } });
  });

  it("makes a disabled consumer whose keys do not validate until it is active", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { status: "disabled" });
    expect((await service.ok("/key/validate", { key })).code).toBe("CONSUMER_DISABLED");
    await service.ok("/consumer/update", { consumerId, status: "active" });
    await expect.poll(async () => (await service.ok("/key/validate", { key })).code).toBe("VALID");
  });
});

describe("/consumer/details", () => {
  it("answers exactly the specified fields, with null, [] or {} for what is unset", async () => {
    const consumerId = await create({});
    const unset = await details(consumerId);
    expect(unset).toEqual({
      ...{ consumerId, projectKey: PROJECT_KEY, status: "active", tags: [], metadata: {} },
      ...{ name: null, imageUrl: null, externalId: null, webhookUrl: null, planId: null, expiresAt: null },
      ...{ rateLimit: null, credits: null, createdAt: expect.stringMatching(ISO_UTC), updatedAt: unset.createdAt },
    });
    expect(fieldsOf(unset)).toEqual(SHAPES.details);
  });

  it("answers everything as it was sent, and nothing else within", async () => {
    const { consumerId, createdAt } = await service.ok("/consumer/create", FULL);
    const made = await details(consumerId);
    expect(fieldsOf(made)).toEqual(SHAPES.details);
    expect(fieldsOf(made.credits)).toEqual(SHAPES.credits);
    expect(fieldsOf(made.credits.refill)).toEqual(SHAPES.refill);
    const nextRefillAt = Date.parse(createdAt) + 7 * 24 * 3_600_000;
    const credits = { ...CREDITS, used: 0, remaining: 10, overageUsed: 0, refill: { ...REFILL, nextRefillAt } };
    expect(made).toMatchObject({ ...FULL, createdAt, credits });
    expect(made.credits).toEqual(credits);
  });

  it("shows the credential that the caller presented, not the one that made the consumer", async () => {
    const consumerId = await create({});
    const { projectKey } = await service.ok("/project/credential/create", { name: "another" });
    expect((await service.ok("/consumer/details", { consumerId }, projectKey)).projectKey).toBe(projectKey);
    expect((await service.ok("/consumer/create", {}, projectKey)).projectKey).toBe(projectKey);
    expect((await details(consumerId)).projectKey).toBe(PROJECT_KEY);
  });
});

describe("/consumer/keys", () => {
  it("shows null for the credits of an unlimited consumer, and no keys where there are none", async () => {
    const consumerId = await create({});
    expect(await service.ok("/consumer/keys", { consumerId })).toEqual({
      consumerId,
      credits: null,
      total: 0,
      keys: [],
    });
  });

  it("shows the pool once, with exactly three amounts, and each key once", async () => {
    const { consumerId, keyId, key } = await createConsumerWithKey(service, FULL, { name: "n", metadata: { a: 1 } });
    await service.ok("/consumer/update", { consumerId, credits: { used: 12 } });
    expect(await service.ok("/consumer/keys", { consumerId })).toEqual({
      ...{ consumerId, credits: { limit: 10, remaining: 0, used: 12 }, total: 1 },
      keys: [{ keyId, key, status: "active", createdAt: expect.stringMatching(ISO_UTC), allowedApis: ["*"] }],
    });
  });
});

describe("a change of one field", () => {
  const UNSET_CREDITS = { used: 0, remaining: 10 };
  // What is sent, what it becomes, and what null makes of it.
  it.each<[string, unknown, unknown, unknown]>([
    ["name", "other", "other", null],
    ["name", "", "", null],
    ["imageUrl", "o", "o", null],
    ["externalId", "o", "o", null],
    ["webhookUrl", "https://example.com/other", "https://example.com/other", null],
    ["tags", ["x"], ["x"], []],
    ["tags", [], [], []],
    ["metadata", { other: 1 }, { other: 1 }, {}],
    ["metadata", {}, {}, {}],
    ["expiresAt", "2039-05-06T07:08:09+02:00", "2039-05-06T05:08:09.000Z", null],
    ["rateLimit", { limit: 7 }, { limit: 7, window: 1 }, null],
    ["rateLimit", { limit: 7, window: null }, { limit: 7, window: 1 }, null],
  ])("%s: %j leaves all others alone, and null clears it", async (field, sent, become, cleared) => {
    const consumerId = await create(FULL);
    const before = await details(consumerId);
    for (const [value, expected] of [
      [sent, become],
      [null, cleared],
    ]) {
      await service.ok("/consumer/update", { consumerId, [field]: value });
      const { updatedAt, ...after } = await details(consumerId);
      expect(after).toEqual({ ...omitTime(before), [field]: expected });
      expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt));
    }
  });

  it.each<[string, unknown, object, object]>([
    ["limit", 20, { limit: 20, remaining: 20 }, {}],
    ["used", 4, { used: 4, remaining: 6 }, UNSET_CREDITS],
    ["used", 10, { used: 10, remaining: 0 }, UNSET_CREDITS],
    ["used", 13, { used: 13, remaining: 0, overageUsed: 3 }, UNSET_CREDITS],
    ["shadowLimit", 0, { shadowLimit: 0 }, { shadowLimit: null }],
    ["overage", { enabled: false }, { overage: { enabled: false, limit: 0 } }, { overage: null }],
    ["expiresAt", 3_999_999_999_999, { expiresAt: 3_999_999_999_999 }, { expiresAt: null }],
  ])("credits.%s: %j leaves all others alone, and null clears it", async (field, sent, become, cleared) => {
    const consumerId = await create(FULL);
    const { credits: before } = await details(consumerId);
    const change = (value: unknown) => service.ok("/consumer/update", { consumerId, credits: { [field]: value } });
    expect((await change(sent)).credits).toEqual({ ...before, ...become });
    if (field === "limit") return;
    expect((await change(null)).credits).toEqual({ ...before, ...cleared });
    expect((await details(consumerId)).credits).toEqual({ ...before, ...cleared });
  });

  it("is in the answer of the change, of details, of the list and of the keys alike", async () => {
    const consumerId = await create({ ...FULL, name: `only ${Date.now()}` });
    const { name, status, credits } = await service.ok("/consumer/update", {
      consumerId,
      credits: { limit: 9, used: 4 },
    });
    const { limit, used, remaining } = credits;
    expect({ limit, used, remaining }).toEqual({ limit: 9, used: 4, remaining: 5 });
    expect(await details(consumerId)).toMatchObject({ name, status, credits });
    const { consumers } = await service.ok("/consumer/list", { search: name });
    const { nextRefillAt } = credits.refill;
    expect(consumers).toMatchObject([{ consumerId, credits: { limit, used, remaining, refill: { nextRefillAt } } }]);
    expect((await service.ok("/consumer/keys", { consumerId })).credits).toEqual({ limit, used, remaining });
  });
});

function omitTime({ updatedAt: _updatedAt, ...rest }: { updatedAt: string }): object {
  return rest;
}
