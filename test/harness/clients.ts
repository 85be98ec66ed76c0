import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import {
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type JsonObject,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { ChannelCredentials, Client as GrpcJsClient, Metadata, type ServiceError } from "@grpc/grpc-js";
import { methods } from "../../gen/gateway.js";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { gatewayJsonFromMessage, messageFromGatewayJson } from "../conformance/gateway-json.ts";
import { http1Sender, http2Sender, type Sender } from "../conformance/http-senders.ts";

/** What a call came to, in one form for all protocols. */
export type Outcome = { ok: true; response: JsonObject; requestId: string | null } | Failure;

export interface Failure {
  ok: false;
  /** The code of gRPC in snake_case. */
  code: string;
  message: string;
  fields: { field: string; message: string }[];
  reason: string | undefined;
  retryAfter: number | undefined;
  /** The header X-Request-Id. */
  requestId: string | null;
  /** The request id that the error itself names. */
  errorRequestId: string | undefined;
}

/** A client of one protocol. Requests and responses are written as on the JSON paths; of a stream it is the first message. */
export interface ProtocolClient {
  name: string;
  call(method: DescMethod, request: JsonObject, credential: string | undefined): Promise<Outcome>;
}

export interface Target {
  /** The main port. */
  url: string;
  /** The gRPC port, as host:port. */
  grpcAddress: string;
  /** The certificate to trust, PEM; undefined: plain text. */
  ca?: string | undefined;
}

/** A client for each protocol and version of HTTP. Close them before the service. */
export function openClients(target: Target): { clients: ProtocolClient[]; close: () => void } {
  const { url, grpcAddress, ca } = target;
  const grpcUrl = `${ca === undefined ? "http" : "https"}://${grpcAddress}`;
  const nodeOptions = { ...(ca !== undefined && { ca }) };
  const sessions = [url, grpcUrl].map((authority) => new Http2SessionManager(authority, {}, nodeOptions));
  const [mainSession, grpcSession] = sessions as [Http2SessionManager, Http2SessionManager];
  const agent = ca === undefined ? new Agent({ keepAlive: true }) : new SecureAgent({ keepAlive: true, ca });
  const http1 = { baseUrl: url, httpVersion: "1.1", nodeOptions: { agent } } as const;
  const http2 = { baseUrl: url, httpVersion: "2", sessionManager: mainSession } as const;
  const jsonHttp2 = http2Sender(url, ca);
  const grpcJs = [new URL(url).host, grpcAddress].map((address) => new GrpcJsClient(address, grpcJsCredentials(ca)));
  const [grpcJsMain, grpcJsNative] = grpcJs as [GrpcJsClient, GrpcJsClient];
  const clients = [
    jsonClient("JSON, HTTP/1.1", http1Sender(url, agent)),
    jsonClient("JSON, HTTP/2", jsonHttp2.send),
    connectClient("Connect JSON, HTTP/1.1", createConnectTransport({ ...http1, useBinaryFormat: false })),
    connectClient("Connect JSON, HTTP/2", createConnectTransport({ ...http2, useBinaryFormat: false })),
    connectClient("Connect binary, HTTP/1.1", createConnectTransport({ ...http1, useBinaryFormat: true })),
    connectClient("Connect binary, HTTP/2", createConnectTransport({ ...http2, useBinaryFormat: true })),
    connectClient("gRPC-Web, HTTP/1.1", createGrpcWebTransport(http1)),
    connectClient("gRPC-Web, HTTP/2", createGrpcWebTransport(http2)),
    connectClient("gRPC by Connect", createGrpcTransport({ baseUrl: url, sessionManager: mainSession })),
    connectClient("gRPC by Connect, gRPC port", createGrpcTransport({ baseUrl: grpcUrl, sessionManager: grpcSession })),
    grpcJsClient("gRPC by grpc-js", grpcJsMain),
    grpcJsClient("gRPC by grpc-js, gRPC port", grpcJsNative),
  ];
  const close = () => {
    for (const session of sessions) session.abort();
    for (const client of grpcJs) client.close();
    agent.destroy();
    jsonHttp2.close();
  };
  return { clients, close };
}

export function grpcJsCredentials(ca: string | undefined): ChannelCredentials {
  return ca === undefined ? ChannelCredentials.createInsecure() : ChannelCredentials.createSsl(Buffer.from(ca));
}

function jsonClient(name: string, send: Sender): ProtocolClient {
  return {
    name,
    async call(method, request, credential) {
      const { path = "", rowField } = methods.find(({ rpc }) => rpc === method) ?? {};
      const accept = method.methodKind === "unary" ? {} : { accept: "application/x-ndjson" };
      const headers = { "content-type": "application/json", ...accept, ...authorization(credential) };
      const { status, header, text } = await send(path, headers, JSON.stringify(request));
      const requestId = header("x-request-id") ?? null;
      const body = JSON.parse(text);
      const response = rowField === undefined ? body : { [rowField]: body };
      if (status === 200) return { ok: true, response, requestId };
      const retryAfter = header("retry-after");
      return {
        ok: false,
        code: body.code,
        message: body.detail,
        fields: body.errors ?? [],
        reason: body.type.replace("urn:keysvc:problem:", "").replaceAll("-", "_").toUpperCase(),
        retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
        requestId,
        errorRequestId: body.requestId,
      };
    },
  };
}

function authorization(credential: string | undefined): Record<string, string> {
  return credential === undefined ? {} : { authorization: `Bearer ${credential}` };
}

function connectClient(name: string, transport: Transport): ProtocolClient {
  return {
    name,
    async call(method, json, credential) {
      const request = messageFromGatewayJson(method.input, json);
      try {
        const { header, message } = await send(method, request, authorization(credential));
        const requestId = header.get("x-request-id");
        return { ok: true, response: gatewayJsonFromMessage(method.output, message), requestId };
      } catch (error) {
        const fault = ConnectError.from(error);
        return {
          code: codeName(fault.code),
          message: fault.rawMessage,
          ...readDetails((schema) => fault.findDetails(schema)[0]),
          requestId: onlyValue(fault.metadata.get("x-request-id")),
        };
      }
    },
  };

  async function send(method: DescMethod, request: Message, headers: Record<string, string>) {
    if (method.methodKind === "unary") {
      return await transport.unary(method as DescMethodUnary, undefined, undefined, headers, request);
    }
    const requests = (async function* () {
      yield request;
    })();
    const streaming = method as DescMethodServerStreaming;
    const { header, message: messages } = await transport.stream(streaming, undefined, undefined, headers, requests);
    for await (const message of messages) return { header, message };
    throw new Error(`${method.name} ended without a message`);
  }
}

/** The metadata of an error is that of header and trailer, joined; the same value in both is one. */
function onlyValue(joined: string | null): string | null {
  return joined === null ? null : [...new Set(joined.split(", "))].join(", ");
}

function grpcJsClient(name: string, client: GrpcJsClient): ProtocolClient {
  return {
    name,
    call: (method, json, credential) =>
      new Promise((resolve) => {
        const path = `/${method.parent.typeName}/${method.name}`;
        const serialize = (message: Message) => Buffer.from(toBinary(method.input, message));
        const deserialize = (bytes: Buffer) => fromBinary(method.output, bytes);
        const request = messageFromGatewayJson(method.input, json);
        const metadata = Metadata.fromHttp2Headers(authorization(credential));
        let requestId: string | null = null;
        const succeed = (message: Message) =>
          resolve({ ok: true, response: gatewayJsonFromMessage(method.output, message), requestId });
        const fail = (error: ServiceError) => resolve(grpcJsFailure(error, requestId));
        const call =
          method.methodKind === "unary"
            ? client.makeUnaryRequest(path, serialize, deserialize, request, metadata, (error, message) => {
                if (message !== undefined) succeed(message);
                else if (error !== null) fail(error);
              })
            : client
                .makeServerStreamRequest(path, serialize, deserialize, request, metadata)
                .on("data", succeed)
                .on("error", fail);
        call.on("metadata", (headers: Metadata) => {
          requestId = headers.get("x-request-id")[0]?.toString() ?? null;
        });
      }),
  };
}

export function grpcJsFailure({ code, details, metadata }: ServiceError, requestId: string | null): Failure {
  const bytes = metadata.get("grpc-status-details-bin")[0];
  const status = Buffer.isBuffer(bytes) ? fromBinary(StatusSchema, bytes) : undefined;
  const any = status?.details ?? [];
  // Connect's server escapes more of grpc-message than it must, and grpc-js unescapes only what encodeURI would escape.
  const escaped = status?.message.replaceAll(/[;/?:@&=+$,#]/g, encodeURIComponent);
  return {
    code: codeName(code),
    message: details === escaped ? (status?.message ?? details) : details,
    ...readDetails((schema) => any.map((detail) => anyUnpack(detail, schema)).find((detail) => detail !== undefined)),
    requestId: requestId ?? metadata.get("x-request-id")[0]?.toString() ?? null,
  };
}

/** What the details of google.rpc say, over gRPC and Connect alike. */
export function readDetails(find: <Desc extends DescMessage>(schema: Desc) => MessageShape<Desc> | undefined) {
  const retryDelay = find(RetryInfoSchema)?.retryDelay;
  const violations = find(BadRequestSchema)?.fieldViolations ?? [];
  return {
    ok: false as const,
    fields: violations.map(({ field, description }) => ({ field, message: description })),
    reason: find(ErrorInfoSchema)?.reason,
    retryAfter: retryDelay === undefined ? undefined : Number(retryDelay.seconds),
    errorRequestId: find(RequestInfoSchema)?.requestId,
  };
}

export function codeName(code: number): string {
  return (Code[code] ?? String(code)).replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}
