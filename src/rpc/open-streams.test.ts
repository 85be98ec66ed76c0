import type { Message } from "@bufbuild/protobuf";
import { describe, expect, it, vi } from "vitest";
import { type GatewayMethod, methods } from "../../gen/gateway.js";
import { AnalyticsService } from "../../gen/keysvc/v1/analytics_pb.js";
import { decodeJson } from "../gateway/decode-json.ts";
import type { Caller, Handlers, StreamCall } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";
import { createInvoker, type InvokerOptions } from "./invoke.ts";

const CREDENTIAL = "credential-0123456789";
const TAIL = "/analytics/logs/tail";
const EXPORT = "/analytics/logs/export";
const CALLER: Caller = {
  projectId: "project_1",
  credentialId: "credential_1",
  scopes: new Set(["read"]),
  credential: CREDENTIAL,
};

function rowOf(path: string): GatewayMethod {
  const found = methods.find((candidate) => candidate.path === path);
  if (found === undefined) throw new Error(`no ${path}`);
  return found;
}

/** An invoker with handlers of the tests', and a way to open streams on it. */
function setUp(handlers: Handlers<typeof AnalyticsService>, options: Partial<InvokerOptions> = {}) {
  const logFault = vi.fn<InvokerOptions["logFault"]>();
  const invoker = createInvoker({
    methods,
    authenticate: (credential) => (credential === CREDENTIAL ? CALLER : undefined),
    answerTimeoutMs: 1_000,
    classifyError: () => undefined,
    logFault,
    ...options,
  });
  invoker.register(AnalyticsService, handlers);
  const leaving = new AbortController();
  const open = (path: string, json: unknown = { source: "key_activity" }, authorization = `Bearer ${CREDENTIAL}`) =>
    invoker.open(rowOf(path), {
      requestId: "req_1",
      authorization,
      read: () => decodeJson(rowOf(path).rpc.input, json),
      left: leaving.signal,
    });
  return { invoker, open, leaving, logFault };
}

async function collect(messages: AsyncIterable<Message>): Promise<Message[]> {
  const all: Message[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

const requestIdOf = (message: Message) => Reflect.get(Reflect.get(message, "row"), "requestId");

async function* rows(count: number) {
  for (let index = 0; index < count; index++) yield { row: { requestId: `req_${index}` } };
}

/** Gives one row and waits then, as a tail does. */
async function* waiting({ signal }: StreamCall) {
  yield { row: { requestId: "first" } };
  await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

describe("a stream", () => {
  it("is what the handler gives, as messages of the method", async () => {
    const { open } = setUp({ logsExport: async () => rows(3) });
    const messages = await collect(await open(EXPORT));
    expect(messages.map(requestIdOf)).toEqual(["req_0", "req_1", "req_2"]);
    expect(messages[0]).toMatchObject({ $typeName: "keysvc.v1.AnalyticsServiceLogsExportResponse" });
  });

  it.each<[string, unknown, string | undefined, string]>([
    ["a stranger", { source: "key_activity" }, "Bearer nobody", "WRONG_CREDENTIAL"],
    ["nobody", { source: "key_activity" }, "", "MISSING_CREDENTIAL"],
    ["a request that breaks a rule", { pageSize: 5 }, undefined, "INVALID_REQUEST"],
  ])("is refused to %s before the handler is asked", async (_title, json, authorization, reason) => {
    const handler = vi.fn();
    const { open } = setUp({ logsExport: handler });
    await expect(open(EXPORT, json, authorization)).rejects.toMatchObject({ reason });
    expect(handler).not.toHaveBeenCalled();
  });

  it("of a method that has no handler is NOT_BUILT", async () => {
    const { open, logFault } = setUp({ logsExport: async () => rows(1) });
    await expect(open(TAIL)).rejects.toMatchObject({ reason: "NOT_BUILT" });
    expect(logFault).not.toHaveBeenCalled();
  });

  it("that the handler does not accept is the handler's fault, before there is a stream", async () => {
    const { open } = setUp({ logsExport: () => Promise.reject(new Fault("NOT_FOUND", "no such thing")) });
    await expect(open(EXPORT)).rejects.toMatchObject({ reason: "NOT_FOUND" });
  });

  it("that is not accepted in time is given up, and what comes of it later is closed", async () => {
    const late = Promise.withResolvers<AsyncIterable<never>>();
    const close = vi.fn(async () => ({ done: true as const, value: undefined }));
    const { open, invoker } = setUp({ logsExport: () => late.promise }, { answerTimeoutMs: 20 });
    await expect(open(EXPORT)).rejects.toMatchObject({ reason: "DATABASE_UNAVAILABLE" });
    late.resolve({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined), return: close }) });
    await invoker.settled(1_000);
    expect(close).toHaveBeenCalledOnce();
  });

  it("has no time limit once it was accepted", async () => {
    const row = Promise.withResolvers<void>();
    async function* later() {
      await row.promise;
      yield* rows(1);
    }
    const { open } = setUp({ logsTail: async () => later() }, { answerTimeoutMs: 20 });
    const first = (await open(TAIL)).next();
    await new Promise((resolve) => setTimeout(resolve, 200));
    row.resolve();
    expect(await first).toMatchObject({ done: false });
  });

  it("logs an error between two messages, and tells the caller nothing of it", async () => {
    const cause = new Error("secret");
    async function* failing() {
      yield* rows(1);
      throw cause;
    }
    const { open, logFault } = setUp({ logsExport: async () => failing() });
    const stream = await open(EXPORT);
    await stream.next();
    await expect(stream.next()).rejects.toMatchObject({ reason: "INTERNAL" });
    expect(logFault).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ cause }), "req_1", EXPORT);
  });

  it("gives nothing more when the credential is revoked", async () => {
    let caller: Caller | undefined = CALLER;
    const { open } = setUp({ logsTail: async () => rows(5) }, { authenticate: async () => caller });
    const stream = await open(TAIL);
    await stream.next();
    caller = { ...CALLER, scopes: new Set(["ingest"]) };
    await expect(stream.next()).rejects.toMatchObject({ reason: "SCOPE_MISSING" });
    caller = undefined;
    await stream.closed;
  });
});

