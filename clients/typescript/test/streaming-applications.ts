import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { keysvcGuard as expressGuard } from "../src/express.ts";
import { keysvcGuard as fastifyGuard } from "../src/fastify.ts";
import { keysvcGuard as honoGuard } from "../src/hono.ts";
import type { MiddlewareOptions } from "../src/middleware/options.ts";
import { keysvcGuard as nodeGuard } from "../src/node.ts";

/** What the application answers: its parts as they become known. */
export interface StreamedAnswer {
  status: number;
  headers: Record<string, string>;
  parts: AsyncIterable<string | Uint8Array>;
}

/** An application that streams. */
export interface StreamingApplication {
  port: number;
  /** Ends when every response has, and every event was sent. */
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the same options for every framework
type Start = (options: MiddlewareOptions<any>, answer: () => StreamedAnswer) => Promise<StreamingApplication>;

/** Applications of every framework, each streaming in its own way. */
export const STREAMING_APPLICATIONS: Record<string, Start> = {
  node: (options, answer) => {
    const guard = nodeGuard(options);
    return listening(createServer(guard.handler((_request, response) => pipe(answer(), response))), guard);
  },
  express: (options, answer) => {
    const guard = expressGuard(options);
    const app = express();
    app.use(guard);
    app.use((_request: IncomingMessage, response: ServerResponse) => pipe(answer(), response));
    return listening(createServer(app), guard);
  },
  fastify: async (options, answer) => {
    const app = fastify();
    await app.register(fastifyGuard, options);
    app.setNotFoundHandler((_request, reply) => {
      const { status, headers, parts } = answer();
      return reply
        .code(status)
        .headers(headers)
        .send(Readable.from(parts, { objectMode: false }));
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
  },
  hono: async (options, answer) => {
    const guard = honoGuard(options);
    const app = new Hono();
    app.use(guard);
    app.all("*", () => {
      const { status, headers, parts } = answer();
      const isEmpty = status === 304 || status === 204;
      const stream = Readable.toWeb(Readable.from(parts, { objectMode: false }));
      // Node's type of a web stream is not the global one.
      return new Response(isEmpty ? null : (stream as ReadableStream<Uint8Array<ArrayBuffer>>), { status, headers });
    });
    const server = await new Promise<Server>((resolve) => {
      const made = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => resolve(made as Server));
    });
    return closing(server, guard);
  },
};

async function pipe({ status, headers, parts }: StreamedAnswer, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  for await (const part of parts) response.write(part);
  response.end();
}

interface Closable {
  close(): Promise<void>;
}

async function listening(server: Server, guard: Closable): Promise<StreamingApplication> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return closing(server, guard);
}

function closing(server: Server, guard: Closable): StreamingApplication {
  const close = async () => {
    server.closeIdleConnections();
    await new Promise((resolve) => server.close(resolve));
    await guard.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}
