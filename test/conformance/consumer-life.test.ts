import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ConsumerService } from "../../gen/keysvc/v1/consumer_pb.js";
import { openClients, type ProtocolClient } from "../harness/clients.ts";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

let service: TestService;
let open: ReturnType<typeof openClients>;
beforeAll(async () => {
  service = await startService();
  open = openClients(service);
});
afterAll(async () => {
  open.close();
  await service.close();
});

const { create, details, update, list, keys, delete: remove } = ConsumerService.method;
const refused = (code: string, field: string) => ({ ok: false, code, fields: [{ field }] });
const REFILL = { every: "7d", refillCredit: 2, refillPolicy: "add", carryover: { enabled: true, max: 1 } };
const FULL = {
  ...{ name: "a", imageUrl: "i", externalId: "e", tags: ["t"], metadata: { m: [1] }, rateLimit: { limit: 2 } },
  credits: { limit: 10, shadowLimit: 8, overage: { enabled: true, limit: 4 }, refill: REFILL },
};

/** What is done to a consumer with two keys, one after the other, and what must be told of it. */
const STEPS: [DescMethod, JsonObject, object][] = [
  [
    update,
    { name: null, tags: null, credits: { used: 12, shadowLimit: null }, rateLimit: { limit: 1 } },
    {
      response: { name: null, keysRestored: 0, credits: { used: 12, remaining: 0, overageUsed: 2, shadowLimit: null } },
    },
  ],
  [update, { credits: { limit: null } }, refused("invalid_argument", "credits.limit")],
  [update, { credits: { used: -1 } }, refused("invalid_argument", "credits.used")],
  [update, { planId: "plan_none" }, { ok: false, code: "not_found" }],
  [update, { status: "disabled" }, { response: { status: "disabled", keysRestored: 0 } }],
  [
    details,
    {},
    { response: { status: "disabled", tags: [], metadata: { m: [1] }, rateLimit: { limit: 1, window: 1 } } },
  ],
  [keys, {}, { response: { total: 2, credits: { limit: 10, used: 12, remaining: 0 } } }],
  [remove, {}, { response: { deleted: true, permanent: false, keysAffected: 2 } }],
  [remove, { permanent: false }, { response: { deleted: true, keysAffected: 0 } }],
  [details, {}, { response: { status: "deleted" } }],
  [update, { name: "x" }, { ok: false, code: "failed_precondition" }],
  [update, { status: "deleted" }, refused("invalid_argument", "status")],
  [update, { status: "active", credits: null }, { response: { status: "active", credits: null, keysRestored: 2 } }],
  [update, { status: "active" }, { response: { keysRestored: 0 } }],
  [update, { credits: { used: 1 } }, refused("invalid_argument", "credits.limit")],
  [keys, {}, { response: { total: 2, credits: null } }],
  [remove, { permanent: true }, { response: { deleted: true, permanent: true, keysAffected: 2 } }],
  ...[details, keys, remove].map((method): [DescMethod, JsonObject, object] => [method, {}, { code: "not_found" }]),
  [update, { status: "active" }, { ok: false, code: "not_found" }],
];

/** Makes every step by one client. Returns what it was told, without ids, keys and times, which are each client's own. */
async function live({ name, call }: ProtocolClient): Promise<object[]> {
  const told: object[] = [];
  const step = async (method: DescMethod, request: JsonObject): Promise<JsonObject> => {
    const { requestId: _id, ...outcome } = await call(method, request, PROJECT_KEY);
    told.push({ ...outcome, errorRequestId: undefined });
    return outcome.ok ? outcome.response : {};
  };
  const consumerId = String((await step(create, FULL)).consumerId);
  for (const enabled of [true, false]) await service.ok("/key/create", { consumerId, enabled });
  const { consumers } = await step(list, { search: consumerId });
  expect(consumers, name).toMatchObject([{ consumerId, apiKeyCount: 2, credits: { limit: 10 } }]);
  for (const [method, fields, expected] of STEPS) {
    await step(method, { consumerId, ...fields });
    expect(told.at(-1), `${method.name} ${JSON.stringify(fields)}, ${name}`).toMatchObject(expected);
  }
  const text = JSON.stringify(told)
    .replaceAll(/"sk_\w+"/g, '"<key>"')
    .replaceAll(/\b(key|consumer)_\w{10,}/g, "<$1>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/"(nextRefillAt|total)":\d+/g, '"$1":"<number>"');
  return JSON.parse(text);
}

it("the life of a consumer is told in the same words in every protocol, refusals too", {
  timeout: 60_000,
}, async () => {
  const lives = open.clients.map(async (client) => ({ name: client.name, told: await live(client) }));
  const [first, ...others] = await Promise.all(lives);
  for (const { name, told } of others) expect(told, name).toStrictEqual(first?.told);
  expect(first?.told).toHaveLength(STEPS.length + 2);
});
