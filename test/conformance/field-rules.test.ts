import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ConsumerService } from "../../gen/keysvc/v1/consumer_pb.js";
import { KeyService } from "../../gen/keysvc/v1/key_pb.js";
import { ProjectService } from "../../gen/keysvc/v1/project_pb.js";
import { openClients } from "../harness/clients.ts";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { callAll, expectSameFault } from "./compare.ts";

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

/** Metadata of so many levels. */
function levels(count: number): JsonObject {
  return count === 1 ? { a: 1 } : { a: levels(count - 1) };
}

// Rules beyond those of single fields, and beyond what the table of methods breaks.
it.each<[string, JsonObject, string[]]>([
  ["a NUL in a key of metadata", { metadata: { "a\0b": 1 } }, ["metadata"]],
  ["33 levels of metadata", { metadata: levels(33) }, ["metadata"]],
  ["metadata of more than 64 kB", { metadata: { text: "x".repeat(65_536) } }, ["metadata"]],
  [
    "overage that is on and has no limit",
    { credits: { limit: 1, overage: { enabled: true } } },
    ["credits.overage.limit"],
  ],
  [
    "a pool that no JSON number could count",
    { credits: { limit: 2 ** 53 - 1, overage: { enabled: true, limit: 1 } } },
    ["credits.overage.limit"],
  ],
  [
    "carryover without a refill",
    { credits: { limit: 1, carryover: { enabled: true, max: 1 } } },
    ["credits.carryover"],
  ],
  ["an address that is none", { webhookUrl: "not an address" }, ["webhookUrl"]],
  ["faults beyond the hundredth", { tags: Array(150).fill("t".repeat(257)) }, tagFields(100)],
])("%s is refused for the same fields in every protocol", async (_title, request, fields) => {
  const told = expectSameFault(await callAll(open.clients, ConsumerService.method.create, request, PROJECT_KEY));
  expect(told).toMatchObject({ code: "invalid_argument", reason: "INVALID_REQUEST" });
  expect(told.fields.map(({ field }) => field)).toEqual(fields);
});

function tagFields(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `tags[${index}]`);
}

it.each<[DescMethod, JsonObject, string, string]>([
  [ConsumerService.method.create, { status: "deleted" }, "status", '"active", "disabled"'],
  [
    ProjectService.method.credentialCreate,
    { scopes: ["read", "operator"] },
    "scopes[1]",
    '"manage", "read", "validate", "ingest"',
  ],
])(
  "%s refuses a word that it excludes with those that it takes, in every protocol",
  async (method, request, field, words) => {
    const told = expectSameFault(await callAll(open.clients, method, request, PROJECT_KEY));
    expect(told.fields).toEqual([{ field, message: `must be one of ${words}` }]);
  },
);

it.each<[string, JsonObject, string]>([
  ["a consumer that does not exist", { consumerId: "consumer_none" }, "not_found"],
  ["a consumer whose id is of no form of ours", { consumerId: "\0🗝" }, "not_found"],
])("a key for %s is refused alike in every protocol", async (_title, request, code) => {
  const told = expectSameFault(await callAll(open.clients, KeyService.method.create, request, PROJECT_KEY));
  expect(told).toMatchObject({ code, reason: "NOT_FOUND", fields: [] });
});

it("an API that does not exist is refused by name in every protocol, whatever its letters", async () => {
  const { consumerId } = await service.ok("/consumer/create", {});
  const request = { consumerId, allowedApis: ["*", "api_ünknown 100%"] };
  const told = expectSameFault(await callAll(open.clients, KeyService.method.create, request, PROJECT_KEY));
  expect(told).toMatchObject({ code: "not_found", message: expect.stringContaining("api_ünknown 100%") });
});
