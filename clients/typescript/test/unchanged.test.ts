import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import express from "express";
import { expect, it } from "vitest";
import { keysvcGuard as expressGuard } from "../src/express.ts";
import type { ClientAPI, VerificationResult } from "../src/middleware/public.ts";
import { keysvcGuard as nodeGuard } from "../src/node.ts";

const client: ClientAPI = {
  verify: async () => ({ allowed: true, reason: "VALID", requestId: "req_1", consumer: null }) as VerificationResult,
  ingest: () => undefined,
};
const OPTIONS = {
  ...{ apiId: "api_1", client },
  ...{ captureResponseBody: true, captureResponseHeaders: true, captureRequestHeaders: true },
};

/** Ways to answer. */
const HANDLERS: Record<string, RequestListener> = {
  "nothing at all": (_request, response) => void response.end(),
  "a text at once": (_request, response) => void response.end("text"),
  "a text with a type": (_request, response) => void response.setHeader("content-type", "text/plain").end("text"),
  "a message of its own": (_request, response) => void response.writeHead(299, "Mine", { "X-Own": "1" }).end("text"),
  "flat headers": (_request, response) => void response.writeHead(200, ["X-A", "1", "X-A", "2"]).end("text"),
  "headers of both kinds": (_request, response) => {
    response.setHeader("Set-Cookie", ["a=1", "b=2"]);
    response.writeHead(201, { "Content-Type": "text/plain", "X-Own": ["1", "2"] });
    response.end("text");
  },
  encodings: (_request, response) => {
    response.write("dGV4dA==", "base64");
    response.write("é", "latin1", () => undefined);
    response.end("74657874", "hex");
  },
  "a length": (_request, response) => {
    response.setHeader("Content-Length", 8);
    response.write(Buffer.from("text"));
    response.end(new Uint8Array([116, 101, 120, 116]), () => undefined);
  },
  "a range": (_request, response) =>
    void response.writeHead(206, { "Content-Range": "bytes 0-3/9", "Content-Type": "text/plain" }).end("text"),
  "304": (_request, response) => void response.writeHead(304, { ETag: '"1"' }).end(),
  "204": (_request, response) => void response.writeHead(204).end(),
  trailers: (_request, response) => {
    response.writeHead(200, { Trailer: "X-Sum", "Content-Type": "text/plain" });
    response.write("text");
    response.addTrailers({ "X-Sum": "4" });
    response.end();
  },
  "hints before": (_request, response) => {
    response.writeEarlyHints({ link: "</a.css>; rel=preload" });
    response.end("text");
  },
  "flushed headers": (_request, response) => {
    response.setHeader("Content-Type", "text/plain");
    response.flushHeaders();
    response.end("text");
  },
  "something compressed": (_request, response) =>
    void response.writeHead(200, { "Content-Encoding": "gzip", "Content-Type": "text/plain" }).end(gzipSync("text")),
  "something piped": (_request, response) => void Readable.from(["te", "xt"]).pipe(response),
  "something broken off": (_request, response) => {
    response.write("text", () => response.destroy());
  },
};

/** All bytes of the answer, but for the time. */
async function bytesOf(listener: RequestListener, method: string): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => undefined);
  socket.write(`${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer sk_0123456789\r\n\r\n`);
  await ended;
  await new Promise((resolve) => server.close(resolve));
  return Buffer.concat(chunks)
    .toString("latin1")
    .replace(/\r\nDate: [^\r]*/, "");
}

/** Node refuses trailers to HEAD, and has nothing to break off there. */
const ONLY_GET = ["trailers", "something broken off"];
const ways = Object.keys(HANDLERS).flatMap((name) =>
  (ONLY_GET.includes(name) ? ["GET"] : ["GET", "HEAD"]).map((method) => [method, name] as const),
);

it.each(ways)("the answer to %s with %s is byte for byte what it is without the middleware", async (method, name) => {
  const handler = HANDLERS[name] ?? expect.unreachable();
  const bare = await bytesOf(handler, method);
  expect(bare).toContain("HTTP/1.1 ");
  expect(await bytesOf(nodeGuard(OPTIONS).handler(handler), method)).toBe(bare);
  const app = () => express().disable("x-powered-by");
  expect(await bytesOf(app().use(expressGuard(OPTIONS), handler), method)).toBe(
    await bytesOf(app().use(handler), method),
  );
});
