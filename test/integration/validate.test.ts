import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const HOUR_MS = 3_600_000;
const past = () => new Date(Date.now() - HOUR_MS).toISOString();

describe("/key/validate", () => {
  it("64 concurrent callers on a pool of 1,000 credits get exactly 1,000 VALID", async () => {
    const { key, consumerId } = await createConsumerWithKey(service, { credits: { limit: 1_000 } });
    const codes = new Map<string, number>();
    let left = 1_200;
    const caller = async () => {
      while (left-- > 0) {
        const { code } = await service.ok("/key/validate", { key });
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 64 }, caller));
    expect(Object.fromEntries(codes)).toEqual({ VALID: 1_000, USAGE_EXCEEDED: 200 });
    const { credits } = await service.ok("/consumer/details", { consumerId });
    expect(credits).toMatchObject({ limit: 1_000, used: 1_000, remaining: 0 });
  });

  it("two keys of a consumer draw from one pool", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { credits: { limit: 2 } });
    const other = await service.ok("/key/create", { consumerId });
    expect((await service.ok("/key/validate", { key })).credits.remaining).toBe(1);
    expect((await service.ok("/key/validate", { key: other.key })).credits.remaining).toBe(0);
    expect((await service.ok("/key/validate", { key })).code).toBe("USAGE_EXCEEDED");
  });

  it("a cost that the pool does not cover is refused as a whole, and costs nothing", async () => {
    const { key } = await createConsumerWithKey(service, { credits: { limit: 10 } });
    const refused = await service.ok("/key/validate", { key, credits: 11 });
    expect(refused).toMatchObject({
      valid: false,
      code: "USAGE_EXCEEDED",
      credits: { used: 0, remaining: 10, cost: 0 },
    });
    const granted = await service.ok("/key/validate", { key, credits: 10 });
    expect(granted).toMatchObject({ valid: true, code: "VALID", credits: { used: 10, remaining: 0, cost: 10 } });
  });

  it("a check with credits 0 charges nothing and passes on an empty pool", async () => {
    const { key } = await createConsumerWithKey(service, { credits: { limit: 1 } });
    await service.ok("/key/validate", { key });
    const check = await service.ok("/key/validate", { key, credits: 0 });
    expect(check).toMatchObject({ valid: true, code: "VALID", credits: { used: 1, remaining: 0, cost: 0 } });
  });

  it("overage is spent once the pool is empty, up to its limit", async () => {
    const { key } = await createConsumerWithKey(service, {
      credits: { limit: 1, overage: { enabled: true, limit: 2 } },
    });
    const used = [];
    for (let call = 0; call < 4; call++) {
      const { code, credits } = await service.ok("/key/validate", { key });
      used.push([code, credits.remaining, credits.overageUsed]);
    }
    expect(used).toEqual([
      ["VALID", 0, 0],
      ["VALID", 0, 1],
      ["VALID", 0, 2],
      ["USAGE_EXCEEDED", 0, 2],
    ]);
  });

  it("credits that have expired are an empty pool, even for a check", async () => {
    const { key } = await createConsumerWithKey(service, { credits: { limit: 5, expiresAt: Date.now() - 1_000 } });
    const answer = await service.ok("/key/validate", { key, credits: 0 });
    expect(answer).toMatchObject({ valid: false, code: "USAGE_EXCEEDED", credits: { remaining: 0 } });
  });

  it("a consumer without credits is unlimited", async () => {
    const { key } = await createConsumerWithKey(service, { name: "unlimited" });
    const answer = await service.ok("/key/validate", { key, credits: 1_000_000 });
    expect(answer).toMatchObject({ valid: true, credits: null, rateLimit: null, consumer: { name: "unlimited" } });
  });

  it("a rate limit counts over all keys, and a refused call takes no credit", async () => {
    const consumer = { credits: { limit: 100 }, rateLimit: { limit: 3, window: 86_400 } };
    const { key, consumerId } = await createConsumerWithKey(service, consumer);
    const other = await service.ok("/key/create", { consumerId });
    const answers = [];
    for (const value of [key, other.key, key, other.key])
      answers.push(await service.ok("/key/validate", { key: value }));
    expect(answers.map(({ code }) => code)).toEqual(["VALID", "VALID", "VALID", "RATE_LIMITED"]);
    expect(answers[3]).toMatchObject({ credits: { used: 3 }, rateLimit: { limit: 3, window: 86_400, remaining: 0 } });
    expect(answers[3].retryAfterSeconds).toBeGreaterThan(0);
  });

  it.each<[string, object, object, object]>([
    ["KEY_DISABLED", {}, { enabled: false }, {}],
    ["KEY_EXPIRED", {}, { expiresAt: past() }, {}],
    ["CONSUMER_DISABLED", { status: "disabled" }, {}, {}],
    ["CONSUMER_EXPIRED", { expiresAt: past() }, {}, {}],
    ["API_NOT_ALLOWED", {}, {}, { apiId: "api_unknown" }],
    // The first code in the order of the contract wins.
    ["KEY_DISABLED", { status: "disabled" }, { enabled: false, expiresAt: past() }, { apiId: "api_unknown" }],
    ["CONSUMER_DISABLED", { status: "disabled", expiresAt: past() }, {}, { apiId: "api_unknown" }],
    ["CONSUMER_EXPIRED", { expiresAt: past(), credits: { limit: 0 } }, {}, { apiId: "api_unknown" }],
    ["API_NOT_ALLOWED", { credits: { limit: 0 } }, {}, { apiId: "api_unknown" }],
  ])("%s: consumer %j, key %j, request %j", async (code, consumer, key, request) => {
    const made = await createConsumerWithKey(service, consumer, key);
    const answer = await service.ok("/key/validate", { key: made.key, ...request });
    expect(answer).toMatchObject({ valid: false, code, keyId: made.keyId, consumer: { consumerId: made.consumerId } });
  });

  it("a key may call the APIs that it names, and no other of its project", async () => {
    const { apiId } = await service.ok("/api/create", { name: "one" });
    const { apiId: other } = await service.ok("/api/create", { name: "other" });
    const { key } = await createConsumerWithKey(service, {}, { allowedApis: [apiId] });
    expect((await service.ok("/key/validate", { key, apiId })).code).toBe("VALID");
    expect((await service.ok("/key/validate", { key, apiId: other })).code).toBe("API_NOT_ALLOWED");
  });

  it.each([
    ["garbage", "x"],
    ["a broken checksum", "sk_000000000000000000000000000000000"],
    ["8,192 bytes", "k".repeat(8_192)],
    ["operators", '{"$gt":""}'],
  ])("%s is NOT_FOUND, and names neither key nor consumer", async (_title, key) => {
    const answer = await service.ok("/key/validate", { key });
    expect(answer).toMatchObject({ valid: false, code: "NOT_FOUND", keyId: null, consumer: null, credits: null });
  });

  it("answers every documented field, with null for what is unset", async () => {
    const { key } = await createConsumerWithKey(service);
    const answer = await service.ok("/key/validate", { key });
    expect(Object.keys(answer).sort()).toEqual(
      ["apiId", "code", "consumer", "credits", "keyId", "rateLimit", "requestId", "valid"].sort(),
    );
    expect(answer.consumer).toEqual({
      consumerId: expect.stringMatching(/^consumer_/),
      name: null,
      externalId: null,
      planId: null,
      metadata: {},
      tags: [],
    });
  });
});

