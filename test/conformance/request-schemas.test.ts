import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { document } from "../../gen/openapi.js";
import { startService, type TestService } from "../harness/service.ts";

/* What the schemas of requests say and what the service does, where the rules of the proto files do not tell it alone. */

let service: TestService;
/** The ids of a consumer, a plan and an API, which each request has that needs them. */
let ids: { consumerId: string; planId: string; apiId: string };
beforeAll(async () => {
  service = await startService();
  const { consumerId } = await service.ok("/consumer/create", { credits: { limit: 5 } });
  const { planId } = await service.ok("/plan/create", { name: "gold" });
  const { apiId } = await service.ok("/api/create", { name: "orders" });
  ids = { consumerId, planId, apiId };
});
afterAll(() => service.close());

const ajv = new Ajv2020({
  strict: false,
  validateFormats: true,
  formats: { "date-time": /^\S+T\S+(Z|[+-]\d\d:\d\d)$/ },
});
ajv.addSchema({ $id: "openapi", ...document });

/** Whether the schema of a path takes a request. */
function isInSchema(path: string, request: object): boolean {
  const pointer = `#/paths/${path.replaceAll("/", "~1")}/post/requestBody/content/application~1json/schema`;
  return ajv.validate({ $ref: `openapi${pointer}` }, request) === true;
}

const CONSUMER = "/consumer/update";

describe.each<[string, "consumerId" | "planId" | "apiId" | undefined, object, boolean]>([
  [CONSUMER, "consumerId", { status: null }, false],
  [CONSUMER, "consumerId", { status: "deleted" }, false],
  [CONSUMER, "consumerId", { status: "disabled" }, true],
  [CONSUMER, "consumerId", { name: null, planId: null, credits: { used: null, refill: null, carryover: null } }, true],
  [CONSUMER, "consumerId", { credits: { limit: null } }, false],
  [CONSUMER, "consumerId", { credits: { limit: 9 } }, true],
  [CONSUMER, "consumerId", { expiresAt: "2030-01-01" }, true],
  [CONSUMER, "consumerId", { expiresAt: null }, true],
  ["/consumer/create", undefined, { expiresAt: "2030-01-01 12:00" }, true],
  ["/consumer/list", undefined, { status: "deleted" }, true],
  ["/plan/update", "planId", { name: null }, false],
  ["/plan/update", "planId", { name: "silver", credits: null, rateLimit: null }, true],
  ["/api/update", "apiId", { name: null }, false],
  ["/api/update", "apiId", { name: "invoices" }, true],
  ["/project/credential/create", undefined, { scopes: ["read", "read"] }, false],
  ["/project/credential/create", undefined, { scopes: ["read", "ingest"] }, true],
])("%s with %s and %j", (path, idName, fields, isGood) => {
  it("is taken or refused by the service as by the schema", async () => {
    const request = { ...(idName && { [idName]: ids[idName] }), ...fields };
    const { status } = await service.call(path, request);
    expect([isInSchema(path, request), status]).toEqual([isGood, isGood ? 200 : 400]);
  });
});
