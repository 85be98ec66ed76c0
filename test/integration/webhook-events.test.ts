import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";
import {
  isGenuine,
  LOCAL_RECEIVERS,
  type Received,
  type Receiver,
  startReceiver,
} from "../harness/webhook-receiver.ts";

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService(LOCAL_RECEIVERS);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});
beforeEach(() => {
  receiver.received.length = 0;
});

const consumerWith = async (consumer: object) => {
  const made = await createConsumerWithKey(service, { webhookUrl: receiver.url, ...consumer });
  await receiver.until(1, of(made.consumerId, "key.created"));
  return made;
};
const of = (consumerId: string, type?: string) => (event: Received) =>
  event.body.data.consumerId === consumerId && (type === undefined || event.type === type);
const validate = (key: string, credits: number) => service.ok("/key/validate", { key, credits });
/** All events of a consumer once one has arrived, which are written with their causes, and have all arrived then. */
async function typesUntil(consumerId: string, type: string): Promise<string[]> {
  await receiver.until(1, of(consumerId, type));
  const { deliveries } = await service.ok("/webhook/deliveries", { consumerId, pageSize: 200 });
  await receiver.until(deliveries.length, of(consumerId));
  return receiver.received
    .filter(of(consumerId))
    .map((event) => event.type)
    .sort();
}

describe("an event", () => {
  it("has the form of Standard Webhooks, and its signature is verified by the public library", async () => {
    const { secret, previousValidUntil } = await service.ok("/webhook/secret/rotate", {});
    expect([secret, previousValidUntil]).toEqual([expect.stringMatching(/^whsec_/), null]);
    const { consumerId, keyId } = await consumerWith({ externalId: "ours" });
    const [event] = await receiver.until(1, of(consumerId));
    expect(event).toMatchObject({
      path: "/hook",
      body: {
        type: "key.created",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        data: { consumerId, externalId: "ours", keyId, name: null },
      },
      headers: { "content-type": "application/json", "webhook-id": expect.stringMatching(/^evt_\w{26}$/) },
    });
    expect(isGenuine(event as Received, secret)).toBe(true);
  });

  it("is sent for what happens to a key", async () => {
    const { consumerId, keyId } = await consumerWith({});
    await service.ok("/key/rotate", { keyId });
    await service.ok("/key/delete", { keyId });
    const sha256 = "ab".repeat(32);
    await service.ok("/key/import", { consumerId, keys: [{ sha256, name: "theirs" }] });
    await receiver.until(4, of(consumerId));
    const types = receiver.received.filter(of(consumerId)).map(({ type }) => type);
    expect(types.sort()).toEqual(["key.created", "key.created", "key.deleted", "key.rotated"]);
    expect(JSON.stringify(receiver.received)).not.toContain(sha256);
  });

  it("is sent for what happens to a consumer's status, and says from where to where", async () => {
    const { consumerId } = await consumerWith({});
    await service.ok("/consumer/update", { consumerId, status: "disabled" });
    await service.ok("/consumer/update", { consumerId, status: "disabled", name: "the same status" });
    await service.ok("/consumer/delete", { consumerId });
    await service.ok("/consumer/delete", { consumerId });
    await service.ok("/consumer/update", { consumerId, status: "active" });
    await service.ok("/consumer/delete", { consumerId, permanent: true });
    const events = (await receiver.until(5, of(consumerId))).filter(({ type }) => type !== "key.created");
    const byId = events.sort((one, other) => one.body.timestamp.localeCompare(other.body.timestamp));
    expect(byId.map(({ type, body: { data } }) => [type, data.status ?? data.permanent])).toEqual([
      ["consumer.status_changed", "disabled"],
      ["consumer.deleted", false],
      ["consumer.restored", "active"],
      ["consumer.deleted", true],
    ]);
  });

  it("is sent to nobody without a webhookUrl", async () => {
    const { consumerId, key } = await createConsumerWithKey(service, { credits: { limit: 2, shadowLimit: 1 } });
    await validate(key, 2);
    const { deliveries } = await service.ok("/webhook/deliveries", { consumerId });
    expect(deliveries).toEqual([]);
  });
});

