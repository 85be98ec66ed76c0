import { afterAll, beforeAll, expect, it } from "vitest";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

/** The longest that a name may be, of characters of which each is six in JSON. */
const NAME = "\u0001".repeat(16_384);
const BATCH = 100;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it("a batch whose events are more than one document takes is settled, and so are calls of others beside it", async () => {
  const { consumerId, key } = await createConsumerWithKey(service, { name: NAME, credits: { limit: 1_000 } });
  const { apiId } = await service.ok("/api/create", { name: NAME });
  const other = await createConsumerWithKey(service, { credits: { limit: 1_000 } });
  const validates = { requests: Array.from({ length: BATCH }, () => ({ key, apiId })) };
  const [batch, ...beside] = await Promise.all([
    service.ok("/key/validate/batch", validates),
    ...Array.from({ length: 20 }, () => service.ok("/key/validate", { key: other.key })),
  ]);
  const codes = [...batch.results, ...beside].map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set(["VALID"]));
  const usedBy = async (id: string) => (await service.ok("/consumer/details", { consumerId: id })).credits.used;
  expect([await usedBy(consumerId), await usedBy(other.consumerId)]).toEqual([BATCH, 20]);
  const recorded = { source: "key_activity", timeRange: "1h", filters: { consumer: consumerId } };
  const countRecorded = async () => (await service.ok("/analytics/stats", recorded)).stats.totalRequests;
  await expect.poll(countRecorded).toBe(BATCH);
});