describe("a requestId of the caller", () => {
  it("charges once, however often the same call comes, also all at once", async () => {
    const { key, consumerId } = await createConsumerWithKey(service, { credits: { limit: 100 }, name: "n" });
    const call = { key, credits: 7, requestId: "order-1" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.ok("/key/validate", call)));
    answers.push(await service.ok("/key/validate", call));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({
      valid: true,
      requestId: "order-1",
      credits: { used: 7, remaining: 93, cost: 7 },
    });
    expect((await service.ok("/consumer/details", { consumerId })).credits.used).toBe(7);
  });

  it("answers 409 with another key, cost or API, and charges nothing", async () => {
    const { key, consumerId } = await createConsumerWithKey(service, { credits: { limit: 100 } });
    const other = await service.ok("/key/create", { consumerId });
    const { apiId } = await service.ok("/api/create", { name: "a" });
    await service.ok("/key/validate", { key, requestId: "r" });
    for (const change of [{ key: other.key }, { credits: 2 }, { apiId }]) {
      const answer = await service.call("/key/validate", { key, requestId: "r", ...change });
      expect(answer).toMatchObject({ status: 409, body: { code: "failed_precondition" } });
    }
    expect((await service.ok("/consumer/details", { consumerId })).credits.used).toBe(1);
  });

  it("of one consumer is not that of another", async () => {
    const one = await createConsumerWithKey(service, { credits: { limit: 5 } });
    const two = await createConsumerWithKey(service, { credits: { limit: 5 } });
    for (const { key } of [one, two]) {
      expect((await service.ok("/key/validate", { key, requestId: "same" })).credits.used).toBe(1);
    }
  });

  it("of a denial is not remembered", async () => {
    const { key } = await createConsumerWithKey(service, { credits: { limit: 1 } });
    expect((await service.ok("/key/validate", { key, credits: 2, requestId: "d" })).code).toBe("USAGE_EXCEEDED");
    expect((await service.ok("/key/validate", { key, credits: 1, requestId: "d" })).code).toBe("VALID");
  });

  it("is answered as at first after the pool is empty", async () => {
    const { key } = await createConsumerWithKey(service, { credits: { limit: 1 } });
    const first = await service.ok("/key/validate", { key, requestId: "last" });
    expect((await service.ok("/key/validate", { key })).code).toBe("USAGE_EXCEEDED");
    expect(await service.ok("/key/validate", { key, requestId: "last" })).toEqual(first);
  });

  it("keeps 64 concurrent callers exact, without a failed call, beside others that send none", async () => {
    const { key, consumerId } = await createConsumerWithKey(service, { credits: { limit: 300 } });
    const codes: string[] = [];
    let left = 400;
    const caller = async () => {
      while (left > 0) {
        const call = left--;
        const id = call % 4 === 0 ? {} : { requestId: `call-${call}` };
        const { code } = await service.ok("/key/validate", { key, ...id });
        codes.push(code);
      }
    };
    await Promise.all(Array.from({ length: 64 }, caller));
    expect(codes.filter((code) => code === "VALID")).toHaveLength(300);
    expect(codes.filter((code) => code === "USAGE_EXCEEDED")).toHaveLength(100);
    expect((await service.ok("/consumer/details", { consumerId })).credits.used).toBe(300);
  });
});
