import { createConsumerWithKey, type TestService } from "../harness/service.ts";
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
}

/** Makes what the good requests name. */
export async function createWorld(service: TestService): Promise<World> {
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
  return { consumerId, deletedConsumerId, key, keyId, apiId, planId };
}
