import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { LOCAL_RECEIVERS, type Receiver, startReceiver, untilTold } from "../harness/webhook-receiver.ts";

let service: TestService;
let receiver: Receiver;
let consumerIds: string[];
/** Newest first. */
let eventIds: string[];
beforeAll(async () => {
  receiver = await startReceiver();
  // Those of the second consumer are not wanted.
  receiver.behave(({ body }) => (body.data.consumerId === consumerIds[1] ? 410 : 200));
  service = await startService(LOCAL_RECEIVERS);
  const webhookUrl = receiver.url;
  const made = [0, 1].map(async () => (await service.ok("/consumer/create", { webhookUrl })).consumerId);
  consumerIds = await Promise.all(made);
  for (let count = 0; count < 4; count++) {
    for (const consumerId of consumerIds) await service.ok("/key/create", { consumerId });
  }
  await service.ok("/consumer/update", { consumerId: consumerIds[0], status: "disabled" });
  await untilTold(service);
  eventIds = (await list({ pageSize: 200 })).deliveries.map(({ eventId }: { eventId: string }) => eventId);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const list = (request: object) => service.ok("/webhook/deliveries", request);
// biome-ignore lint/suspicious/noExplicitAny: as the service answers
const idsOf = ({ deliveries }: any): string[] => deliveries.map(({ eventId }: { eventId: string }) => eventId);
const audit = async (targetId: string) => (await service.ok("/audit/list", { targetId })).entries[0];

describe("/webhook/deliveries", () => {
  it("lists the newest first, page by page, each event once", async () => {
    const walked: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ pageSize: 2, ...(cursor && { cursor }) });
      walked.push(...idsOf(page));
      cursor = page.nextCursor;
    }
    expect(walked).toEqual(eventIds);
    expect(walked).toHaveLength(9);
    expect([...walked].sort().reverse()).toEqual(walked);
  });

  it("has filters for consumer, type and status, alone and together", async () => {
    const [consumerId, other] = consumerIds;
    const count = async (request: object) => (await list(request)).deliveries.length;
    expect(await count({ consumerId })).toBe(5);
    expect(await count({ type: "key.created" })).toBe(8);
    expect(await count({ status: "failed" })).toBe(4);
    expect(await count({ consumerId, status: "failed" })).toBe(0);
    expect(await count({ consumerId: other, type: "key.created", status: "failed" })).toBe(4);
    expect(await count({ consumerId: other, type: "consumer.status_changed" })).toBe(0);
    expect(await count({ consumerId: "consumer_x" })).toBe(0);
  });

  it("reads no delivery that it does not list, whatever its filters are", async () => {
    const client = await MongoClient.connect(service.databaseUri);
    const db = client.db();
    await db.setProfilingLevel("all");
    const [, consumerId] = consumerIds;
    const [type, status] = ["key.created", "failed"];
    const filters = [{}, { consumerId }, { type }, { status }, { consumerId, type }, { consumerId, status }];
    for (const filter of [...filters, { type, status }, { consumerId, type, status }]) {
      const { nextCursor: cursor } = await list({ ...filter, pageSize: 1 });
      await list({ ...filter, pageSize: 1, cursor });
    }
    await db.setProfilingLevel("off");
    const profiled = db.collection("system.profile").find({ ns: /webhook_deliveries$/, "command.limit": 2 });
    const reads = await profiled.toArray();
    await client.close();
    expect(reads).toHaveLength(16);
    for (const { docsExamined, nreturned, hasSortStage = false, command } of reads) {
      expect({ docsExamined, hasSortStage }, JSON.stringify(command)).toEqual({ docsExamined: 2, hasSortStage: false });
      expect(nreturned).toBe(2);
    }
  });

  it("refuses a cursor of another list, or one that was changed", async () => {
    const { nextCursor } = await list({ pageSize: 2, status: "failed" });
    for (const request of [{ cursor: nextCursor }, { cursor: `${nextCursor}a`, status: "failed" }, { cursor: "x" }]) {
      expectProblem(await service.call("/webhook/deliveries", request), 400, "invalid_argument", ["cursor"]);
    }
    expect(idsOf(await list({ cursor: nextCursor, status: "failed" }))).toHaveLength(2);
  });
});

describe("/webhook/replay", () => {
  it("sends an event again at once, with its id and what it said, and counts its attempts anew", async () => {
    const [eventId] = idsOf(await list({ consumerId: consumerIds[1] }));
    receiver.behave(() => 200);
    const [first] = receiver.received.filter(({ id }) => id === eventId);
    const replayed = await service.ok("/webhook/replay", { eventId });
    expect(replayed).toEqual({ eventId, status: "pending", nextAttemptAt: expect.stringMatching(/Z$/) });
    const [, second] = await receiver.until(2, ({ id }) => id === eventId);
    expect(second?.text).toBe(first?.text);
    await untilTold(service);
    const { deliveries } = await list({ consumerId: consumerIds[1], status: "delivered" });
    expect(deliveries).toMatchObject([{ eventId, attempts: 1 }]);
    expect(await audit(eventId ?? "")).toMatchObject({ action: "webhook.replay", after: { status: "pending" } });
  });

  it("goes to the address that the consumer has now; without one it is refused", async () => {
    const other = await startReceiver();
    const [consumerId] = consumerIds;
    const [eventId] = idsOf(await list({ consumerId }));
    await service.ok("/consumer/update", { consumerId, webhookUrl: other.url });
    await service.ok("/webhook/replay", { eventId });
    expect(await other.until(1)).toMatchObject([{ id: eventId }]);
    await service.ok("/consumer/update", { consumerId, webhookUrl: null });
    expectProblem(await service.call("/webhook/replay", { eventId }), 409, "failed_precondition");
    await other.close();
  });

  it("of an event that does not exist is 404", async () => {
    expectProblem(await service.call("/webhook/replay", { eventId: "evt_x" }), 404, "not_found");
  });
});

it("no key's value, credential or signing secret is in what is listed as delivered", async () => {
  const { secret } = await service.ok("/webhook/secret/rotate", {});
  const { consumerId } = await service.ok("/consumer/create", { webhookUrl: receiver.url });
  const { keyId, key } = await service.ok("/key/create", { consumerId });
  const rotated = await service.ok("/key/rotate", { keyId });
  const listed = JSON.stringify(await service.ok("/webhook/deliveries", { consumerId }));
  expect(listed).toContain("key.rotated");
  for (const value of [secret, key, rotated.key, PROJECT_KEY]) expect(listed).not.toContain(value);
});

it("/webhook/secret/rotate is in the audit log, and no secret is, nor one in clear in the database", async () => {
  const { secret } = await service.ok("/webhook/secret/rotate", { graceSeconds: 60 });
  const { entries } = await service.ok("/audit/list", {});
  expect(entries[0]).toMatchObject({
    action: "webhook.secret.rotate",
    after: { previousValidUntil: expect.stringMatching(/Z$/), rotatedAt: expect.stringMatching(/Z$/) },
  });
  expect(JSON.stringify(entries)).not.toContain(secret);
  const client = await MongoClient.connect(service.databaseUri);
  const stored = await client.db().collection("webhook_secrets").find().toArray();
  await client.close();
  expect(stored).toHaveLength(1);
  const bytes = Buffer.from(secret.slice("whsec_".length), "base64");
  for (const value of [stored[0]?.current.buffer, stored[0]?.previous.value.buffer]) {
    expect([value.includes(secret), value.includes(bytes), value.length > bytes.length]).toEqual([false, false, true]);
  }
});
