import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { methods, services } from "../../gen/gateway.js";
import { listenMainPort, type MainPort } from "../../src/listener/main-port.ts";
import { watchGrpcPort } from "../../src/listener/watch-grpc-port.ts";
import { type GrpcServer, startGrpcServer } from "../../src/rpc/grpc-server.ts";
import { Health } from "../../src/rpc/health.ts";
import { createInvoker } from "../../src/rpc/invoke.ts";
import { makeCertificate } from "../harness/certificate.ts";

/** Those of the service, a hundred times shorter. */
const timeouts = {
  handshakeMs: 300,
  headersMs: 300,
  requestMs: 600,
  answerMs: 600,
  idleMs: 750,
  closeMs: 100,
  checkMs: 50,
};
/** None of them is ended for being slow while a test lasts. */
const patience = { ...timeouts, handshakeMs: 60_000, headersMs: 60_000, requestMs: 60_000, idleMs: 60_000 };
const CONNECTIONS_MAX = 20;
const LARGE_BYTES = 64 * 2 ** 20;
const DRIP_MS = 20;

let folder: string;
let plain: MainPort;
let secure: MainPort;
let patient: MainPort;
let patientSecure: MainPort;
let grpc: GrpcServer;
let secureGrpc: GrpcServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keysvc-slow-"));
  const paths = makeCertificate(folder, "server", 2);
  const [cert, key] = await Promise.all([readFile(paths.cert, "utf8"), readFile(paths.key, "utf8")]);
  const tls = { cert, key };
  const listen = (certificate: typeof tls | undefined, bounds: typeof timeouts) =>
    listenMainPort({
      ...{ host: "127.0.0.1", port: 0, tls: certificate, timeouts: bounds, connectionsMax: CONNECTIONS_MAX },
      createRequestId: () => "req_1",
      routes(instance) {
        instance.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
        instance.post("/call", (_request, reply) => reply.send("answered"));
        instance.get("/large", (_request, reply) => reply.send(Buffer.alloc(LARGE_BYTES)));
      },
      frameworkErrors: (error) => expect.fail(error.message),
      malformedAnswer: (code) => `HTTP/1.1 400 ${code}\r\ncontent-length: 0\r\n\r\n`,
    });
  [plain, secure] = await Promise.all([listen(undefined, timeouts), listen(tls, timeouts)]);
  [patient, patientSecure] = await Promise.all([listen(undefined, patience), listen(tls, patience)]);
  const invoker = createInvoker({
    ...{ methods, authenticate: () => undefined, answerTimeoutMs: 1_000, classifyError: () => undefined },
    logFault: (fault) => expect.fail(fault.message),
  });
  const health = new Health([]);
  const startGrpc = (certificate: typeof tls | undefined) =>
    startGrpcServer({
      ...{ services, invoker, health, host: "127.0.0.1", port: 0, tls: certificate, streamsMax: 10 },
      createRequestId: () => "req_1",
      onFault: () => undefined,
      watch: (server) =>
        watchGrpcPort(server, certificate !== undefined, { timeouts, connectionsMax: CONNECTIONS_MAX }),
    });
  [grpc, secureGrpc] = await Promise.all([startGrpc(undefined), startGrpc(tls)]);
});
afterAll(async () => {
  await Promise.all([plain, secure, patient, patientSecure, grpc, secureGrpc].map((port) => port.stop(100)));
  await rm(folder, { recursive: true });
});

function openPlain({ port }: { port: number }): Socket {
  return connect({ host: "127.0.0.1", port });
}

function openSecure({ port }: { port: number }): Socket {
  return connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
}

