import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import * as http2 from "node:http2";
import { connect, type Socket } from "node:net";
import { serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { decisionOf, keysvcGuard as expressGuard } from "../src/express.ts";
import { keysvcGuard as fastifyGuard } from "../src/fastify.ts";
import { keysvcGuard as honoGuard, type KeysvcVariables } from "../src/hono.ts";
import type { ClientAPI, VerificationResult } from "../src/middleware/public.ts";
import { keysvcGuard as nodeGuard } from "../src/node.ts";

const RESULT = { allowed: true, reason: "VALID", requestId: "req_1", consumer: null } as VerificationResult;
const HEADERS = { authorization: "Bearer sk_0123456789abcdef" };

let opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened) await one.close();
  opened = [];
});

/** A client that notes what it is asked and told. */
function double() {
  const noted = { asked: 0, events: [] as { statusCode: number; path: string }[] };
  const client: ClientAPI = {
    async verify() {
      noted.asked++;
      return RESULT;
    },
    ingest: (...events) => void noted.events.push(...(events as typeof noted.events)),
  };
  return { noted, options: { apiId: "api_1", client } };
}

async function listen(server: Server | http2.Http2Server): Promise<number> {
  opened.push(server);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const get = async (port: number, path = "/") =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...HEADERS, connection: "close" } })).text();

function listenHono(app: Hono<{ Variables: KeysvcVariables }>): Promise<number> {
  return new Promise((resolve) => {
    opened.push(serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(port)));
  });
}

describe("a guard that is mounted twice asks, charges and records once", () => {
  it("in node:http", async () => {
    const { noted, options } = double();
    const guard = nodeGuard(options);
    const port = await listen(createServer(guard.handler(guard.handler((_request, response) => response.end("ok")))));
    expect(await get(port)).toBe("ok");
    await expect.poll(() => noted).toMatchObject({ asked: 1, events: [{ statusCode: 200 }] });
    expect(noted.events.length).toBe(1);
  });

  it("in an upgrade", async () => {
    const { noted, options } = double();
    const guard = nodeGuard(options);
    const server = createServer();
    const sockets = new WebSocketServer({ noServer: true });
    const inner = guard.upgradeHandler((request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (client) => client.close());
    });
    server.on("upgrade", guard.upgradeHandler(inner));
    const port = await listen(server);
    await once(new WebSocket(`ws://127.0.0.1:${port}/`, { headers: HEADERS }), "close");
    await expect.poll(() => noted).toMatchObject({ asked: 1, events: [{ statusCode: 101 }] });
    expect(noted.events.length).toBe(1);
  });

  it("in Express, of the whole and of a router", async () => {
    const { noted, options } = double();
    const guard = expressGuard(options);
    const router = express.Router();
    router.get("/things", guard, (_request, response) => void response.send("ok"));
    const port = await listen(createServer(express().use(guard).use("/v1", guard, router)));
    expect(await get(port, "/v1/things")).toBe("ok");
    await expect.poll(() => noted).toMatchObject({ asked: 1, events: [{ path: "/v1/things" }] });
    expect(noted.events.length).toBe(1);
  });

  it("in Hono, of the whole and of a part", async () => {
    const { noted, options } = double();
    const guard = honoGuard(options);
    const part = new Hono<{ Variables: KeysvcVariables }>()
      .use(guard)
      .get("/things", (c) => c.text(`${c.get("keysvc.decision")?.requestId}`));
    const app = new Hono<{ Variables: KeysvcVariables }>().use(guard).route("/v1", part);
    const response = await app.request("/v1/things", { headers: HEADERS });
    expect(await response.text()).toBe("req_1");
    expect(noted).toMatchObject({ asked: 1, events: [{ path: "/v1/things" }] });
    expect(noted.events.length).toBe(1);
  });

  it("but who was denied is asked again", async () => {
    const { noted, options } = double();
    const guard = nodeGuard(options);
    let runs = 0;
    const handler = guard.handler(() => void runs++);
    const both: RequestListener = async (request, response) => {
      await handler(request, response);
      await handler(request, response).catch(() => undefined);
    };
    const port = await listen(createServer(both));
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect([response.status, runs, noted.asked]).toEqual([401, 0, 0]);
  });
});

