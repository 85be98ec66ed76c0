import type { Message } from "@bufbuild/protobuf";
import { describe, expect, it, vi } from "vitest";
import { type GatewayMethod, methods, type Scope } from "../../gen/gateway.js";
import { ApiService } from "../../gen/keysvc/v1/api_pb.js";
import { ConsumerService } from "../../gen/keysvc/v1/consumer_pb.js";
import { KeyService, KeyServiceValidateRequestSchema } from "../../gen/keysvc/v1/key_pb.js";
import { ProjectService } from "../../gen/keysvc/v1/project_pb.js";
import { decodeJson } from "../gateway/decode-json.ts";
import type { Caller, Handlers } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";
import { createInvoker, type InvokerOptions } from "./invoke.ts";

const CREDENTIAL = "credential-0123456789";
const SECRET_DETAIL = "connection string with a password";

function method(path: string): GatewayMethod {
  const found = methods.find((candidate) => candidate.path === path);
  if (found === undefined) throw new Error(`no ${path}`);
  return found;
}

function callerWith(scopes: Scope[]): Caller {
  return { projectId: "project_1", credentialId: "credential_1", scopes: new Set(scopes), credential: CREDENTIAL };
}

/** An invoker with handlers of the tests', and a call of a JSON path on it. */
function setUp({ scopes = ["manage"], ...more }: Partial<InvokerOptions> & { scopes?: Scope[] } = {}) {
  const logFault = vi.fn<InvokerOptions["logFault"]>();
  const invoker = createInvoker({
    methods,
    authenticate: async (credential) => (credential === CREDENTIAL ? callerWith(scopes) : undefined),
    answerTimeoutMs: 1_000,
    classifyError: () => undefined,
    logFault,
    ...more,
  });
  const call = (
    path: string,
    json: unknown,
    authorization: string | undefined = `Bearer ${CREDENTIAL}`,
  ): Promise<Message> =>
    invoker.invoke(method(path), {
      requestId: "req_1",
      authorization,
      read: () => decodeJson(method(path).rpc.input, json),
    });
  return { invoker, call, logFault };
}

const validate = (handler: Handlers<typeof KeyService>["validate"]) => ({ ...(handler && { validate: handler }) });

describe("the credential", () => {
  it.each([
    ["absent", undefined, "MISSING_CREDENTIAL"],
    ["empty", "", "MISSING_CREDENTIAL"],
    ["of another scheme", `Basic ${CREDENTIAL}`, "WRONG_CREDENTIAL"],
    ["without its scheme", CREDENTIAL, "WRONG_CREDENTIAL"],
    ["only its scheme", "Bearer", "WRONG_CREDENTIAL"],
    ["of two words", `Bearer ${CREDENTIAL} x`, "WRONG_CREDENTIAL"],
    ["unknown", `Bearer ${CREDENTIAL}x`, "WRONG_CREDENTIAL"],
  ])("%s is refused before the request is read", async (_title, authorization, reason) => {
    const { invoker } = setUp();
    const read = vi.fn();
    const invocation = { requestId: "req_1", authorization, read };
    const fault = await invoker.invoke(method("/key/validate"), invocation).catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: "Fault", reason, status: 401 });
    expect(read).not.toHaveBeenCalled();
  });

  it.each([`bearer ${CREDENTIAL}`, `BEARER   ${CREDENTIAL}  `])("may be written %j", async (authorization) => {
    await expect(setUp().call("/key/validate", { key: "k" }, authorization)).rejects.toMatchObject({
      reason: "NOT_BUILT",
    });
  });

  it.each<[Scope, string, boolean]>([
    ["validate", "/key/validate", true],
    ["validate", "/consumer/details", false],
    ["read", "/consumer/details", true],
    ["read", "/consumer/keys", false],
    ["read", "/key/validate", false],
    ["ingest", "/ingest", true],
    ["manage", "/ingest", true],
    ["manage", "/key/validate", true],
    ["manage", "/project/create", false],
    ["operator", "/project/create", true],
    ["operator", "/consumer/create", false],
    ["operator", "/key/validate", false],
  ])("with the scope %s and the path %s may pass: %s", async (scope, path, mayPass) => {
    // An unknown field shows that the request was looked at.
    const call = setUp({ scopes: [scope] }).call(path, { bogus: 1 });
    await expect(call).rejects.toMatchObject(
      mayPass ? { reason: "INVALID_REQUEST" } : { reason: "SCOPE_MISSING", status: 403 },
    );
  });
});

describe("the request", () => {
  it("is refused with every field, unreadable ones and broken rules together", async () => {
    const call = setUp().call("/key/validate", { key: 5, credits: -1, requestId: "a b", bogus: 1 });
    await expect(call).rejects.toMatchObject({ reason: "INVALID_REQUEST", status: 400 });
    const fault = await call.catch((error: Fault) => error);
    const fields = fault instanceof Fault ? fault.fields.map(({ field }) => field) : [];
    expect(fields).toEqual(["key", "bogus", "credits", "requestId"]);
  });

  it("does not call a field missing that could not be read", async () => {
    const fault = await setUp()
      .call("/consumer/create", { credits: { limit: "5" } })
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({ fields: [{ field: "credits.limit", message: "must be a number" }] });
  });

  it("names every element of a list by its place in the request, behind one that could not be read too", async () => {
    const fault = await setUp()
      .call("/consumer/create", { tags: ["good", 1, "x".repeat(257)] })
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({
      fields: [
        { field: "tags[1]", message: "must be a string" },
        { field: "tags[2]", message: "must be at most 256 characters" },
      ],
    });
  });

  it("does not call a list empty whose elements could not be read", async () => {
    const fault = await setUp()
      .call("/key/validate/batch", { requests: [5] })
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({ fields: [{ field: "requests[0]", message: "must be an object" }] });
  });

  it("reaches no handler when it breaks a rule, and is checked before NOT_BUILT is said", async () => {
    const { invoker, call } = setUp();
    const handler = vi.fn();
    invoker.register(KeyService, validate(handler));
    await expect(call("/key/validate", {})).rejects.toMatchObject({ reason: "INVALID_REQUEST" });
    await expect(call("/consumer/details", {})).rejects.toMatchObject({ reason: "INVALID_REQUEST" });
    expect(handler).not.toHaveBeenCalled();
  });
});

