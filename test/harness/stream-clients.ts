import { connect as connectHttp2 } from "node:http2";
import {
  type DescMethodServerStreaming,
  fromBinary,
  type JsonObject,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { Client as GrpcJsClient, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { GatewayMethod } from "../../gen/gateway.js";
import { messageFromGatewayJson } from "../conformance/gateway-json.ts";
import { codeName, grpcJsCredentials, grpcJsFailure, readDetails, type Target } from "./clients.ts";
import { http1Opener, http2Opener, jsonStreamClient } from "./json-streams.ts";

/** How a stream ended that was not to end so. */
export interface Told {
  /** The code of gRPC in snake_case; `broken`: the connection was broken off. */
  code: string;
  reason: string | undefined;
  message: string;
}

export class StreamFailure extends Error {
  readonly told: Told;

  constructor(told: Told) {
    super(`${told.code}: ${told.message}`);
    this.told = told;
  }
}

export interface OpenOptions {
  credential: string;
  /** Aborted to leave. */
  signal: AbortSignal;
}

/** A client of streams in one protocol. Requests are written as on the JSON paths; rows are as the protocol has them. */
export interface StreamClient {
  name: string;
  /** Resolves when the call is accepted. It, or reading the rows, throws a StreamFailure. */
  open(
    method: GatewayMethod,
    request: JsonObject,
    options: OpenOptions,
  ): Promise<{ requestId: string | null; rows: AsyncIterable<Record<string, unknown>> }>;
}

/** A client for each protocol and version of HTTP. Close them before the service. */
export function openStreamClients({ url, grpcAddress, ca }: Target): { clients: StreamClient[]; close: () => void } {
  const nodeOptions = { ...(ca !== undefined && { ca }) };
  const main = new Http2SessionManager(url, {}, nodeOptions);
  const session = connectHttp2(url, nodeOptions).on("error", () => undefined);
  const http1 = { baseUrl: url, httpVersion: "1.1", nodeOptions: { agent: false as const, ...nodeOptions } } as const;
  const http2 = { baseUrl: url, httpVersion: "2", sessionManager: main } as const;
  const grpcJs = [new URL(url).host, grpcAddress].map((address) => new GrpcJsClient(address, grpcJsCredentials(ca)));
  const [grpcJsMain, grpcJsNative] = grpcJs as [GrpcJsClient, GrpcJsClient];
  const clients = [
    jsonStreamClient("events, HTTP/1.1", "text/event-stream", http1Opener(url, ca)),
    jsonStreamClient("events, HTTP/2", "text/event-stream", http2Opener(session)),
    jsonStreamClient("NDJSON, HTTP/1.1", "application/x-ndjson", http1Opener(url, ca)),
    jsonStreamClient("NDJSON, HTTP/2", "application/x-ndjson", http2Opener(session)),
    jsonStreamClient("CSV, HTTP/1.1", "text/csv", http1Opener(url, ca)),
    jsonStreamClient("CSV, HTTP/2", "text/csv", http2Opener(session)),
    connectStreamClient("Connect JSON, HTTP/1.1", createConnectTransport({ ...http1, useBinaryFormat: false })),
    connectStreamClient("Connect binary, HTTP/2", createConnectTransport({ ...http2, useBinaryFormat: true })),
    connectStreamClient("gRPC-Web, HTTP/1.1", createGrpcWebTransport(http1)),
    connectStreamClient("gRPC-Web, HTTP/2", createGrpcWebTransport(http2)),
    connectStreamClient("gRPC by Connect", createGrpcTransport({ baseUrl: url, sessionManager: main })),
    grpcJsStreamClient("gRPC by grpc-js", grpcJsMain),
    grpcJsStreamClient("gRPC by grpc-js, gRPC port", grpcJsNative),
  ];
  const close = () => {
    main.abort();
    session.destroy();
    for (const client of grpcJs) client.close();
  };
  return { clients, close };
}

function connectStreamClient(name: string, transport: Transport): StreamClient {
  const failure = (error: unknown) => {
    const fault = ConnectError.from(error);
    const { reason } = readDetails((schema) => fault.findDetails(schema)[0]);
    return new StreamFailure({ code: codeName(fault.code), reason, message: fault.rawMessage });
  };
  return {
    name,
    async open({ rpc }, json, { credential, signal }) {
      const method = rpc as DescMethodServerStreaming;
      const requests = (async function* () {
        yield messageFromGatewayJson(method.input, json);
      })();
      const headers = { authorization: `Bearer ${credential}` };
      try {
        const { header, message } = await transport.stream(method, signal, undefined, headers, requests);
        return { requestId: header.get("x-request-id"), rows: rowsOf(message, failure) };
      } catch (error) {
        throw failure(error);
      }
    },
  };
}

async function* rowsOf(
  messages: AsyncIterable<Message>,
  failure: (error: unknown) => StreamFailure,
): AsyncGenerator<Record<string, unknown>> {
  try {
    for await (const message of messages) yield Object(Reflect.get(message, "row"));
  } catch (error) {
    throw failure(error);
  }
}

function grpcJsStreamClient(name: string, client: GrpcJsClient): StreamClient {
  return {
    name,
    open: ({ rpc }, json, { credential, signal }) =>
      new Promise((resolve, reject) => {
        const method = rpc as DescMethodServerStreaming;
        const path = `/${method.parent.typeName}/${method.name}`;
        const serialize = (message: Message) => Buffer.from(toBinary(method.input, message));
        const deserialize = (bytes: Buffer) => fromBinary(method.output, bytes);
        const metadata = Metadata.fromHttp2Headers({ authorization: `Bearer ${credential}` });
        const request = messageFromGatewayJson(method.input, json);
        const call = client.makeServerStreamRequest(path, serialize, deserialize, request, metadata);
        const failure = (error: unknown) => {
          // grpc-js rejects with nothing else.
          const { code, reason, message } = grpcJsFailure(error as ServiceError, null);
          return new StreamFailure({ code, reason, message });
        };
        signal.addEventListener("abort", () => call.cancel());
        call.once("error", (error) => reject(failure(error)));
        call.once("metadata", (headers: Metadata) => {
          const requestId = headers.get("x-request-id")[0]?.toString() ?? null;
          resolve({ requestId, rows: rowsOf(call, failure) });
        });
      }),
  };
}