describe("a second guard that only records hides no decision", () => {
  it("in Express", async () => {
    const { options } = double();
    const app = express().use(expressGuard(options), expressGuard({ ...options, mode: "ingest" }));
    app.get("/", (request, response) => void response.send(decisionOf(request)?.requestId));
    expect(await get(await listen(createServer(app)))).toBe("req_1");
  });

  it("in Fastify", async () => {
    const { options } = double();
    const app = fastify();
    await app.register(fastifyGuard, options);
    await app.register(fastifyGuard, { ...options, mode: "ingest" });
    app.get("/", (request) => request.keysvc?.decision?.requestId);
    expect((await app.inject({ url: "/", headers: HEADERS })).body).toBe("req_1");
  });

  it("in Hono", async () => {
    const { options } = double();
    const app = new Hono<{ Variables: KeysvcVariables }>();
    app.use(honoGuard(options), honoGuard({ ...options, mode: "ingest" }));
    app.get("/", (c) => c.text(`${c.get("keysvc.decision")?.requestId} ${decisionOf(c)?.requestId}`));
    expect(await (await app.request("/", { headers: HEADERS })).text()).toBe("req_1 req_1");
  });
});

describe("an excluded path that is rewritten before the guard into one that is not is guarded", () => {
  it("in Express", async () => {
    const { options } = double();
    const app = express();
    app.use((request, _response, next) => {
      request.url = request.url.replace("/public/", "/");
      next();
    });
    app.use(expressGuard({ ...options, excludePaths: ["/public/*"] }));
    app.get("/admin", (_request, response) => void response.send("administered"));
    expect((await fetch(`http://127.0.0.1:${await listen(createServer(app))}/public/admin`)).status).toBe(401);
  });

  it("in Fastify", async () => {
    const { options } = double();
    const app = fastify({ rewriteUrl: ({ url = "/" }) => url.replace("/public/", "/") });
    await app.register(fastifyGuard, { ...options, excludePaths: ["/public/*"] });
    app.get("/admin", () => "administered");
    expect((await app.inject({ url: "/public/admin" })).statusCode).toBe(401);
  });

  it("but under a mount of Express nothing is rewritten", async () => {
    const { options } = double();
    const guard = expressGuard({ ...options, excludePaths: ["/v1", "/v1/", "/v1/open"] });
    const app = express().use("/v1", guard, (_request, response) => void response.send("open"));
    const port = await listen(createServer(app));
    const statuses = ["/v1", "/v1/", "/v1?a=1", "/v1/?a=1", "/v1/open", "/v1/open?a=1", "/v1/other", "/v1/open/"].map(
      async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200, 200, 200, 401, 401]);
  });
});

describe("a request that Hono's application dispatches by itself", () => {
  it("is guarded as what it is, not as the excluded one that came", async () => {
    const { noted, options } = double();
    const app = new Hono<{ Variables: KeysvcVariables }>();
    app.use(honoGuard({ ...options, excludePaths: ["/batch"] }));
    app.get("/batch", async (c) => c.text(`${(await app.fetch(new Request("http://app/admin"), c.env)).status}`));
    app.get("/admin", (c) => c.text("administered"));
    expect(await get(await listenHono(app), "/batch")).toBe("401");
    await expect.poll(() => noted.events).toMatchObject([{ path: "/admin", statusCode: 401 }]);
  });
});

describe("who has gone before the key is looked for is not charged, served or recorded", () => {
  /** A handler, and a predicate that waits until the caller has gone. */
  function late() {
    const { noted, options } = double();
    const begun = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const shouldProtect = async () => {
      begun.resolve();
      await gone.promise;
      return true;
    };
    let runs = 0;
    const guard = nodeGuard({ ...options, captureClientIP: true, shouldProtect });
    const handler = guard.handler(() => void runs++);
    const ended = Promise.withResolvers<void>();
    const listener: RequestListener = (request, response) => {
      response.once("close", () => gone.resolve());
      handler(request, response).then(ended.resolve, ended.reject);
    };
    return { begun: begun.promise, ended: ended.promise, listener, outcome: () => ({ ...noted, runs }) };
  }

  it("over HTTP/1.1", async () => {
    const { begun, ended, listener, outcome } = late();
    const socket: Socket = connect(await listen(createServer(listener)), "127.0.0.1");
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nAuthorization: ${HEADERS.authorization}\r\n\r\n`);
    await begun;
    socket.destroy();
    await ended;
    expect(outcome()).toEqual({ asked: 0, events: [], runs: 0 });
  });

  it("over HTTP/2", async () => {
    const { begun, ended, listener, outcome } = late();
    // The response of the compatible API stands for that of HTTP/1.1, here as in frameworks.
    const server = http2.createServer(listener as object as Parameters<typeof http2.createServer>[1]);
    const session = http2.connect(`http://127.0.0.1:${await listen(server)}`);
    session.request({ ":path": "/", ...HEADERS }).on("error", () => undefined);
    await begun;
    session.destroy();
    await ended;
    expect(outcome()).toEqual({ asked: 0, events: [], runs: 0 });
  });
});
