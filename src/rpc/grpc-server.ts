import type { Http2Server } from "node:http2";
import { type DescMethod, type DescService, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import {
  type Deadline,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type StatusObject,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { HealthImplementation } from "grpc-health-check";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { Health as HealthService } from "../../gen/grpc/health/v1/health_pb.js";
import { asFault, deadlineHadPassed, FAULT_CODES, Fault } from "../lib/fault.ts";
import type { ConnectOptions } from "./connect-routes.ts";
import { faultStatus } from "./fault-details.ts";
import { leftSignal, sendMessages } from "./grpc-stream.ts";
import type { Health } from "./health.ts";
import type { MessageStream } from "./message-stream.ts";
import { filesOf } from "./reflection.ts";
import { rightGrpcTimeouts } from "./timeout-headers.ts";

export interface GrpcOptions extends ConnectOptions {
  createRequestId: () => string;
  /** Is told of unary calls that were answered, with their code of gRPC, and of faults of streams. */
  onAnswered?: ((path: string, requestId: string, code: number) => void) | undefined;
  health: Health;
  host: string;
  port: number;
  /** PEM texts; undefined: plain text. */
  tls: { cert: string; key: string } | undefined;
  /** Calls under way on one connection; a client waits with more. */
  streamsMax: number;
  /** Bounds the connections of the server, until what it answers is called. */
  watch: (server: Http2Server) => () => void;
}

export interface GrpcServer {
  /** The port that was bound. */
  port: number;
  /** Takes no new call, lets those under way end, and cuts what is left after the deadline. */
  stop(deadlineMs: number): Promise<void>;
}

/**
 * Serves every method natively on a port of its own, several times faster than Connect does: a generic adapter from the
 * service descriptors to `invoke`, with health and reflection of grpc-js. Rejects when the port cannot be bound.
 */
export async function startGrpcServer(options: GrpcOptions): Promise<GrpcServer> {
  const { services, invoker, health, host, port, tls } = options;
  const rows = services.flatMap((service) => service.methods).map((method) => invoker.row(method));
  const server = new Server({
    // Its counts are for a debugging service that is not offered here.
    "grpc.enable_channelz": 0,
    "grpc.max_concurrent_streams": options.streamsMax,
    "grpc.max_receive_message_length": Math.max(...rows.map(({ maxRequestBytes }) => maxRequestBytes)),
  });
  for (const service of services) server.addService(definition(service), implementation(service, options));
  addHealth(server, health);
  addReflection(server, services);
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) }]);
  const bound = await new Promise<number>((resolve, reject) => {
    const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
    server.bindAsync(address, credentials, (error, actual) => (error === null ? resolve(actual) : reject(error)));
  });
  const http2Servers = http2ServersOf(server);
  http2Servers.forEach(rightGrpcTimeouts);
  const ends = http2Servers.map(options.watch);
  const stopAll = (deadlineMs: number) => stop(server, deadlineMs).finally(() => ends.forEach((end) => void end()));
  return { port: bound, stop: stopAll };
}

/** Of each address of the host. grpc-js bounds no slow client, misreads deadlines, and hides the servers that let us mend it. */
function http2ServersOf(server: Server): Http2Server[] {
  const servers: unknown = Reflect.get(server, "http2Servers");
  if (!(servers instanceof Map) || servers.size === 0) throw new Error("grpc-js has its servers elsewhere");
  return [...servers.keys()];
}

function stop(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      // grpc-js waits for clients that never close their side; the process does not.
      resolve();
    }, deadlineMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Requests stay bytes until the caller is known; responses are bytes already. */
function definition(service: DescService): ServiceDefinition {
  const methods = service.methods.map((method): [string, MethodDefinition<Buffer, Uint8Array>] => [
    method.localName,
    {
      path: `/${service.typeName}/${method.name}`,
      requestStream: false,
      responseStream: method.methodKind === "server_streaming",
      requestSerialize: (bytes) => bytes,
      requestDeserialize: (bytes) => bytes,
      responseSerialize: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      responseDeserialize: (bytes) => bytes,
    },
  ]);
  return Object.fromEntries(methods);
}

function implementation(service: DescService, options: GrpcOptions): UntypedServiceImplementation {
  return Object.fromEntries(service.methods.map((method) => [method.localName, handler(method, options)]));
}