function openSession({ port }: { port: number }, isSecure = false): ClientHttp2Session {
  const session = connectHttp2(`${isSecure ? "https" : "http"}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on("error", () => undefined);
  return session;
}

/** Resolves when the other side has ended a connection. */
function ended(socket: Socket): Promise<unknown> {
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", resolve).once("end", resolve));
}

/** Sends a byte now and then, so that the connection is never silent. */
function drip(socket: Socket, byte: string): Socket {
  const timer = setInterval(() => socket.writable && socket.write(byte), DRIP_MS);
  socket.once("close", () => clearInterval(timer));
  return socket;
}

const HEADERS = "POST /call HTTP/1.1\r\nhost: a\r\n";

describe.each([
  ["plain text", () => plain, openPlain],
  ["TLS", () => secure, openSecure],
])("a connection of HTTP/1.1 over %s is ended", (_name, port, open) => {
  it.each([
    ["that says nothing", (socket: Socket) => socket],
    ["whose headers come byte by byte", (socket: Socket) => drip(socket, "a").write(`${HEADERS}x-slow: `)],
    [
      "whose body comes byte by byte",
      (socket: Socket) => drip(socket, "a").write(`${HEADERS}content-length: 9999\r\n\r\n`),
    ],
    ["whose body does not come", (socket: Socket) => socket.write(`${HEADERS}content-length: 9999\r\n\r\n`)],
    [
      "that has had its answer, and asks no more",
      (socket: Socket) => socket.write(`${HEADERS}content-length: 0\r\n\r\n`),
    ],
  ])("%s", async (_title, behave) => {
    const socket = open(port()).resume();
    const end = ended(socket);
    behave(socket);
    await end;
    socket.destroy();
  });

  it("whose answer is not taken", async () => {
    const socket = open(port()).pause();
    socket.write("GET /large HTTP/1.1\r\nhost: a\r\n\r\n");
    // Who reads nothing learns of the end by what it writes; empty lines before a request mean nothing.
    await ended(drip(socket, "\r\n"));
    expect(socket.bytesRead).toBeLessThan(LARGE_BYTES);
  });
});

/** Writes for as long as the other side takes it; resolves when that has cut the connection. */
async function writeOn(socket: Socket, bytes: string): Promise<void> {
  socket.on("error", () => undefined);
  while (!socket.destroyed) {
    await new Promise((resolve) => void socket.write(bytes, resolve));
    await new Promise(setImmediate);
  }
}

describe.each([
  ["plain text", () => plain, (peer: NetConnectOpts) => connect(peer)],
  ["TLS", () => secure, (peer: NetConnectOpts) => connectTls({ ...peer, rejectUnauthorized: false })],
])(
  "a connection of HTTP/1.1 over %s is cut, though its client sends on and keeps its side open",
  (_name, port, open) => {
    it.each([
      ["after a body without end was refused as too large", `fff\r\n${"x".repeat(0xfff)}\r\n`, "HTTP/1.1 413"],
      ["when a body took too long", "1\r\nx\r\n", "HTTP/1.1 400 ERR_HTTP_REQUEST_TIMEOUT"],
    ])("%s", async (_title, chunk, told) => {
      const socket = open({ host: "127.0.0.1", port: port().port, allowHalfOpen: true });
      const answer = new Promise((resolve) => socket.once("data", (bytes: Buffer) => resolve(bytes.toString())));
      socket.write(`${HEADERS}transfer-encoding: chunked\r\n\r\n`);
      await writeOn(socket, chunk);
      expect(await answer).toContain(told);
    });
  },
);

it.each([
  ["main", () => secure],
  ["gRPC", () => secureGrpc],
])("a connection to the %s port that does not end its handshake is ended", async (_name, port) => {
  const silent = openPlain(port()).resume();
  await ended(silent);
  const halfway = openPlain(port()).resume();
  // The head of a ClientHello of 512 bytes, and no more of it than dribbles in.
  drip(halfway, "\0").write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]));
  await ended(halfway);
});

describe.each([
  ["main port", () => plain, false],
  ["main port over TLS", () => secure, true],
  ["gRPC port", () => grpc, false],
  ["gRPC port over TLS", () => secureGrpc, true],
])("on the %s, of HTTP/2", (_name, port, isSecure) => {
  it("a session without streams is ended, however much it pings", async () => {
    const session = openSession(port(), isSecure);
    const timer = setInterval(() => !session.destroyed && session.ping(() => undefined), DRIP_MS);
    await new Promise((resolve) => session.once("close", resolve));
    clearInterval(timer);
  });

  it("a stream whose message does not come is ended, and then its session", async () => {
    const session = openSession(port(), isSecure);
    const path = "/keysvc.v1.KeyService/Validate";
    const headers = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };
    const streams = [path, "/call"].map((name) => session.request({ ...headers, ":path": name }, { endStream: false }));
    for (const stream of streams) stream.on("error", () => undefined).resume();
    await new Promise((resolve) => session.once("close", resolve));
    expect(streams.every(({ closed }) => closed)).toBe(true);
  });
});

it.each([
  ["plain text", () => plain, false],
  ["TLS", () => secure, true],
])("an answer of HTTP/2 over %s that is not taken is ended", async (_name, port, isSecure) => {
  const session = openSession(port(), isSecure);
  const stream = session.request({ ":path": "/large" });
  stream.on("error", () => undefined).pause();
  await new Promise((resolve) => stream.once("close", resolve));
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
  session.destroy();
});

it.each([
  ["main port", () => patient, openPlain],
  ["main port over TLS", () => patientSecure, openSecure],
])(
  "on the %s, a new caller is served while as many connections as there may be say nothing",
  async (_name, port, open) => {
    const silent = Array.from({ length: 2 * CONNECTIONS_MAX }, () =>
      open(port())
        .on("error", () => undefined)
        .resume(),
    );
    const answer = await new Promise<string>((resolve) => {
      const socket = open(port());
      socket.write(`${HEADERS}content-length: 0\r\nconnection: close\r\n\r\n`);
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk;
      });
      socket.on("error", () => undefined).once("close", () => resolve(text));
    });
    expect(answer).toContain("answered");
    for (const socket of silent) socket.destroy();
  },
);
