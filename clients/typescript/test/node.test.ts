import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { VerificationResult } from "../src/middleware/public.ts";
import { decisionOf, keysvcGuard, type MiddlewareErrorEvent, type NodeGuard } from "../src/node.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";

const VERDICT = { valid: true, code: "VALID", requestId: "req_1", consumer: { consumerId: "consumer_1" } };
const HEADERS = { authorization: "Bearer sk_0123456789abcdef" };
const OPTIONS = { apiId: "api_1", projectKey: "project-key" };

let fake: FakeService;
let guard: NodeGuard;
beforeEach(async () => {
  fake = await startFakeService({ verdict: VERDICT });
  guard = keysvcGuard({ ...OPTIONS, baseURL: fake.url });
});
afterEach(async () => {
  await guard.close();
  await fake.close();
});

describe("node:http", () => {
  it("hands on what a handler throws, as it was thrown, and records 500", async () => {
    const thrown = { not: "even an Error" };
    const caught = Promise.withResolvers<unknown>();
    const guarded = guard.handler(() => {
      throw thrown;
    });
    const server = createServer((request, response) => {
      guarded(request, response).catch((error) => {
        caught.resolve(error);
        response.destroy();
      });
    });
    const port = await listen(server);
    await expect(fetch(`http://127.0.0.1:${port}/`, { headers: HEADERS })).rejects.toThrow();
    expect(await caught.promise).toBe(thrown);
    await guard.flush();
    expect(fake.events).toMatchObject([{ statusCode: 500, requestId: "req_1" }]);
    server.close();
  });

  it("lets a WebSocket with a key through, and records it as 101 when it ends", async () => {
    const { server, port } = await startWebSockets();
    const socket = new WebSocket(`ws://127.0.0.1:${port}/chat`, { headers: HEADERS });
    const answer = await new Promise<string>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => socket.send("hello"));
      socket.on("message", (data) => resolve(String(data)));
    });
    expect(answer).toBe("consumer_1 says hello");
    expect(fake.events).toEqual([]);
    const ended = new Promise((resolve) => socket.on("close", resolve));
    socket.close();
    await ended;
    await new Promise((resolve) => server.close(resolve));
    await guard.flush();
    expect(fake.events).toMatchObject([{ statusCode: 101, method: "GET", path: "/chat", requestId: "req_1" }]);
  });

  it("denies a WebSocket without a key with the answer of any request, and records it as such", async () => {
    guard = keysvcGuard({ ...OPTIONS, baseURL: fake.url, captureResponseHeaders: true, captureResponseBody: true });
    const { server, port } = await startWebSockets();
    const socket = new WebSocket(`ws://127.0.0.1:${port}/chat`);
    const response = await new Promise<{ status: number; challenge: string; body: string }>((resolve) => {
      socket.on("unexpected-response", async (_request, message) => {
        const chunks: Buffer[] = [];
        for await (const chunk of message) chunks.push(chunk);
        const challenge = String(message.headers["www-authenticate"]);
        resolve({ status: message.statusCode ?? 0, challenge, body: Buffer.concat(chunks).toString() });
      });
    });
    expect(response).toMatchObject({ status: 401, challenge: "Bearer" });
    expect(JSON.parse(response.body)).toMatchObject({ code: "MISSING_KEY" });
    await new Promise((resolve) => server.close(resolve));
    await guard.flush();
    expect(fake.events).toMatchObject([{ statusCode: 401, path: "/chat", responseBody: response.body }]);
    const headers = { "www-authenticate": "Bearer", "content-length": `${response.body.length}`, connection: "close" };
    expect(JSON.parse(String(fake.events[0]?.responseHeaders))).toMatchObject(headers);
  });
});

it("a denied upgrade leaves no connection behind, whatever its caller does", async () => {
  const { server, port } = await startWebSockets();
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.write("GET /chat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  socket.resume();
  await once(socket, "end");
  // The caller has not ended its side: this waits for connections of the server's.
  await new Promise((resolve) => server.close(resolve));
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});

it("an ingest that is asynchronous and fails is told of, and ends nothing", async () => {
  const told = Promise.withResolvers<string>();
  const ingest = async () => {
    throw new Error("full");
  };
  const client = { ingest, verify: () => Promise.reject(new Error("must not be asked")) };
  const onError = ({ operation, error }: MiddlewareErrorEvent) => told.resolve(`${operation}: ${error}`);
  const own = keysvcGuard({ apiId: "api_1", mode: "ingest", client, onError });
  const server = createServer(own.handler((_request, response) => response.end()));
  await fetch(`http://127.0.0.1:${await listen(server)}/`, { headers: { connection: "close" } });
  expect(await told.promise).toBe("record: Error: full");
  server.close();
});

it("what something else answers before the verdict is recorded as it was answered, with the verdict", async () => {
  const asked = Promise.withResolvers<void>();
  const verdict = Promise.withResolvers<VerificationResult>();
  const noted: object[] = [];
  const verify = () => {
    asked.resolve();
    return verdict.promise;
  };
  const own = keysvcGuard({ apiId: "api_1", client: { verify, ingest: (event) => void noted.push(event) } });
  const handler = own.handler(() => undefined);
  const server = createServer((request, response) => {
    handler(request, response);
    asked.promise.then(() => response.writeHead(503).end("too slow"));
  });
  const headers = { ...HEADERS, connection: "close" };
  const { status } = await fetch(`http://127.0.0.1:${await listen(server)}/`, { headers });
  expect([status, noted]).toEqual([503, []]);
  verdict.resolve({ allowed: true, reason: "VALID", requestId: "req_1" } as VerificationResult);
  await expect.poll(() => noted).toMatchObject([{ statusCode: 503, requestId: "req_1" }]);
  server.close();
});

async function startWebSockets() {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((_request, response) => response.end());
  const upgrade = guard.upgradeHandler((request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      const { consumerId } = decisionOf(request)?.consumer ?? {};
      client.on("message", (data) => client.send(`${consumerId} says ${String(data)}`));
    });
  });
  server.on("upgrade", upgrade);
  return { server, port: await listen(server) };
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
