import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { freshDatabaseUri, PROJECT_KEY, SECRET } from "../harness/service.ts";

let folder: string;
let service: ServiceProcess | undefined;
let sockets: Socket[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keysvc-stop-"));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await service?.stop("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

function settings(): Record<string, string> {
  return { KEYSVC_MONGODB_URI: freshDatabaseUri(), KEYSVC_PROJECT_KEY: PROJECT_KEY, KEYSVC_SECRET: SECRET };
}

function certificate(): Record<string, string> {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=localhost", "-days", "1"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ed25519", "-nodes", "-out", cert, "-keyout", key, ...subject], {
    stdio: "ignore",
  });
  return { KEYSVC_TLS_CERT: cert, KEYSVC_TLS_KEY: key };
}

async function open(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  sockets.push(socket);
  await new Promise((resolve) => socket.once("connect", resolve));
}

async function expectCleanStop(): Promise<void> {
  const start = performance.now();
  expect(await service?.stop("SIGTERM")).toBe(0);
  expect(performance.now() - start).toBeLessThan(10_000);
  expect(service?.output()).toContain('"msg":"stopped"');
}

it("a client that connects to either port and says nothing does not hold up the stop", async () => {
  service = await startProcess(settings());
  await open(service.port);
  await open(service.grpcPort);
  await expectCleanStop();
});

it("the same over TLS, before the handshake", async () => {
  service = await startProcess({ ...settings(), ...certificate() });
  await open(service.port);
  await open(service.grpcPort);
  await expectCleanStop();
});

it("an HTTP/2 session that stays open does not hold up the stop", async () => {
  service = await startProcess(settings());
  const session = connectHttp2(service.url).on("error", () => undefined);
  await new Promise((resolve) => session.once("connect", resolve));
  const status = await new Promise((resolve) => {
    session
      .request({ ":path": "/readyz" })
      .on("response", (headers) => resolve(headers[":status"]))
      .resume();
  });
  expect(status).toBe(200);
  await expectCleanStop();
  session.destroy();
});

it("a connection that its client closes before it says anything is closed by the service too", async () => {
  service = await startProcess(settings());
  for (let index = 0; index < 50; index++) await open(service.port);
  // The client's side closes for good once the service has closed its own; a half-open one would last a minute.
  const closed = sockets.map((socket) => new Promise((resolve) => socket.resume().once("close", resolve).end()));
  await Promise.all(closed);
  await expectCleanStop();
});

it("an HTTP/2 client that sends more than is read gets its answer, and does not hold up the stop", async () => {
  service = await startProcess(settings());
  const session = connectHttp2(service.url).on("error", () => undefined);
  const stream = session.request({
    ":method": "POST",
    ":path": "/keysvc.v1.KeyService/Validate",
    "content-type": "application/grpc+proto",
    te: "trailers",
    authorization: `Bearer ${PROJECT_KEY}`,
  });
  const status = new Promise((resolve) => stream.on("trailers", (trailers) => resolve(trailers["grpc-status"])));
  const closed = new Promise((resolve) => stream.on("error", () => undefined).once("close", resolve));
  // An envelope of 3,000,000 bytes, of which the service reads no more than it takes; the stream is never ended.
  stream.resume().write(Buffer.concat([Buffer.from([0, 0, 0x2d, 0xc6, 0xc0]), Buffer.alloc(2_000_000)]));
  expect(await status).toBe("8");
  await closed;
  await expectCleanStop();
  session.destroy();
});