describe("the handler", () => {
  it("gets the request, its id and the caller, and its answer is the response", async () => {
    const { invoker, call } = setUp();
    const handler = vi.fn<NonNullable<Handlers<typeof KeyService>["validate"]>>(async () => ({ requestId: "r" }));
    invoker.register(KeyService, validate(handler));
    expect(await call("/key/validate", { key: "k" })).toMatchObject({ requestId: "r", valid: false });
    const [request, given] = handler.mock.calls[0] ?? [];
    expect(request).toMatchObject({ $typeName: KeyServiceValidateRequestSchema.typeName, key: "k" });
    expect(given).toMatchObject({ requestId: "req_1", caller: callerWith(["manage"]) });
  });

  it("that is not there answers NOT_BUILT, and that is not logged", async () => {
    const { invoker, call, logFault } = setUp();
    invoker.register(ConsumerService, {});
    await expect(call("/consumer/list", {})).rejects.toMatchObject({ reason: "NOT_BUILT", status: 501 });
    expect(logFault).not.toHaveBeenCalled();
  });

  it("may refuse with a fault of its own, which is not logged", async () => {
    const { invoker, call, logFault } = setUp();
    const fault = new Fault("NOT_FOUND", "no such API");
    invoker.register(ApiService, { details: () => Promise.reject(fault) });
    await expect(call("/api/details", { apiId: "api_1" })).rejects.toBe(fault);
    expect(logFault).not.toHaveBeenCalled();
  });

  it.each<[string, unknown]>([
    ["an Error", new Error(SECRET_DETAIL)],
    ["a text", SECRET_DETAIL],
    ["undefined", undefined],
  ])(
    "that throws %s is an INTERNAL fault that shows nothing of it, and is logged with its cause",
    async (_t, thrown) => {
      const { invoker, call, logFault } = setUp({ scopes: ["operator"] });
      invoker.register(ProjectService, { create: () => Promise.reject(thrown) });
      const fault = await call("/project/create", { name: "n" }).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(Fault);
      expect(fault).toMatchObject({ reason: "INTERNAL", status: 500, fields: [] });
      const { detail, message } = fault as Fault;
      expect(`${detail} ${message}`).not.toContain(SECRET_DETAIL);
      expect(logFault).toHaveBeenCalledExactlyOnceWith(fault, "req_1", "/project/create");
      if (thrown !== undefined) expect(fault).toHaveProperty("cause", thrown);
    },
  );

  it("that throws what is known to mean an absent database is that fault, and is logged", async () => {
    const down = new Fault("DATABASE_UNAVAILABLE", "away", { retryAfterSeconds: 1 });
    const { invoker, call, logFault } = setUp({ classifyError: () => down });
    invoker.register(
      KeyService,
      validate(() => Promise.reject(new Error(SECRET_DETAIL))),
    );
    await expect(call("/key/validate", { key: "k" })).rejects.toBe(down);
    expect(logFault).toHaveBeenCalledExactlyOnceWith(down, "req_1", "/key/validate");
  });
});

it("a look-up of the credential that fails is no wrong credential", async () => {
  const { call } = setUp({ authenticate: () => Promise.reject(new Error(SECRET_DETAIL)) });
  await expect(call("/key/validate", { key: "k" })).rejects.toMatchObject({ reason: "INTERNAL" });
});

it("an answer that takes too long is DATABASE_UNAVAILABLE with a time to try again, whatever happens later", async () => {
  const { invoker, call } = setUp({ answerTimeoutMs: 20 });
  const late = Promise.withResolvers<never>();
  invoker.register(
    KeyService,
    validate(() => late.promise),
  );
  await expect(call("/key/validate", { key: "k" })).rejects.toMatchObject({
    reason: "DATABASE_UNAVAILABLE",
    status: 503,
    retryAfterSeconds: 1,
  });
  late.reject(new Error("late"));
  await new Promise((resolve) => setTimeout(resolve, 5));
});

it("a method that is not in the table has no row", () => {
  const { invoker } = setUp();
  expect(invoker.row(KeyService.method.validate)).toBe(method("/key/validate"));
  const empty = createInvoker({ ...setUpOptions(), methods: [] });
  expect(() => empty.row(KeyService.method.validate)).toThrow("keysvc.v1.KeyService.Validate");
});

function setUpOptions(): Omit<InvokerOptions, "methods"> {
  return {
    authenticate: async () => undefined,
    answerTimeoutMs: 1,
    classifyError: () => undefined,
    logFault: () => undefined,
  };
}
