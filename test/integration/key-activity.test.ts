import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";
import { untilDrained } from "../harness/until-drained.ts";

const TRAFFIC = { endpoint: "/v1/x", method: "GET", clientIp: "::1", userAgent: "curl", country: "DE", region: "BE" };

/** Events of a service, once they are drained, by their requestId. */
async function eventsOf({ databaseUri }: TestService): Promise<Map<string, Document>> {
  const client = await MongoClient.connect(databaseUri);
  await untilDrained(client.db());
  const found = await client.db().collection("key_activity").find().toArray();
  await client.close();
  const events = new Map(found.map((event) => [event.requestId, event]));
  // Each exactly once.
  expect(events.size).toBe(found.length);
  return events;
}

describe("key_activity", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it("has one event of every verdict, denials included, with what was called and what was charged", async () => {
    const { apiId } = await service.ok("/api/create", { name: "Orders" });
    const consumer = { name: "Zoë", credits: { limit: 5 } };
    const { key, keyId, consumerId } = await createConsumerWithKey(service, consumer);
    const unlimited = await createConsumerWithKey(service, {}, { enabled: false });
    const ask = async (request: object) => (await service.ok("/key/validate", request)).requestId as string;
    const valid = await ask({ key, apiId, credits: 3, ...TRAFFIC });
    const denied = await ask({ key, credits: 3 });
    const again = [await ask({ key, requestId: "once" }), await ask({ key, requestId: "twice" })];
    expect((await service.ok("/key/validate", { key, requestId: "once" })).code).toBe("VALID");
    const disabled = await ask({ key: unlimited.key });
    const unknown = await ask({ key: "no key of ours, but long" });
    const client = await MongoClient.connect(service.databaseUri);
    await untilDrained(client.db());
    const all = await client.db().collection("key_activity").find({ requestId: "once" }).toArray();
    expect(all.map(({ creditsCharged }) => creditsCharged).sort()).toEqual([0, 1]);
    const found = await client.db().collection("key_activity").find().toArray();
    await client.close();
    expect(found).toHaveLength(7);
    const events = new Map(found.map((event) => [event.requestId, event]));
    const ofKey = { consumerId, consumerName: "Zoë", keyId, apiKey: `********${key.slice(-6)}` };
    expect(events.get(valid)).toMatchObject({
      ...{ code: "VALID", statusCode: 200, creditsCharged: 3, creditsRemaining: 2 },
      ...{ ...ofKey, ...TRAFFIC, apiId, apiName: "Orders" },
    });
    const usage = { code: "USAGE_EXCEEDED", statusCode: 429, creditsCharged: 0, creditsRemaining: 2, ...ofKey };
    expect(events.get(denied)).toMatchObject(usage);
    expect(events.get(again[1] ?? "")).toMatchObject({ code: "VALID", creditsRemaining: 0 });
    expect(events.get(disabled)).toMatchObject({ code: "KEY_DISABLED", statusCode: 403, creditsRemaining: null });
    expect(events.get(unknown)).toMatchObject({ code: "NOT_FOUND", statusCode: 401, apiKey: "********t long" });
    expect(Object.keys(events.get(unknown) ?? {})).not.toContain("consumerId");
  });

  it("is durable before the answer: the event is in the journal or drained when the caller has the verdict", async () => {
    const { key } = await createConsumerWithKey(service, { name: "now" });
    const client = await MongoClient.connect(service.databaseUri);
    for (let call = 0; call < 20; call++) {
      const { requestId } = await service.ok("/key/validate", { key });
      const journaled = await client
        .db()
        .collection("journal")
        .countDocuments({ events: { $regex: requestId } });
      const drained = await client.db().collection("key_activity").countDocuments({ requestId });
      expect(journaled + drained).toBeGreaterThan(0);
    }
    await client.close();
  });

  it("has one event of each request of a batch, and answers them in their order", async () => {
    const { key } = await createConsumerWithKey(service, { credits: { limit: 2 } });
    const requests = [{ key }, { key: "garbage" }, { key }, { key }, { key, credits: 0 }];
    const { results } = await service.ok("/key/validate/batch", { requests });
    const codes = results.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(["VALID", "NOT_FOUND", "VALID", "USAGE_EXCEEDED", "VALID"]);
    expect(results[2].credits.remaining).toBe(0);
    const events = await eventsOfBatch(results);
    expect(events.map(({ code }) => code)).toEqual(codes);
  });

  async function eventsOfBatch(results: { requestId: string }[]): Promise<Document[]> {
    const client = await MongoClient.connect(service.databaseUri);
    await untilDrained(client.db());
    const find = ({ requestId }: { requestId: string }) =>
      client.db().collection("key_activity").findOne({ requestId });
    const events = await Promise.all(results.map(find));
    await client.close();
    return events.map((event) => event ?? {});
  }

  it("fails a batch of which a requestId was used for another call, and says so", async () => {
    const { key, consumerId } = await createConsumerWithKey(service, { credits: { limit: 9 } });
    await service.ok("/key/validate", { key, requestId: "used" });
    const requests = [{ key }, { key, requestId: "used", credits: 2 }];
    const { status, body } = await service.call("/key/validate/batch", { requests });
    expect([status, body.detail]).toEqual([409, expect.stringContaining("requests[1].requestId")]);
    expect((await service.ok("/consumer/details", { consumerId })).credits.used).toBe(2);
  });
});

