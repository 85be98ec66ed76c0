import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayMethod, methods } from "../../gen/gateway.js";
import { openClients } from "../harness/clients.ts";
import { ADMIN_KEY, PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { LOCAL_RECEIVERS, type Receiver, startReceiver } from "../harness/webhook-receiver.ts";
import { callAll, expectSameFault, expectSameResponse } from "./compare.ts";
import type { Row } from "./row.ts";
import { ROWS } from "./rows.ts";
import { createWorld, type World } from "./world.ts";

let service: TestService;
let open: ReturnType<typeof openClients>;
let world: World;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ KEYSVC_ANALYTICS_RATE: "100000", ...LOCAL_RECEIVERS });
  open = openClients(service);
  world = await createWorld(service, receiver);
});
afterAll(async () => {
  open.close();
  await service.close();
  await receiver.close();
});

const cases = methods.map((method) => ({ ...method, row: ROWS[method.path] }));

/** The credential that may call a method, and one that may not. */
const rightful = ({ scope }: GatewayMethod) => (scope === "operator" ? ADMIN_KEY : PROJECT_KEY);
const foreign = ({ scope }: GatewayMethod) => (scope === "operator" ? PROJECT_KEY : ADMIN_KEY);

it("every method has a row, and every row a method", () => {
  expect(Object.keys(ROWS).sort()).toEqual(methods.map(({ path }) => path).sort());
  expect(methods.length).toBeGreaterThan(40);
});

describe.each(cases)("$path", (method) => {
  // The test above names a method that has none.
  const row = method.row as Row;

  it.each([
    ["without a credential", () => undefined, "unauthenticated", "MISSING_CREDENTIAL"],
    [
      "with a wrong credential",
      () => "a credential that is nobody's".replaceAll(" ", "-"),
      "unauthenticated",
      "WRONG_CREDENTIAL",
    ],
    ["with a credential that must not call it", () => foreign(method), "permission_denied", "SCOPE_MISSING"],
  ])("%s every protocol gives the same refusal", async (_title, credential, code, reason) => {
    const told = expectSameFault(await callAll(open.clients, method.rpc, row.good(world), credential()));
    expect(told).toMatchObject({ code, reason, fields: [], retryAfter: undefined });
  });

  it("a refusal comes before the field rules: a stranger learns nothing of them", async () => {
    const told = expectSameFault(await callAll(open.clients, method.rpc, row.broken.request, undefined));
    expect(told).toMatchObject({ code: "unauthenticated", fields: [] });
  });

  it("a request that breaks field rules is refused for the same fields in every protocol", async () => {
    const told = expectSameFault(await callAll(open.clients, method.rpc, row.broken.request, rightful(method)));
    expect(told).toMatchObject({ code: "invalid_argument", reason: "INVALID_REQUEST" });
    expect(told.fields.map(({ field }) => field)).toEqual(row.broken.fields);
    expect(told.fields.every(({ message }) => message !== "")).toBe(true);
  });

  it("a good request gets the same response in every protocol", async () => {
    const { fresh } = row;
    const request = fresh === undefined ? row.good(world) : () => fresh(service, world);
    const outcomes = await callAll(open.clients, method.rpc, request, rightful(method));
    expect(Object.keys(expectSameResponse(outcomes, row.volatile)).length).toBeGreaterThan(0);
  });
});
