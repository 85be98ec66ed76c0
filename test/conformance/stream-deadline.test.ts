import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AnalyticsService, AnalyticsSource } from "../../gen/keysvc/v1/analytics_pb.js";
import { callRawGrpc } from "../harness/raw-grpc.ts";
import { PROJECT_KEY } from "../harness/service.ts";
import { type StreamService, startStreamService } from "../harness/stream-service.ts";

/* A caller's deadline ends a stream too. */

let service: StreamService;
let ended = Promise.withResolvers<void>();
let opened = 0;
beforeAll(async () => {
  service = await startStreamService({
    logsTail: async (_request, { signal }) => {
      opened += 1;
      return (async function* () {
        try {
          yield { row: { requestId: "first" } };
          await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        } finally {
          ended.resolve();
        }
      })();
    },
  });
});
afterAll(() => service.stop());

it.each([
  ["Connect", () => createConnectTransport({ baseUrl: service.url, httpVersion: "1.1" })],
  ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: service.url, httpVersion: "2" })],
  ["gRPC", () => createGrpcTransport({ baseUrl: service.url })],
  ["gRPC, gRPC port", () => createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` })],
])("a stream ends with its caller's deadline: %s", async (_name, makeTransport) => {
  ended = Promise.withResolvers();
  const client = createClient(AnalyticsService, makeTransport());
  // Long enough for the first row, also where the machine is busy.
  const options = { timeoutMs: 3_000, headers: { authorization: `Bearer ${PROJECT_KEY}` } };
  const rows: unknown[] = [];
  const reading = async () => {
    for await (const { row } of client.logsTail({ source: AnalyticsSource.API_TRAFFIC }, options)) rows.push(row);
  };
  const error = await reading().catch((thrown: unknown) => thrown);
  expect(ConnectError.from(error).code).toBe(Code.DeadlineExceeded);
  expect(rows).toHaveLength(1);
  await ended.promise;
  expect(service.logged).toEqual([]);
});

it.each([
  ["main", () => new URL(service.url).host],
  ["gRPC", () => service.grpcAddress],
])("on the %s port a stream whose deadline had passed before it began is not opened", async (_name, address) => {
  const { name, input } = AnalyticsService.method.logsTail;
  const message = toBinary(input, create(input, { source: AnalyticsSource.API_TRAFFIC }));
  const before = opened;
  for (const timeout of ["0m", "1n"]) {
    const headers = { "grpc-timeout": timeout };
    const { status } = await callRawGrpc(address(), `/${AnalyticsService.typeName}/${name}`, message, headers);
    expect(status).toBe(Code.DeadlineExceeded);
  }
  expect(opened).toBe(before);
  expect(service.logged).toEqual([]);
});

it.each([
  ["Connect", "1.1", "connect-timeout-ms", "9999999999"],
  ["gRPC", "2", "grpc-timeout", "2592000S"],
  ["gRPC, gRPC port", "2", "grpc-timeout", "2592000S"],
] as const)(
  "a stream with a deadline of more than 25 days is not cut: %s",
  async (name, httpVersion, header, timeout) => {
    const baseUrl = name === "gRPC, gRPC port" ? `http://${service.grpcAddress}` : service.url;
    const transport =
      name === "Connect" ? createConnectTransport({ baseUrl, httpVersion }) : createGrpcTransport({ baseUrl });
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${PROJECT_KEY}`, [header]: timeout };
    const options = { headers, signal: controller.signal };
    const rows = createClient(AnalyticsService, transport).logsTail({ source: AnalyticsSource.API_TRAFFIC }, options);
    const iterator = rows[Symbol.asyncIterator]();
    expect((await iterator.next()).done).toBe(false);
    const next = iterator.next().catch((error: unknown) => ConnectError.from(error).code);
    setTimeout(() => controller.abort(), 300);
    expect(await next).toBe(Code.Canceled);
  },
);
