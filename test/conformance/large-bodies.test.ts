import { request } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

/*
 * Whoever sends too much is told so, and does not find a broken connection: clients halve a batch of events that is refused as
 * too large, and would give up all of it.
 */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** More than both sides keep between them while nobody reads. */
const BODY_BYTES = 8 * 2 ** 20;
const PIECE = Buffer.alloc(2 ** 16, " ");
const CHUNK = Buffer.concat([Buffer.from(`${PIECE.length.toString(16)}\r\n`), PIECE, Buffer.from("\r\n")]);
/** The break of a connection is a race. */
const TIMES = 5;

const METHOD = "/keysvc.v1.KeyService/Validate";

interface Call {
  path: string;
  contentType: string;
  credential?: string;
}

/** Sends a request, writes all of its body before it reads, and resolves with what was answered by then. */
async function writeThenRead({ path, contentType, credential = PROJECT_KEY }: Call, lines: string[]): Promise<string> {
  const isChunked = lines.includes(CHUNKED);
  const socket = connect(service.app.port, "127.0.0.1").pause();
  const failed = new Promise<never>((_resolve, reject) => void socket.once("error", reject));
  const write = (data: Buffer | string) => new Promise<void>((resolve) => void socket.write(data, () => resolve()));
  const head = [`POST ${path} HTTP/1.1`, "host: a", `content-type: ${contentType}`, ...lines];
  const send = async (): Promise<string> => {
    await write([...head, `authorization: Bearer ${credential}`, "", ""].join("\r\n"));
    for (let sent = 0; sent < BODY_BYTES; sent += PIECE.length) await write(isChunked ? CHUNK : PIECE);
    if (isChunked) await write("0\r\n\r\n");
    return await new Promise((resolve) => {
      socket.once("data", (bytes: Buffer) => resolve(bytes.toString("latin1"))).resume();
    });
  };
  try {
    return await Promise.race([send(), failed]);
  } finally {
    socket.destroy();
  }
}

const CHUNKED = "transfer-encoding: chunked";
const LENGTH = `content-length: ${BODY_BYTES}`;
const CLOSE = "connection: close";

describe.each([
  ["with its length", [LENGTH]],
  ["in chunks", [CHUNKED]],
  ["with its length, on a connection that is to be closed", [LENGTH, CLOSE]],
  ["in chunks, on a connection that is to be closed", [CHUNKED, CLOSE]],
])("a body of 8 MiB over HTTP/1.1, %s, sent by a client that writes all before it reads", (_title, lines) => {
  it.each([
    ["refused on a JSON path", { path: "/key/validate", contentType: "application/json" }, '"status":413'],
    ["refused by Connect", { path: METHOD, contentType: "application/json" }, '"code":"resource_exhausted"'],
    ["refused by Connect in binary", { path: METHOD, contentType: "application/proto" }, '"code":"resource_exhausted"'],
    ["refused by gRPC-Web", { path: METHOD, contentType: "application/grpc-web+proto" }, "grpc-status: 8"],
    [
      "a stranger's",
      { path: "/key/validate", contentType: "application/json", credential: "nobody's-credential" },
      '"status":401',
    ],
  ])("is %s, each time", async (_case, call, told) => {
    for (let i = 0; i < TIMES; i++) expect(await writeThenRead(call, lines)).toContain(told);
  });
});

it("a client that waits to be told to continue is refused by 413", async () => {
  const status = await new Promise((resolve, reject) => {
    const headers = { expect: "100-continue", "content-type": "application/json", "content-length": BODY_BYTES };
    const call = request(`${service.url}/key/validate`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${PROJECT_KEY}` },
    });
    call.on("continue", () => call.end(Buffer.alloc(BODY_BYTES)));
    call.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
  expect(status).toBe(413);
});

it("a client of HTTP/2 is refused by 413", async () => {
  const session = connectHttp2(service.url);
  const status = await new Promise((resolve, reject) => {
    const stream = session.request({
      ...{ ":method": "POST", ":path": "/key/validate", "content-type": "application/json" },
      authorization: `Bearer ${PROJECT_KEY}`,
    });
    stream.on("response", (headers) => resolve(headers[":status"])).on("error", reject);
    stream.end(Buffer.alloc(BODY_BYTES));
  });
  session.destroy();
  expect(status).toBe(413);
});