describe("credits tell", () => {
  it("the threshold, their end and the overage once each, with the pool as it was then", async () => {
    const credits = { limit: 10, shadowLimit: 8, overage: { enabled: true, limit: 5 } };
    const { consumerId, key } = await consumerWith({ credits });
    for (const cost of [7, 1, 1, 1, 1, 1]) await validate(key, cost);
    const types = await typesUntil(consumerId, "consumer.credits.overage_started");
    expect(types).toEqual([
      "consumer.credits.exhausted",
      "consumer.credits.overage_started",
      "consumer.credits.threshold_reached",
      "key.created",
    ]);
    const [reached] = receiver.received.filter(of(consumerId, "consumer.credits.threshold_reached"));
    expect(reached?.body.data.credits).toEqual({
      ...{ limit: 10, used: 8, remaining: 2, overageUsed: 0, shadowLimit: 8, nextRefillAt: null },
    });
  });

  it("the threshold again after an update has taken the use below it, without a refill", async () => {
    const { consumerId, key } = await consumerWith({ credits: { limit: 10, shadowLimit: 5 } });
    await validate(key, 5);
    await service.ok("/consumer/update", { consumerId, credits: { used: 0 } });
    await validate(key, 6);
    await receiver.until(2, of(consumerId, "consumer.credits.threshold_reached"));
    await service.ok("/consumer/update", { consumerId, credits: { used: 10 } });
    expect(await typesUntil(consumerId, "consumer.credits.exhausted")).toHaveLength(4);
  });

  it("nothing more when an empty pool without overage is made smaller", async () => {
    const { consumerId, key } = await consumerWith({ credits: { limit: 10, shadowLimit: 8 } });
    await validate(key, 10);
    await service.ok("/consumer/update", { consumerId, credits: { limit: 5 } });
    expect(await typesUntil(consumerId, "consumer.credits.exhausted")).toEqual([
      "consumer.credits.exhausted",
      "consumer.credits.threshold_reached",
      "key.created",
    ]);
  });

  it("the threshold not again in a period of refills, whatever updates and plans do", async () => {
    const refill = { every: "1d", refillCredit: 10 };
    const { planId } = await service.ok("/plan/create", { name: "p", credits: { limit: 20, shadowLimit: 5, refill } });
    const { consumerId, key } = await consumerWith({ planId });
    await validate(key, 5);
    await service.ok("/consumer/update", { consumerId, credits: { used: 0 } });
    await validate(key, 6);
    await service.ok("/plan/update", { planId, credits: { limit: 6, shadowLimit: 3, refill }, applyToConsumers: true });
    expect(await typesUntil(consumerId, "consumer.credits.exhausted")).toEqual([
      "consumer.credits.exhausted",
      "consumer.credits.threshold_reached",
      "key.created",
    ]);
  });
});

describe("a rotated secret", () => {
  it("signs beside the one before it for the grace, and alone without one", async () => {
    const first = await service.ok("/webhook/secret/rotate", {});
    const second = await service.ok("/webhook/secret/rotate", { graceSeconds: 3_600 });
    expect(Date.parse(second.previousValidUntil)).toBeGreaterThan(Date.now() + 3_500_000);
    const genuineFor = async () => {
      const { consumerId } = await consumerWith({});
      const [event] = await receiver.until(1, of(consumerId));
      return (secret: string) => isGenuine(event as Received, secret);
    };
    const inGrace = await genuineFor();
    expect([first.secret, second.secret].map(inGrace)).toEqual([true, true]);
    const third = await service.ok("/webhook/secret/rotate", { graceSeconds: 0 });
    expect(third.previousValidUntil).toBeNull();
    const after = await genuineFor();
    expect([first.secret, second.secret, third.secret].map(after)).toEqual([false, false, true]);
  });
});
