import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { enums } from "../../gen/gateway.js";
import { KeyService } from "../../gen/keysvc/v1/key_pb.js";
import { openClients } from "../harness/clients.ts";
import { createConsumerWithKey, PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { callAll, expectSameResponse } from "./compare.ts";

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

const PAST = "2020-01-31T12:00:00Z";
const REQUEST_ID = { requestId: /^req_\w+$/ };
/** One window for all protocols; the seconds to its end may pass while they call. */
const DAY_LIMIT = { limit: 1, window: 86_400 };

interface Case {
  code: string;
  consumer?: JsonObject;
  key?: JsonObject;
  request?: JsonObject;
  /** Calls before, which use something up. */
  before?: number;
  volatile?: Record<string, RegExp>;
}

// No call of these changes what the next one is told: denials cost nothing, and neither does a check.
const cases: Case[] = [
  { code: "VALID", consumer: { name: "Zoë", metadata: { a: [1, { b: null }] }, tags: ["t"], externalId: "x" } },
  {
    code: "VALID",
    consumer: { credits: { limit: 2 ** 53 - 1, refill: { every: "30d", refillCredit: 1 } } },
    request: { credits: 0 },
  },
  { code: "VALID", request: { credits: 2 ** 53 - 1, endpoint: "/e", method: "GET", clientIp: "::1", country: "NL" } },
  { code: "NOT_FOUND", request: { key: "garbage" } },
  { code: "NOT_FOUND", request: { key: "sk_000000000000000000000000000000000", apiId: "api_unknown" } },
  { code: "NOT_FOUND", request: { key: "\0🗝".repeat(1_000) } },
  { code: "KEY_DISABLED", key: { enabled: false } },
  { code: "KEY_EXPIRED", key: { expiresAt: PAST } },
  { code: "CONSUMER_DISABLED", consumer: { status: "disabled" } },
  { code: "CONSUMER_EXPIRED", consumer: { expiresAt: PAST } },
  { code: "API_NOT_ALLOWED", request: { apiId: "api_unknown" } },
  {
    code: "RATE_LIMITED",
    consumer: { rateLimit: DAY_LIMIT },
    before: 1,
    volatile: { retryAfterSeconds: /^[1-9]\d*$/ },
  },
  { code: "USAGE_EXCEEDED", consumer: { credits: { limit: 3 } }, request: { credits: 4 } },
  { code: "USAGE_EXCEEDED", consumer: { credits: { limit: 1, overage: { enabled: true, limit: 1 } } }, before: 2 },
  { code: "USAGE_EXCEEDED", consumer: { credits: { limit: 5, expiresAt: 1_000 } }, request: { credits: 0 } },
];

it("every verdict is among the cases", () => {
  const words = enums["keysvc.v1.VerdictCode"]?.filter((word) => word !== null);
  expect(new Set(cases.map(({ code }) => code))).toEqual(new Set(words));
});

it.each(cases)(
  "$code is the same answer in every protocol: consumer $consumer, key $key, request $request",
  async (row) => {
    const { key } = await createConsumerWithKey(service, row.consumer, row.key);
    for (let call = 0; call < (row.before ?? 0); call++) {
      expect(await service.ok("/key/validate", { key })).toMatchObject({ valid: true });
    }
    const outcomes = await callAll(open.clients, KeyService.method.validate, { key, ...row.request }, PROJECT_KEY);
    const answer = expectSameResponse(outcomes, { ...REQUEST_ID, ...row.volatile });
    expect(answer).toMatchObject({ code: row.code, valid: row.code === "VALID" });
  },
);

it("all protocols draw from one pool, and the last credit is given once", async () => {
  const credits = open.clients.length - 1;
  const { key, consumerId } = await createConsumerWithKey(service, { credits: { limit: credits } });
  const outcomes = await callAll(open.clients, KeyService.method.validate, { key }, PROJECT_KEY);
  const codes = [...outcomes.values()].map((outcome) => (outcome.ok ? outcome.response.code : outcome.reason));
  expect(codes.filter((code) => code === "VALID")).toHaveLength(credits);
  expect(codes.filter((code) => code === "USAGE_EXCEEDED")).toHaveLength(1);
  const details = await service.ok("/consumer/details", { consumerId });
  expect(details.credits).toMatchObject({ used: credits, remaining: 0 });
});

it("a request id of the caller comes back as it was sent, in every protocol", async () => {
  const { key } = await createConsumerWithKey(service);
  const requestId = "caller's#1~!";
  const outcomes = await callAll(open.clients, KeyService.method.validate, { key, requestId }, PROJECT_KEY);
  expect(expectSameResponse(outcomes, {})).toMatchObject({ code: "VALID", requestId });
});
