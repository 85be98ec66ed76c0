import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, type LaterNodes, openLaterNodes } from "../harness/later-nodes.ts";
import { patiently } from "../harness/patiently.ts";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let later: LaterNodes;
beforeAll(async () => {
  service = await startService();
  later = openLaterNodes(service);
});
afterAll(async () => {
  await later.stop();
  await service.close();
});

/** No test begins so shortly before the end of an hour that its windows could end under it. */
beforeEach(async () => {
  const leftMs = HOUR_MS - (Date.now() % HOUR_MS);
  if (leftMs < 8_000) await sleep(leftMs + 100);
});

/** After a change, what a node holds in memory is good for so long. */
const FOLLOWS_MS = 200;
const DAY = { window: 86_400 };
const HOUR = { window: 3_600 };

// Bodies of every shape.
// biome-ignore lint/suspicious/noExplicitAny: as said
const validate = (key: string, node = service): Promise<any> => node.ok("/key/validate", { key });

async function codes(key: string, count: number, node = service): Promise<string[]> {
  const codes: string[] = [];
  for (let call = 0; call < count; call++) codes.push((await validate(key, node)).code);
  return codes;
}

const setLimit = async (consumerId: string, rateLimit: object | null) => {
  await service.ok("/consumer/update", { consumerId, rateLimit });
};

describe("a rate limit", () => {
  it("binds a consumer without credits, over all of its keys", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { rateLimit: { limit: 2, ...DAY } });
    const { key: other } = await service.ok("/key/create", { consumerId });
    expect([await codes(key, 1), await codes(other, 1)].flat()).toEqual(["VALID", "VALID"]);
    const refused = await validate(other);
    expect(refused).toMatchObject({
      code: "RATE_LIMITED",
      credits: null,
      rateLimit: { limit: 2, remaining: 0, ...DAY },
    });
    expect(refused.retryAfterSeconds).toBeGreaterThan(0);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(86_400);
  });

  it("says when its window ends, in windows that begin with the epoch", async () => {
    const { key } = await createConsumerWithKey(service, { rateLimit: { limit: 5, ...HOUR } });
    const { rateLimit } = await validate(key);
    expect(rateLimit).toEqual({ limit: 5, ...HOUR, remaining: 4, resetAt: expect.any(Number) });
    expect(rateLimit.resetAt % 3_600_000).toBe(0);
    expect(rateLimit.resetAt - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect(rateLimit.resetAt).toBeGreaterThan(Date.now());
  });

  it("is whole again in the next window", async () => {
    const { key } = await createConsumerWithKey(service, { rateLimit: { limit: 1, ...DAY } });
    expect(await codes(key, 2)).toEqual(["VALID", "RATE_LIMITED"]);
    expect(await codes(key, 2, await later.after(DAY_MS))).toEqual(["VALID", "RATE_LIMITED"]);
  });

  it("of a second passes each second anew", async () => {
    const { key } = await createConsumerWithKey(service, { rateLimit: { limit: 1 } });
    const { rateLimit } = await validate(key);
    await sleep(Math.max(0, rateLimit.resetAt - Date.now()) + 20);
    expect((await validate(key)).code).toBe("VALID");
  });

  it("keeps the count of the running window when only its limit changes", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { rateLimit: { limit: 3, ...DAY } });
    expect(await codes(key, 2)).toEqual(["VALID", "VALID"]);
    await setLimit(consumerId, { limit: 2, ...DAY });
    expect(await codes(key, 1)).toEqual(["RATE_LIMITED"]);
    await setLimit(consumerId, { limit: 4, ...DAY });
    await sleep(FOLLOWS_MS);
    expect(await codes(key, 3)).toEqual(["VALID", "VALID", "RATE_LIMITED"]);
  });

  it("counts anew when its window changes", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { rateLimit: { limit: 1, ...DAY } });
    expect(await codes(key, 2)).toEqual(["VALID", "RATE_LIMITED"]);
    await setLimit(consumerId, { limit: 1, ...HOUR });
    await sleep(FOLLOWS_MS);
    expect(await codes(key, 2)).toEqual(["VALID", "RATE_LIMITED"]);
  });

  it("is lifted by null, and binds again with the next one", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, {
      ...{ rateLimit: { limit: 1, ...DAY }, credits: { limit: 100 } },
    });
    expect(await codes(key, 2)).toEqual(["VALID", "RATE_LIMITED"]);
    await setLimit(consumerId, null);
    await sleep(FOLLOWS_MS);
    expect(await codes(key, 3)).toEqual(["VALID", "VALID", "VALID"]);
    expect((await validate(key)).rateLimit).toBe(null);
    await setLimit(consumerId, { limit: 1, ...HOUR });
    expect(await codes(key, 2)).toEqual(["VALID", "RATE_LIMITED"]);
  });

  it("reaches a consumer that had no limits at all within 200 ms", async () => {
    const { consumerId, key } = await createConsumerWithKey(service);
    expect(await codes(key, 5)).toEqual(Array(5).fill("VALID"));
    await setLimit(consumerId, { limit: 2, ...DAY });
    await sleep(FOLLOWS_MS);
    expect(await codes(key, 3)).toEqual(["VALID", "VALID", "RATE_LIMITED"]);
  });

  it("is not touched by changes of anything else", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { rateLimit: { limit: 2, ...DAY } });
    expect(await codes(key, 1)).toEqual(["VALID"]);
    const { keyId } = await service.ok("/key/create", { consumerId });
    await service.ok("/consumer/update", { consumerId, name: "x", metadata: { a: 1 }, credits: { limit: 50 } });
    await service.ok("/key/delete", { keyId });
    await service.ok("/consumer/update", { consumerId, rateLimit: { limit: 2, ...DAY } });
    await sleep(FOLLOWS_MS);
    expect(await codes(key, 2)).toEqual(["VALID", "RATE_LIMITED"]);
  });

  it("lets as many through as it says, however many callers there are on however many nodes", async () => {
    const { key } = await createConsumerWithKey(service, { rateLimit: { limit: 40, ...DAY } });
    const other = await later.after(0);
    const calls = Array.from({ length: 100 }, (_, call) =>
      patiently(() => (call % 2 === 0 ? service : other).call("/key/validate", { key })),
    );
    const codes = (await Promise.all(calls)).map(({ status, body }) => `${status} ${body.code}`).sort();
    expect(codes).toEqual([...Array(60).fill("200 RATE_LIMITED"), ...Array(40).fill("200 VALID")]);
  });
});
