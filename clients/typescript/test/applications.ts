import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { type Context, Hono } from "hono";
import type { Handler } from "../../../test/vectors/middleware/case.ts";
import { keysvcGuard as expressGuard } from "../src/express.ts";
import { keysvcGuard as fastifyGuard } from "../src/fastify.ts";
import { keysvcGuard as honoGuard } from "../src/hono.ts";
import type { GuardControl } from "../src/middleware/guard.ts";
import type { MiddlewareOptions } from "../src/middleware/options.ts";
import { decisionOf, keysvcGuard as nodeGuard, validationErrorOf } from "../src/node.ts";
import type { VerificationResult } from "../src/verification.ts";

/** What an application is made of. Options are without the framework's own types: they come from a file. */
export interface ApplicationParts {
  // biome-ignore lint/suspicious/noExplicitAny: the same options for every framework
  options: MiddlewareOptions<any>;
  handler: Handler;
  /** A template with names in braces; undefined: every path, without one. */
  route: string | undefined;
  onRun(): void;
}

/** An application that listens. */
export interface Application {
  port: number;
  /** The template of the route, as the framework writes it. */
  template: string | undefined;
  /** Ends when every response has, and every event was sent. */
  close(beforeFlush: () => Promise<void>): Promise<void>;
}

/** The applications, by the names of the vectors. */
export const APPLICATIONS: Record<string, (parts: ApplicationParts) => Promise<Application>> = {
  node: startNode,
  express: startExpress,
  fastify: startFastify,
  hono: startHono,
};

const HEADERS: [string, string][] = [["Content-Type", "text/plain"]];

interface Reply {
  status: number;
  headers: [string, string][];
  body: Buffer;
}

function replyOf(
  { handler, onRun }: ApplicationParts,
  decision: VerificationResult | undefined,
  error: unknown,
): Reply {
  onRun();
  if (handler.panic) throw new Error("the handler panics");
  if (handler.report) {
    const body = Buffer.from(JSON.stringify({ decision: reportOf(decision), failed: error !== undefined }));
    return { status: 200, headers: [["Content-Type", "application/json"]], body };
  }
  const { status = 200, headers = HEADERS, body = "ok", bodyBase64 } = handler;
  return { status, headers, body: bodyBase64 === undefined ? Buffer.from(body) : Buffer.from(bodyBase64, "base64") };
}

function reportOf(decision: VerificationResult | undefined): object | null {
  if (decision === undefined) return null;
  const { allowed, reason, requestId, creditsRemaining, creditsLimit, consumer } = decision;
  const { consumerId, name, externalId, metadata, tags } = consumer ?? {};
  const texts = Object.entries({ consumerId, consumerName: name, externalId, metadata, tags });
  const given = texts.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return { ...{ allowed, reason, requestId, creditsRemaining, creditsLimit }, ...Object.fromEntries(given) };
}

/** The headers of a reply, those of one name together. */
function gathered(headers: Reply["headers"]): Record<string, string | string[]> {
  const all: Record<string, string[]> = {};
  for (const [name, value] of headers) all[name] = [...(all[name] ?? []), value];
  return Object.fromEntries(
    Object.entries(all).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}

function colons(route: string): string {
  return route.replace(/\{(\w+)\}/g, ":$1");
}

async function startNode(parts: ApplicationParts): Promise<Application> {
  const guard = nodeGuard(parts.options);
  const guarded = guard.handler((request, response) => {
    const { status, headers, body } = replyOf(parts, decisionOf(request), validationErrorOf(request));
    response.writeHead(status, gathered(headers)).end(body);
  });
  const server = createServer((request, response) => {
    guarded(request, response).catch(() => response.writeHead(500).end());
  });
  return listening(server, guard, undefined);
}

async function startExpress(parts: ApplicationParts): Promise<Application> {
  const guard = expressGuard(parts.options);
  const template = parts.route && colons(parts.route);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = replyOf(parts, decisionOf(request), validationErrorOf(request));
    response.statusCode = status;
    for (const [name, value] of Object.entries(gathered(headers))) response.setHeader(name, value);
    response.end(body);
  };
  const app = express();
  app.use(guard);
  if (template === undefined) app.use(handle);
  else app.all(template, handle);
  app.use((_error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
    response.status(500).end();
  });
  return listening(createServer(app), guard, template);
}

async function startFastify(parts: ApplicationParts): Promise<Application> {
  const template = parts.route && colons(parts.route);
  const app = fastify();
  await app.register(fastifyGuard, parts.options);
  const handle = async (request: fastify.FastifyRequest, reply: fastify.FastifyReply) => {
    const { status, headers, body } = replyOf(parts, request.keysvc?.decision, request.keysvc?.error);
    return reply.code(status).headers(gathered(headers)).send(body);
  };
  app.addContentTypeParser("*", (_request, payload, done) => payload.resume().on("end", done));
  if (template === undefined) app.setNotFoundHandler(handle);
  else app.all(template, handle);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const close = async (beforeFlush: () => Promise<void>) => {
    await beforeFlush();
    await app.close();
  };
  return { port, template, close };
}

async function startHono(parts: ApplicationParts): Promise<Application> {
  const guard = honoGuard(parts.options);
  const template = parts.route && colons(parts.route);
  const handle = (c: Context) => {
    const { status, headers, body } = replyOf(parts, c.get("keysvc.decision"), c.get("keysvc.error"));
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : new Uint8Array(body), { status, headers });
  };
  const app = new Hono();
  app.use(guard);
  app.all(template ?? "*", handle);
  app.onError((_error, c) => c.body(null, 500));
  const server = await new Promise<Server>((resolve) => {
    const made = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => resolve(made as Server));
  });
  return closing(server, guard, template);
}

async function listening(server: Server, guard: GuardControl, template: string | undefined): Promise<Application> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return closing(server, guard, template);
}

function closing(server: Server, guard: GuardControl, template: string | undefined): Application {
  const { port } = server.address() as AddressInfo;
  const close = async (beforeFlush: () => Promise<void>) => {
    await new Promise((resolve) => server.close(resolve));
    await beforeFlush();
    await guard.close();
  };
  return { port, template, close };
}