function handler(method: DescMethod, { invoker, createRequestId, onFault, onAnswered }: GrpcOptions) {
  const row = invoker.row(method);
  const invocationOf = (call: { metadata: Metadata; request: Buffer }) => ({
    requestId: createRequestId(),
    authorization: call.metadata.get("authorization")[0]?.toString(),
    traceparent: call.metadata.get("traceparent")[0]?.toString(),
    read: () => ({ message: readRequest(method, call.request, row.maxRequestBytes), errors: [] }),
  });
  const refusal = (error: unknown, requestId: string): StatusObject => {
    const fault = asFault(error);
    onFault(fault.reason);
    onAnswered?.(row.path, requestId, FAULT_CODES[fault.code]);
    return toGrpcStatus(fault, requestId);
  };
  const unary: handleUnaryCall<Buffer, Uint8Array> = (call, respond) => {
    const invocation = invocationOf(call);
    const { requestId } = invocation;
    const onMessage = (message: Message): void => {
      const bytes = toBinary(method.output, message);
      sendRequestId(call, requestId);
      respond(null, bytes);
      onAnswered?.(row.path, requestId, 0);
    };
    const onError = (error: unknown): void => {
      sendRequestId(call, requestId);
      respond(refusal(error, requestId), null);
    };
    if (isTooLate(call)) return onError(deadlineHadPassed());
    invoker.invoke(row, invocation).then(onMessage).catch(onError);
  };
  const stream: handleServerStreamingCall<Buffer, Uint8Array> = (call) => {
    const invocation = invocationOf(call);
    const { requestId } = invocation;
    const onOpen = (messages: MessageStream): Promise<void> => {
      // Before there is a message: the caller learns that the call is accepted, and from when on it follows.
      sendRequestId(call, requestId);
      return sendMessages(call, messages, method.output);
    };
    const onError = (error: unknown): void => {
      // It is sent once.
      sendRequestId(call, requestId);
      call.emit("error", refusal(error, requestId));
    };
    if (isTooLate(call)) return onError(deadlineHadPassed());
    invoker
      .open(row, { ...invocation, left: leftSignal(call) })
      .then(onOpen)
      .catch(onError);
  };
  return method.methodKind === "unary" ? unary : stream;
}

/** grpc-js has told the caller so then, or is about to, and hands the call on all the same. */
function isTooLate(call: { getDeadline(): Deadline }): boolean {
  return Number(call.getDeadline()) <= Date.now();
}

/** Of a unary call with the answer, not before it: then both go out in one write. */
function sendRequestId(call: { sendMetadata(metadata: Metadata): void }, requestId: string): void {
  const metadata = new Metadata();
  metadata.set("x-request-id", requestId);
  call.sendMetadata(metadata);
}

function readRequest(method: DescMethod, bytes: Buffer, maxBytes: number): Message {
  if (bytes.length > maxBytes) throw new Fault("BODY_TOO_LARGE", `the message is larger than ${maxBytes} bytes`);
  try {
    return fromBinary(method.input, bytes);
  } catch {
    throw new Fault("MALFORMED_BODY", `the message is no ${method.input.typeName}`);
  }
}

function toGrpcStatus(fault: Fault, requestId: string): StatusObject {
  // X-Request-Id went with the headers.
  const metadata = new Metadata();
  const details = toBinary(StatusSchema, faultStatus(fault, requestId));
  metadata.set("grpc-status-details-bin", Buffer.from(details));
  return { code: FAULT_CODES[fault.code], details: fault.detail, metadata };
}

function addHealth(server: Server, health: Health): void {
  const implementation = new HealthImplementation();
  const publish = (serving: boolean) => {
    for (const service of health.services) implementation.setStatus(service, serving ? "SERVING" : "NOT_SERVING");
  };
  publish(health.serving);
  health.onChange(publish);
  implementation.addToServer(server);
}

/**
 * grpc-js's own reflection. It reads nothing of a package definition but the files, and is given ours as they are: the
 * definition that proto-loader would make merges the files of a package, and loses their services on the way.
 */
function addReflection(server: Server, services: readonly DescService[]): void {
  const files = filesOf([...services, HealthService]);
  const fileDescriptorProtos = files.map(({ proto }) => Buffer.from(toBinary(FileDescriptorProtoSchema, proto)));
  const definition: ConstructorParameters<typeof ReflectionService>[0] = {
    files: { format: "Protocol Buffer 3 EnumDescriptorProto", type: {}, fileDescriptorProtos },
  };
  new ReflectionService(definition).addToServer(server);
}
