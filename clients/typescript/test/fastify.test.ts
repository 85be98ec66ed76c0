import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import fastify from "fastify";
import { expect, it } from "vitest";
import { keysvcGuard } from "../src/fastify.ts";
import type { ClientAPI } from "../src/middleware/public.ts";
import { startFakeService } from "./fake-service.ts";

const DENIES: ClientAPI = {
  verify: () => Promise.reject(new Error("must not be asked")),
  ingest: () => undefined,
};

it("Fastify guards routes and parts that were declared before the guard, and those that come after it", async () => {
  const app = fastify();
  app.get("/before", () => "before");
  await app.register(async (part) => {
    part.get("/part-before", () => "part");
    await part.register(async (inner) => void inner.get("/inner-before", () => "inner"));
  });
  app.register(keysvcGuard, { apiId: "api_1", client: DENIES });
  app.get("/after", () => "after");
  app.register(async (part) => void part.get("/part", () => "part"));
  for (const url of ["/before", "/part-before", "/inner-before", "/after", "/part", "/none"]) {
    expect([url, (await app.inject({ url })).statusCode]).toEqual([url, 401]);
  }
  await app.close();
});

it("Fastify guards a part alone when the guard is registered there", async () => {
  const app = fastify();
  app.get("/open", () => "open");
  app.register(async (part) => {
    await part.register(keysvcGuard, { apiId: "api_1", client: DENIES });
    part.get("/closed", () => "closed");
  });
  expect((await app.inject({ url: "/open" })).body).toBe("open");
  expect((await app.inject({ url: "/closed" })).statusCode).toBe(401);
  await app.close();
});

it("Fastify records a request of light-my-request, which has no connection", async () => {
  const events: object[] = [];
  const app = fastify();
  const client = { ...DENIES, ingest: (...sent: object[]) => void events.push(...sent) };
  await app.register(keysvcGuard, { apiId: "api_1", mode: "ingest", client, captureResponseBody: true });
  app.get("/things/:id", () => "a thing");
  await app.inject({ url: "/things/7" });
  await app.close();
  expect(events).toMatchObject([
    { endpoint: "/things/:id", path: "/things/7", statusCode: 200, responseBody: "a thing" },
  ]);
});

it("Fastify records what is still being served when it is closed", async () => {
  const fake = await startFakeService();
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const app = fastify();
  await app.register(keysvcGuard, { apiId: "api_1", mode: "ingest", projectKey: "k", baseURL: fake.url });
  app.get("/slow", async () => {
    begun.resolve();
    await gate.promise;
    return "at last";
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const answer = fetch(`${url}/slow`, { headers: { connection: "close" } });
  await begun.promise;
  const closed = app.close();
  gate.resolve();
  expect(await (await answer).text()).toBe("at last");
  await closed;
  expect(fake.events).toMatchObject([{ path: "/slow", statusCode: 200 }]);
  await fake.close();
});

it("Fastify closes although events cannot be sent, and bounds the time that sending them may take", async () => {
  const given: (AbortSignal | undefined)[] = [];
  const flush: ClientAPI["flush"] = ({ signal } = {}) => {
    given.push(signal);
    return Promise.reject(new Error("the service does not answer"));
  };
  const app = fastify();
  await app.register(keysvcGuard, { apiId: "api_1", client: { ...DENIES, flush } });
  await app.close();
  expect(given).toEqual([expect.any(AbortSignal)]);
});

it("Fastify over HTTP/2 guards and records as over HTTP/1.1", async () => {
  const events: Record<string, unknown>[] = [];
  const app = fastify({ http2: true });
  const options = { captureResponseBody: true, captureResponseHeaders: true, captureRequestHeaders: true };
  const client = { ...DENIES, ingest: (...sent: object[]) => void events.push(...(sent as typeof events)) };
  await app.register(keysvcGuard, { apiId: "api_1", client, ...options });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const session = connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
  const stream = session.request({ ":path": "/things/7", "x-other": "1" });
  const [status, body] = await new Promise<[unknown, string]>((resolve, reject) => {
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    stream.on("response", (headers) => stream.on("end", () => resolve([headers[":status"], text])));
    stream.on("error", reject);
  });
  session.close();
  await app.close();
  expect([status, JSON.parse(body).code]).toEqual([401, "MISSING_KEY"]);
  expect(events).toMatchObject([{ path: "/things/7", statusCode: 401, responseBody: body }]);
  expect(JSON.parse(String(events[0]?.requestHeaders))).toEqual({ "x-other": "1" });
  expect(JSON.parse(String(events[0]?.responseHeaders))).not.toHaveProperty(":status");
});