it("buffered: verdicts do not wait for their events, which are there soon", async () => {
  const service = await startService({ KEYSVC_ACTIVITY: "buffered" });
  const { key } = await createConsumerWithKey(service, { credits: { limit: 1 } });
  const unlimited = await createConsumerWithKey(service);
  const ids: string[] = [];
  for (const value of [key, key, unlimited.key]) {
    ids.push((await service.ok("/key/validate", { key: value })).requestId);
  }
  const recorded = async () => [...(await eventsOf(service)).keys()].sort();
  await expect.poll(recorded).toEqual(ids.sort());
  await service.close();
});

it("buffered events that wait are written when the service stops", async () => {
  const service = await startService({ KEYSVC_ACTIVITY: "buffered" });
  const { key } = await createConsumerWithKey(service);
  const { requestId } = await service.ok("/key/validate", { key });
  await service.app.stop();
  const client = await MongoClient.connect(service.databaseUri);
  const journaled = await client
    .db()
    .collection("journal")
    .countDocuments({ events: { $regex: requestId } });
  const drained = await client.db().collection("key_activity").countDocuments({ requestId });
  expect(journaled + drained).toBe(1);
  await client.db().dropDatabase();
  await client.close();
});

it("NOT_FOUND verdicts can be counted instead of kept, all others are kept", async () => {
  const service = await startService({ KEYSVC_ACTIVITY_NOT_FOUND: "count" });
  const { key } = await createConsumerWithKey(service);
  const deleted = await createConsumerWithKey(service);
  await service.ok("/consumer/delete", { consumerId: deleted.consumerId });
  for (let call = 0; call < 5; call++) await service.ok("/key/validate", { key: `garbage ${call}` });
  expect((await service.ok("/key/validate", { key: deleted.key })).code).toBe("NOT_FOUND");
  await service.ok("/key/validate", { key });
  const eventsWith = async (code: string) =>
    [...(await eventsOf(service)).values()].filter((event) => event.code === code);
  const counted = async () =>
    (await eventsWith("NOT_FOUND")).map(({ count }) => count ?? 1).reduce((sum, count) => sum + count, 0);
  // They are handed on twice a second.
  await expect.poll(counted).toBe(6);
  const notFound = await eventsWith("NOT_FOUND");
  expect(notFound.length).toBeLessThan(6);
  // Not 0, which would take part in every mean.
  expect(notFound.every(({ latencyMs }) => latencyMs > 0)).toBe(true);
  expect(await eventsWith("VALID")).toHaveLength(1);
  await service.close();
});
