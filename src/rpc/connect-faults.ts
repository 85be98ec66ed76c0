import type { DescMethod } from "@bufbuild/protobuf";
import { createContextKey } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { FAULT_CODES, Fault, invalidRequest } from "../lib/fault.ts";
import type { Authorized } from "./invoke.ts";

/** What is known of an answer before its first message. */
export interface AcceptedStream {
  header: Headers;
  /** Where the protocol has trailers of HTTP. */
  trailer?: Headers;
}

/** What becomes of one call on its way through Connect. */
export interface ConnectCall {
  requestId: string;
  /** Set by the gate, before the message is read. */
  authorized?: Authorized;
  /** Whether the answer, good or bad, is ours. */
  isOurs: boolean;
  /** Takes the headers of a stream that was accepted. */
  onAccepted?: (headers: AcceptedStream) => void;
  /** What the gate is to refuse the call with. */
  fault?: Fault;
}

export const connectCall = createContextKey<ConnectCall>({ requestId: "", isOurs: true });

/**
 * Replaces the errors that Connect makes by itself of messages that it cannot read: they repeat parts of the message, have
 * no details, and call bad bytes an internal error. The handler is called once more, and its gate refuses the call with
 * the fault before anything is read; so the fault is written as the protocol of the call wants it.
 */
export function withFaults(handler: UniversalHandler): UniversalHandler {
  const handle = async (request: Parameters<UniversalHandler>[0]): Promise<UniversalServerResponse> => {
    const response = await handler(request);
    const call = request.contextValues?.get(connectCall);
    if (call === undefined || call.isOurs) return response;
    const { error, bytes } = await readError(response);
    const fault = error && unreadableFault(handler.method, error);
    if (fault === undefined) return bytes === undefined ? response : { ...response, body: iterate(bytes) };
    call.fault = fault;
    return handler(request);
  };
  return Object.assign(handle, handler);
}

interface WireError {
  code: number;
  message: string;
}

/** Finds the error in a response of any protocol; where its body had to be read for it, with the bytes. */
async function readError({ status, header, body, trailer }: UniversalServerResponse): Promise<{
  error?: WireError;
  bytes?: Uint8Array;
}> {
  const grpcStatus = trailer?.get("grpc-status");
  if (grpcStatus) return { error: { code: Number(grpcStatus), message: trailer?.get("grpc-message") ?? "" } };
  const contentType = header?.get("content-type") ?? "";
  const isGrpcWeb = contentType.startsWith("application/grpc-web");
  const isConnectStream = contentType.startsWith("application/connect+");
  if (body === undefined || (!isGrpcWeb && !isConnectStream && status < 400)) return {};
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  // A stream that ends before its first message has one envelope, whose head is five bytes.
  const error = isGrpcWeb ? grpcWebError(bytes) : connectError(isConnectStream ? bytes.subarray(5) : bytes);
  return { bytes, ...(error && { error }) };
}

function grpcWebError(bytes: Buffer): WireError | undefined {
  const text = bytes.toString("latin1");
  const code = /grpc-status: ?(\d+)/i.exec(text)?.[1];
  return code === undefined ? undefined : { code: Number(code), message: text };
}

function connectError(bytes: Buffer): WireError | undefined {
  const json: unknown = JSON.parse(bytes.toString() || "{}");
  const error = isObject(json) && isObject(json.error) ? json.error : json;
  const { code, message } = isObject(error) ? error : {};
  const known = Object.entries(FAULT_CODES).find(([name]) => name === code);
  return known && { code: known[1], message: String(message) };
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null;
}

function unreadableFault(method: DescMethod, { code, message }: WireError): Fault | undefined {
  if (code === FAULT_CODES.resource_exhausted) {
    return new Fault("BODY_TOO_LARGE", "the message is larger than this method takes");
  }
  // Anything else, such as an unknown compression or a deadline that is none, Connect says best.
  if (/timeout/i.test(message)) return undefined;
  if (code !== FAULT_CODES.invalid_argument && code !== FAULT_CODES.internal) return undefined;
  return unreadableField(message) ?? new Fault("MALFORMED_BODY", `the message is no ${method.input.typeName}`);
}

/** The field that protobuf-es names in the error of a JSON message: one that it does not know, or cannot read. */
function unreadableField(message: string): Fault | undefined {
  const unknown = /: key "([^"]{1,100})" is unknown/.exec(message)?.[1];
  if (unknown !== undefined) return invalidRequest([{ field: unknown, message: "unknown field" }]);
  const wrong = /cannot decode field [\w.]+\.(\w+) from JSON/.exec(message)?.[1];
  if (wrong === undefined) return undefined;
  const field = wrong.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return invalidRequest([{ field, message: "has the wrong type or form" }]);
}

async function* iterate(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
