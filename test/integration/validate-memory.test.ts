import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let other: TestService;
beforeAll(async () => {
  service = await startService();
  other = await startService({ KEYSVC_MONGODB_URI: service.databaseUri });
});
afterAll(async () => {
  await other.app.stop();
  await service.close();
});

const codeOn = async (node: TestService, request: object) => (await node.ok("/key/validate", request)).code as string;
const FOLLOWED_MS = 200;

describe("what is in memory", () => {
  it("follows a change of a consumer without credits and limit within 200 ms on every node", async () => {
    for (let round = 0; round < 5; round++) {
      const { key, consumerId } = await createConsumerWithKey(service);
      for (const node of [service, other]) expect(await codeOn(node, { key })).toBe("VALID");
      await service.ok("/consumer/update", { consumerId, status: "disabled" });
      await sleep(FOLLOWED_MS);
      for (const node of [service, other]) expect(await codeOn(node, { key })).toBe("CONSUMER_DISABLED");
      await service.ok("/consumer/update", { consumerId, status: "active" });
      await sleep(FOLLOWED_MS);
      for (const node of [service, other]) expect(await codeOn(node, { key })).toBe("VALID");
    }
  });

  it("lifts a refusal for want of credits within 200 ms of the change that brings some", async () => {
    for (let round = 0; round < 5; round++) {
      const { key, consumerId } = await createConsumerWithKey(service, { credits: { limit: 0 } });
      for (const node of [service, other]) expect(await codeOn(node, { key })).toBe("USAGE_EXCEEDED");
      await service.ok("/consumer/update", { consumerId, credits: { limit: 2 } });
      await sleep(FOLLOWED_MS);
      for (const node of [service, other]) expect(await codeOn(node, { key })).toBe("VALID");
    }
  });

  it("binds a consumer with credits to a restriction with the very next call on every node", async () => {
    for (let round = 0; round < 10; round++) {
      const { key, keyId, consumerId } = await createConsumerWithKey(service, { credits: { limit: 9 } });
      for (const node of [service, other]) expect(await codeOn(node, { key })).toBe("VALID");
      if (round % 2 === 0) {
        await service.ok("/key/update", { keyId, enabled: false });
        expect(await codeOn(other, { key })).toBe("KEY_DISABLED");
      } else {
        await service.ok("/consumer/update", { consumerId, credits: { limit: 2 } });
        expect(await codeOn(other, { key })).toBe("USAGE_EXCEEDED");
      }
    }
  });

  it("binds the very next call on the node that made a change, whatever was changed and however busy that node is", async () => {
    const { key, keyId, consumerId } = await createConsumerWithKey(service);
    const others = await Promise.all(Array.from({ length: 20 }, () => createConsumerWithKey(service)));
    const isOver = new AbortController();
    const busy = others.map(async (other) => {
      while (!isOver.signal.aborted) await codeOn(service, { key: other.key });
    });
    const codes: string[] = [];
    for (let round = 0; round < 30; round++) {
      await service.ok("/key/update", { keyId, enabled: false });
      codes.push(await codeOn(service, { key }));
      await service.ok("/key/update", { keyId, enabled: true });
      codes.push(await codeOn(service, { key }));
      await service.ok("/consumer/update", { consumerId, status: "disabled" });
      codes.push(await codeOn(service, { key }));
      await service.ok("/consumer/update", { consumerId, status: "active" });
      codes.push(await codeOn(service, { key }));
    }
    isOver.abort();
    await Promise.all(busy);
    const round = ["KEY_DISABLED", "VALID", "CONSUMER_DISABLED", "VALID"];
    expect(codes).toEqual(Array.from({ length: 30 }, () => round).flat());
  });

  it("ends with the expiry of a key and of a consumer, by the database's clock", async () => {
    const endMs = Date.now() + 6_000;
    const expiresAt = new Date(endMs).toISOString();
    const key = (await createConsumerWithKey(service, {}, { expiresAt })).key;
    const { consumerId, key: ofConsumer } = await createConsumerWithKey(service);
    await service.ok("/consumer/update", { consumerId, expiresAt });
    await sleep(FOLLOWED_MS);
    expect([await codeOn(service, { key }), await codeOn(service, { key: ofConsumer })]).toEqual(["VALID", "VALID"]);
    await sleep(Math.max(0, endMs - Date.now()) + 100);
    expect(await codeOn(service, { key })).toBe("KEY_EXPIRED");
    expect(await codeOn(service, { key: ofConsumer })).toBe("CONSUMER_EXPIRED");
  });
});

describe("a rate limit", () => {
  it("is in the headers of every answer, with Retry-After where it refuses", async () => {
    const { key } = await createConsumerWithKey(service, { rateLimit: { limit: 2, window: 3_600 } });
    const answers = [];
    for (let call = 0; call < 3; call++) answers.push(await service.call("/key/validate", { key }));
    const left = answers.map(({ headers }) => headers.get("ratelimit")?.replace(/;t=\d+$/, ""));
    expect(left).toEqual(['"consumer";r=1', '"consumer";r=0', '"consumer";r=0']);
    for (const { headers } of answers) expect(headers.get("ratelimit-policy")).toBe('"consumer";q=2;w=3600');
    const [first, , last] = answers;
    expect([first?.body.code, last?.body.code]).toEqual(["VALID", "RATE_LIMITED"]);
    expect(first?.headers.get("retry-after")).toBeNull();
    expect(last?.headers.get("retry-after")).toBe(String(last?.body.retryAfterSeconds));
    const seconds = Number(/t=(\d+)$/.exec(last?.headers.get("ratelimit") ?? "")?.[1]);
    expect(Math.abs(seconds - last?.body.retryAfterSeconds)).toBeLessThanOrEqual(1);
  });

  it("is in no header of a consumer that has none", async () => {
    const { key } = await createConsumerWithKey(service);
    const { headers } = await service.call("/key/validate", { key });
    expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([null, null]);
  });
});

it("a verdict under a requestId is not given again to a key whose consumer was deleted since", async () => {
  const { key, consumerId } = await createConsumerWithKey(service, { credits: { limit: 5 } });
  expect(await codeOn(service, { key, requestId: "kept" })).toBe("VALID");
  await service.ok("/consumer/delete", { consumerId });
  for (const node of [service, other]) expect(await codeOn(node, { key, requestId: "kept" })).toBe("NOT_FOUND");
});
