import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectProblem } from "../harness/problem.ts";
import { readMetrics } from "../harness/read-metrics.ts";
import { ADMIN_KEY, startService, type TestService } from "../harness/service.ts";
import {
  isGenuine,
  LOCAL_RECEIVERS,
  type Received,
  type Receiver,
  startReceiver,
} from "../harness/webhook-receiver.ts";

const HOUR_MS = 3_600_000;

let service: TestService;
let receiver: Receiver;
let secret: string;
beforeAll(async () => {
  service = await startService(LOCAL_RECEIVERS);
  secret = (await service.ok("/webhook/secret/rotate", {})).secret;
});
afterAll(() => service.close());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

/** A consumer that one event is sent for: its key is created. */
async function oneEvent(webhookUrl = receiver.url): Promise<{ consumerId: string; keyId: string }> {
  const { consumerId } = await service.ok("/consumer/create", { webhookUrl });
  const { keyId } = await service.ok("/key/create", { consumerId });
  return { consumerId, keyId };
}

/** The one delivery of a consumer, once it is as expected. */
async function deliveryOf(consumerId: string, isReached: (delivery: Delivery) => boolean): Promise<Delivery> {
  for (;;) {
    const { deliveries } = await service.ok("/webhook/deliveries", { consumerId });
    if (deliveries.length === 1 && isReached(deliveries[0])) return deliveries[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
// biome-ignore lint/suspicious/noExplicitAny: as the service answers
type Delivery = any;
const isTried = ({ attempts }: Delivery) => attempts > 0;
const isDone = ({ status }: Delivery) => status !== "pending";

/** Attempts so far that delivered, that failed and are followed by another, and that were the last. */
async function countsOf(): Promise<number[]> {
  const metrics = await readMetrics(service.url);
  return ["delivered", "failed", "given_up"].map(
    (result) => metrics.get(`keysvc_webhook_deliveries_total{result="${result}"}`) ?? 0,
  );
}

describe("a receiver", () => {
  // The first, because receivers of the others may be tried again.
  it("is counted in the metrics, each attempt by what became of it", async () => {
    const before = await countsOf();
    receiver.behave(() => 410);
    await deliveryOf((await oneEvent()).consumerId, isDone);
    receiver.behave(() => 503);
    const { consumerId } = await oneEvent();
    await deliveryOf(consumerId, isTried);
    receiver.behave(() => 200);
    await deliveryOf(consumerId, isDone);
    // Counted when what became of it is written, which may be read a moment before.
    const grown = async () => (await countsOf()).map((count, index) => count - (before[index] ?? 0));
    await expect.poll(grown).toEqual([1, 1, 1]);
  });

  it("that takes an event gets it once, and the list says when", async () => {
    const { consumerId, keyId } = await oneEvent();
    const delivery = await deliveryOf(consumerId, isDone);
    expect(delivery).toEqual({
      ...{ eventId: receiver.received[0]?.id, type: "key.created", consumerId, url: receiver.url, status: "delivered" },
      data: { consumerId, externalId: null, keyId, name: null },
      ...{ attempts: 1, lastStatusCode: 200, lastError: null, nextAttemptAt: null },
      ...{ createdAt: receiver.received[0]?.body.timestamp, lastAttemptAt: expect.any(String) },
      deliveredAt: expect.any(String),
    });
    expect(receiver.received).toHaveLength(1);
  });

  it("that fails gets the event again, the same and newly signed, 5 s after the first time, give or take a tenth", async () => {
    receiver.behave((_event, response) => {
      response.writeHead(503).end("not\nnow");
      return undefined;
    });
    const { consumerId } = await oneEvent();
    const failed = await deliveryOf(consumerId, isTried);
    expect(failed).toMatchObject({ status: "pending", attempts: 1, lastStatusCode: 503, deliveredAt: null });
    expect(failed.lastError).toBe("it answered 503: not now");
    const afterMs = Date.parse(failed.nextAttemptAt) - Date.parse(failed.createdAt);
    expect(afterMs).toBeGreaterThanOrEqual(4_500);
    expect(afterMs).toBeLessThanOrEqual(5_500);
    receiver.behave(() => 200);
    const [first, second] = (await receiver.until(2)) as [Received, Received];
    expect([second.id, second.text]).toEqual([first.id, first.text]);
    expect(second.headers["webhook-timestamp"]).not.toBe(first.headers["webhook-timestamp"]);
    expect([first, second].map((event) => isGenuine(event, secret))).toEqual([true, true]);
    expect(await deliveryOf(consumerId, isDone)).toMatchObject({ status: "delivered", attempts: 2, lastError: null });
  });

  it("that redirects has failed, and nobody else is asked", async () => {
    receiver.behave((_event, response) => {
      response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
      return undefined;
    });
    const { consumerId } = await oneEvent();
    expect(await deliveryOf(consumerId, isTried)).toMatchObject({ status: "pending", lastStatusCode: 307 });
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook"]);
  });

  it("that answers 410 does not get the event again", async () => {
    receiver.behave(() => 410);
    const { consumerId } = await oneEvent();
    const given = await deliveryOf(consumerId, isDone);
    expect(given).toMatchObject({ status: "failed", attempts: 1, lastStatusCode: 410, nextAttemptAt: null });
  });

  it("that hangs is given up after 10 s, and keeps nobody else waiting meanwhile", async () => {
    receiver.behave(() => undefined);
    const { consumerId } = await oneEvent();
    const other = await startReceiver();
    // Many more than it has places, and at once: all that follows happens while the first of them are waited for.
    const keys = Array.from({ length: 40 }, () => ({ sha256: randomBytes(32).toString("hex") }));
    await service.ok("/key/import", { consumerId, keys });
    const { consumerId: otherId } = await oneEvent(other.url);
    expect(await deliveryOf(otherId, isDone)).toMatchObject({ status: "delivered" });
    const { deliveries } = await service.ok("/webhook/deliveries", { consumerId });
    expect(deliveries.map(({ attempts }: Delivery) => attempts)).toEqual(Array.from({ length: 41 }, () => 0));
    await other.close();
    const tried = await untilSomeTried(consumerId);
    expect(tried).toMatchObject({ lastStatusCode: null, lastError: "no answer within 10 s", status: "pending" });
    await service.ok("/consumer/delete", { consumerId, permanent: true });
  });

  async function untilSomeTried(consumerId: string): Promise<Delivery> {
    for (;;) {
      const { deliveries } = await service.ok("/webhook/deliveries", { consumerId });
      const tried = deliveries.find(isTried);
      if (tried !== undefined) return tried;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
});

it("an event whose receiver cannot be reached for an hour arrives then, in a form that can be verified", async () => {
  const settings = { ...LOCAL_RECEIVERS, KEYSVC_TEST_CLOCK_OFFSET_MS: "0" };
  const early = await startService(settings);
  const { port } = receiver;
  const { secret: own } = await early.ok("/webhook/secret/rotate", {});
  await receiver.close();
  const { consumerId } = await early.ok("/consumer/create", { webhookUrl: receiver.url, credits: { limit: 1 } });
  const { key } = await early.ok("/key/create", { consumerId });
  await early.ok("/key/validate", { key });
  let tried: Delivery[] = [];
  while (tried.length < 2) {
    const { deliveries } = await early.ok("/webhook/deliveries", { consumerId });
    tried = deliveries.filter(isTried);
  }
  expect(tried[0]).toMatchObject({ lastStatusCode: null, lastError: "the connection failed: ECONNREFUSED" });
  await early.app.stop();
  receiver = await startReceiver(port);
  const anHour = { KEYSVC_MONGODB_URI: early.databaseUri, KEYSVC_TEST_CLOCK_OFFSET_MS: String(HOUR_MS) };
  const late = await startService({ ...settings, ...anHour });
  const received = await receiver.until(2);
  expect(received.map(({ type }) => type).sort()).toEqual(["consumer.credits.exhausted", "key.created"]);
  expect(received.map((event) => isGenuine(event, own))).toEqual([true, true]);
  await late.close();
});

describe("a consumer's address", () => {
  it("is asked for at each attempt: what is on its way follows it, and ends without one", async () => {
    receiver.behave(() => 500);
    const [moved, removed] = await Promise.all([oneEvent(), oneEvent()]);
    await Promise.all([deliveryOf(moved.consumerId, isTried), deliveryOf(removed.consumerId, isTried)]);
    const other = await startReceiver();
    await service.ok("/consumer/update", { consumerId: moved.consumerId, webhookUrl: other.url });
    await service.ok("/consumer/update", { consumerId: removed.consumerId, webhookUrl: null });
    expect(await deliveryOf(moved.consumerId, isDone)).toMatchObject({ status: "delivered", url: other.url });
    const ended = { status: "failed", attempts: 1, lastError: "the consumer has no webhookUrl any more" };
    expect(await deliveryOf(removed.consumerId, isDone)).toMatchObject(ended);
    await other.close();
  });

  it("must lead to the public Internet: whatever is spelled otherwise is refused, and nothing is changed", async () => {
    const strict = await startService();
    const { consumerId } = await strict.ok("/consumer/create", { webhookUrl: "https://hooks.invalid/a" });
    for (const webhookUrl of [
      ...["http://127.0.0.1/", "http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/", "http://2130706433/"],
      ...["http://0x7f000001/", "http://0177.0.0.1/", "http://localhost/", "https://user:secret@example.com/"],
    ]) {
      expectProblem(await strict.call("/consumer/create", { webhookUrl }), 400, "invalid_argument", ["webhookUrl"]);
      const update = { consumerId, webhookUrl, tags: ["t"] };
      expectProblem(await strict.call("/consumer/update", update), 400, "invalid_argument", ["webhookUrl"]);
    }
    const unchanged = { webhookUrl: "https://hooks.invalid/a", tags: [] };
    expect(await strict.ok("/consumer/details", { consumerId })).toMatchObject(unchanged);
    await strict.close();
  });
});

it("what a deleted project was to be told is not sent any more", async () => {
  receiver.behave(() => 500);
  const { projectId, projectKey } = await service.ok("/project/create", { name: "short" }, ADMIN_KEY);
  const { consumerId } = await service.ok("/consumer/create", { webhookUrl: receiver.url }, projectKey);
  await service.ok("/key/create", { consumerId }, projectKey);
  await receiver.until(1);
  await service.ok("/project/delete", { projectId }, ADMIN_KEY);
  const other = await oneEvent();
  // The same attempts of another project come at the same times.
  await receiver.until(2, ({ body }) => body.data.consumerId === other.consumerId);
  expect(receiver.received.filter(({ body }) => body.data.consumerId === consumerId)).toHaveLength(1);
});
