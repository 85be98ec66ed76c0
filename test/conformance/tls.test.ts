import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type SecureVersion } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiService } from "../../gen/keysvc/v1/api_pb.js";
import { KeyService } from "../../gen/keysvc/v1/key_pb.js";
import { openClients, type ProtocolClient } from "../harness/clients.ts";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";
import { callAll, expectSameFault, expectSameResponse } from "./compare.ts";
import { http1Sender, http2Sender } from "./http-senders.ts";

let directory: string;
let ca: string;
let service: TestService;
let url: string;
let clients: ProtocolClient[];
let closeClients: () => void;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "keysvc-tls-"));
  const [certPath, keyPath] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  const subject = ["-subj", "/CN=keysvc", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", keyPath, "-out", certPath];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  await promisify(execFile)("openssl", ["req", "-x509", ...curve, "-days", "2", ...subject, ...files]);
  ca = await readFile(certPath, "utf8");
  service = await startService({ KEYSVC_TLS_CERT: certPath, KEYSVC_TLS_KEY: keyPath });
  url = service.url.replace("http:", "https:");
  const open = openClients({ url, grpcAddress: service.grpcAddress, ca });
  clients = open.clients;
  closeClients = open.close;
});
afterAll(async () => {
  closeClients();
  await service.close();
  await rm(directory, { recursive: true });
});

it("over TLS every protocol gives the same verdict, on both ports", async () => {
  const key = "sk_000000000000000000000000000000000";
  const outcomes = await callAll(clients, KeyService.method.validate, { key }, PROJECT_KEY);
  expect(expectSameResponse(outcomes, { requestId: /^req_\w+$/ })).toMatchObject({ code: "NOT_FOUND" });
});

it("over TLS every protocol gives the same refusal, on both ports", async () => {
  const outcomes = await callAll(clients, ApiService.method.create, { name: "" }, PROJECT_KEY);
  expect(expectSameFault(outcomes)).toMatchObject({ code: "invalid_argument", fields: [{ field: "name" }] });
});

it("the main port speaks HTTP/1.1 and HTTP/2 over TLS to those who ask for one of them", async () => {
  const agent = new Agent({ ca, ALPNProtocols: ["http/1.1"] });
  const http2 = http2Sender(url, ca);
  const answers = await Promise.all([http1Sender(url, agent), http2.send].map((send) => send("/key/validate", {}, "")));
  expect(answers.map(({ httpVersion, status }) => [httpVersion, status])).toEqual([
    ["1.1", 401],
    ["2.0", 401],
  ]);
  agent.destroy();
  http2.close();
});

it.each([
  [["h2", "http/1.1"], "h2"],
  [["http/1.1"], "http/1.1"],
])("a client that offers %j by ALPN gets %s on the main port", async (offered, chosen) => {
  expect(await negotiate(Number(new URL(url).port), offered)).toBe(chosen);
});

it("the gRPC port chooses h2 by ALPN, which gRPC clients insist on", async () => {
  expect(await negotiate(Number(service.grpcAddress.split(":")[1]), ["h2"])).toBe("h2");
});

it.each([
  ["main", () => new URL(service.url).port],
  ["gRPC", () => service.grpcAddress.split(":")[1]],
])("the %s port speaks no TLS older than 1.2", async (_name, port) => {
  const agree = (maxVersion: SecureVersion) =>
    new Promise((resolve) => {
      // Below its default level of security, OpenSSL would not offer the old versions itself.
      const old = { minVersion: "TLSv1" as const, ciphers: "DEFAULT@SECLEVEL=0" };
      const socket = connectTls({
        host: "127.0.0.1",
        port: Number(port()),
        ca,
        ALPNProtocols: ["h2"],
        ...old,
        maxVersion,
      });
      socket.on("secureConnect", () => resolve(socket.getProtocol()));
      socket.on("error", () => resolve("refused"));
    });
  expect([await agree("TLSv1.1"), await agree("TLSv1.2"), await agree("TLSv1.3")]).toEqual([
    "refused",
    "TLSv1.2",
    "TLSv1.3",
  ]);
});

it.each([
  ["main", () => service.url],
  ["gRPC", () => `http://${service.grpcAddress}`],
])("the %s port answers nothing in plain text", async (_name, plainUrl) => {
  const http1 = fetch(plainUrl(), { method: "POST" });
  await expect(http1).rejects.toThrow();
  const http2 = new Promise((resolve, reject) => {
    const session = connectHttp2(plainUrl());
    const stream = session.request({ ":path": "/healthz" });
    stream
      .on("response", resolve)
      .on("error", reject)
      .on("close", () => reject(new Error("closed")));
    session.on("error", reject);
  });
  await expect(http2).rejects.toThrow();
});

function negotiate(port: number, ALPNProtocols: string[]): Promise<string | false | null> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: "127.0.0.1", port, ca, ALPNProtocols }, () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}
