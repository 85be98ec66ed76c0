import { type ExecutionContext, Hono } from "hono";
import { describe, expect, it } from "vitest";
import { type KeysvcVariables, keysvcGuard } from "../src/hono.ts";
import type { ClientAPI, MiddlewareOptions, VerificationResult } from "../src/middleware/public.ts";

const RESULT = { allowed: true, reason: "VALID", requestId: "req_1", consumer: null } as VerificationResult;
const KEY = "sk_0123456789abcdef";

/** A client that notes what it is asked, and sends events only when it is told to. */
function double() {
  const noted = { keys: [] as string[], waiting: [] as object[], sent: [] as object[] };
  const client: ClientAPI = {
    async verify(key) {
      noted.keys.push(key);
      return RESULT;
    },
    ingest: (...events) => void noted.waiting.push(...events),
    flush: async () => void noted.sent.push(...noted.waiting.splice(0)),
  };
  return { client, noted };
}

function application(options: Partial<MiddlewareOptions> = {}) {
  const { client, noted } = double();
  const app = new Hono<{ Variables: KeysvcVariables }>();
  app.use(keysvcGuard({ apiId: "api_1", client, ...options }));
  app.get("/hello/:name", (c) => c.text(`hello ${c.get("keysvc.decision")?.requestId}`));
  app.get("/throws", () => {
    throw new Error("mine");
  });
  return { app, noted };
}

/** What a runtime does that ends with the answer: it waits for what it was asked to. */
function executionContext() {
  const work: Promise<unknown>[] = [];
  const context: ExecutionContext = {
    waitUntil: (promise) => work.push(promise),
    passThroughOnException() {},
    props: {},
  };
  return { context, settled: () => Promise.all(work) };
}

const request = (path: string, headers: Headers | Record<string, string> = { authorization: `Bearer ${KEY}` }) =>
  new Request(`https://edge.test${path}`, { headers });

describe("Hono at the edge, with a standard Request alone", () => {
  it("sends the event before the runtime ends", async () => {
    const { app, noted } = application();
    const { context, settled } = executionContext();
    const response = await app.fetch(request("/hello/Ann"), {}, context);
    expect(await response.text()).toBe("hello req_1");
    await settled();
    expect(noted.sent).toMatchObject([
      { requestId: "req_1", statusCode: 200, endpoint: "/hello/:name", path: "/hello/Ann" },
    ]);
  });

  it("waits for the body that it records, which passes unchanged", async () => {
    const { app, noted } = application({ captureResponseBody: true, captureResponseHeaders: true });
    const { context, settled } = executionContext();
    const response = await app.fetch(request("/hello/Ann"), {}, context);
    expect(noted.waiting).toEqual([]);
    expect(await response.text()).toBe("hello req_1");
    await settled();
    expect(noted.sent).toMatchObject([{ responseBody: "hello req_1" }]);
  });

  it("records an answer of which nobody reads the end", async () => {
    const { app, noted } = application({ captureResponseBody: true });
    const { context, settled } = executionContext();
    const response = await app.fetch(request("/hello/Ann"), {}, context);
    await response.body?.cancel();
    await settled();
    expect(noted.sent).toMatchObject([{ statusCode: 200 }]);
  });

  it("takes the same key twice for one, and two keys for none", async () => {
    const { app, noted } = application();
    const twice = new Headers({ authorization: `Bearer ${KEY}` });
    twice.append("authorization", `Bearer ${KEY}`);
    expect((await app.fetch(request("/hello/Ann", twice))).status).toBe(200);
    twice.append("authorization", "Bearer sk_another_0123456789");
    expect((await app.fetch(request("/hello/Ann", twice))).status).toBe(401);
    expect(noted.keys).toEqual([KEY]);
  });

  it("records what its error handler answers", async () => {
    const { app, noted } = application();
    app.onError((error, c) => c.text(error.message, 502));
    const response = await app.fetch(request("/throws"));
    expect([response.status, await response.text()]).toEqual([502, "mine"]);
    expect(noted.waiting).toMatchObject([{ statusCode: 502 }]);
  });

  it("keeps the status and headers of a HEAD, and no body", async () => {
    const { app, noted } = application({ captureResponseBody: true });
    const response = await app.fetch(new Request("https://edge.test/hello/Ann", { method: "HEAD" }));
    expect([response.status, await response.text()]).toEqual([401, ""]);
    expect(noted.waiting).toMatchObject([{ statusCode: 401, method: "HEAD" }]);
  });
});
