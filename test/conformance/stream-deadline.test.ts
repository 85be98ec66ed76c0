import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AnalyticsService, AnalyticsSource } from "../../gen/keysvc/v1/analytics_pb.js";
import { PROJECT_KEY } from "../harness/service.ts";
import { type StreamService, startStreamService } from "../harness/stream-service.ts";

/* A caller's deadline ends a stream too. */

let service: StreamService;
let ended = Promise.withResolvers<void>();
beforeAll(async () => {
  service = await startStreamService({
    logsTail: async (_request, { signal }) =>
      (async function* () {
        try {
          yield { row: { requestId: "first" } };
          await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        } finally {
          ended.resolve();
        }
      })(),
  });
});
afterAll(() => service.stop());

it.each([
  ["Connect", () => createConnectTransport({ baseUrl: service.url, httpVersion: "1.1" })],
  ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: service.url, httpVersion: "2" })],
  ["gRPC", () => createGrpcTransport({ baseUrl: service.url })],
  ["gRPC, gRPC port", () => createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` })],
])("%s", async (_name, makeTransport) => {
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