describe("a caller who leaves", () => {
  it("aborts the call's signal and ends the stream", async () => {
    const { open, leaving, logFault } = setUp({ logsTail: async (_request, call) => waiting(call) });
    const stream = await open(TAIL);
    await stream.next();
    const next = stream.next();
    leaving.abort();
    expect(await next).toMatchObject({ done: true });
    await stream.closed;
    expect(logFault).not.toHaveBeenCalled();
  });

  it("while the handler is deciding aborts its signal too, and nothing is logged of that", async () => {
    const deciding = Promise.withResolvers<void>();
    const { open, leaving, logFault } = setUp({
      logsTail: (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          deciding.resolve();
        }),
    });
    const opening = open(TAIL);
    await deciding.promise;
    leaving.abort();
    await expect(opening).rejects.toBeInstanceOf(Fault);
    expect(logFault).not.toHaveBeenCalled();
  });

  it("before the handler is asked saves it the work", async () => {
    const handler = vi.fn();
    const { open, leaving } = setUp({ logsTail: handler });
    leaving.abort();
    await expect(open(TAIL)).rejects.toBeInstanceOf(Fault);
    expect(handler).not.toHaveBeenCalled();
  });
});

describe("when the service stops", () => {
  it("streams that follow end at once with STOPPING, and none is opened any more", async () => {
    const { open, invoker, logFault } = setUp({ logsTail: async (_request, call) => waiting(call) });
    const tails = await Promise.all(Array.from({ length: 100 }, () => open(TAIL)));
    await Promise.all(tails.map((tail) => tail.next()));
    const ends = tails.map((tail) => tail.next());
    invoker.stopStreams(60_000);
    const outcomes = await Promise.allSettled(ends);
    expect(outcomes).toHaveLength(100);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { reason: "STOPPING", status: 503 } });
    await expect(open(TAIL)).rejects.toMatchObject({ reason: "STOPPING", retryAfterSeconds: 1 });
    await invoker.settled(60_000);
    expect(logFault).not.toHaveBeenCalled();
  });

  it("exports may go on for the grace, and are settled when they have ended", async () => {
    const { open, invoker } = setUp({ logsExport: async () => rows(3) });
    const stream = await open(EXPORT);
    await stream.next();
    invoker.stopStreams(60_000);
    let isSettled = false;
    const settled = invoker.settled(60_000).then(() => {
      isSettled = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isSettled).toBe(false);
    expect(await collect(stream)).toHaveLength(2);
    await settled;
  });

  it("exports that last longer are ended after it", async () => {
    const { open, invoker } = setUp({ logsExport: async (_request, call) => waiting(call) });
    const stream = await open(EXPORT);
    await stream.next();
    invoker.stopStreams(20);
    await expect(stream.next()).rejects.toMatchObject({ reason: "STOPPING" });
  });
});
