import { createConsumerWithKey, type TestService } from "../harness/service.ts";
import { type Receiver, untilTold } from "../harness/webhook-receiver.ts";
import { ROWS } from "./rows.ts";

/** What exists before the calls, for requests to name. */
export interface World {
  consumerId: string;
  /** Deleted already: it can be deleted by every protocol with the same answer. */
  deletedConsumerId: string;
  keyId: string;
  key: string;
  apiId: string;
  /** A plan that nobody holds. */
  planId: string;
  /** A call that was recorded, by its row. */
  recorded: { requestId: string; timestamp: string };
  /** A consumer with an address, and the last of two events that were delivered to it. */
  told: { consumerId: string; eventId: string };
}

/** Makes what the good requests name. */
export async function createWorld(service: TestService, receiver: Receiver): Promise<World> {
  const { apiId } = await service.ok("/api/create", { name: "the first API" });
  const { consumerId } = await service.ok("/consumer/create", ROWS["/consumer/create"]?.good({} as World));
  // Of a consumer without a rate limit: a check takes a token of it, and the next protocol would be told of one less.
  const { key, keyId } = await createConsumerWithKey(service, {
    ...{ name: "Zoë", metadata: { plan: { seats: 2 } }, tags: ["one"] },
    credits: { limit: 10, refill: { every: "30d", refillCredit: 10 } },
  });
  const { consumerId: deletedConsumerId } = await service.ok("/consumer/create", {});
  await service.ok("/consumer/delete", { consumerId: deletedConsumerId });
  const { planId } = await service.ok("/plan/create", { name: "the first plan", credits: { limit: 10 } });
  const recorded = await record(service, apiId);
  const told = await tell(service, receiver);
  return { consumerId, deletedConsumerId, key, keyId, apiId, planId, recorded, told };
}

async function tell(service: TestService, receiver: Receiver): Promise<World["told"]> {
  const { consumerId } = await createConsumerWithKey(service, { webhookUrl: receiver.url });
  await service.ok("/key/create", { consumerId });
  return { consumerId, eventId: await untilTold(service) };
}

/** Records calls of an hour ago, of which the first is the newest. */
async function record(service: TestService, apiId: string): Promise<World["recorded"]> {
  const atMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
  const event = { method: "GET", path: "/a?b=1", latencyMs: 1.5, apiId, userAgent: "curl", requestBody: "{}" };
  const events = [200, 404, 301, 500].map((statusCode, index) => ({
    ...{ ...event, statusCode, requestId: `req_recorded_${index}`, timestamp: atMs - index * 1_000 },
  }));
  await service.ok("/ingest", { events });
  const timestamp = new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
  return { requestId: "req_recorded_0", timestamp };
}
