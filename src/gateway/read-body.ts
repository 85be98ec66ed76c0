import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import type { GatewayMethod } from "../../gen/gateway.js";
import { Fault } from "../lib/fault.ts";
import type { ReadMessage } from "../rpc/read-message.ts";
import { decodeJson } from "./decode-json.ts";

/** How the body of a request is read, as the message of a method. Throws MALFORMED_BODY. */
export function readBody({ rpc }: GatewayMethod, request: FastifyRequest): ReadMessage {
  return () => decodeJson(rpc.input, parseBody(request.body));
}

function parseBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  if (!isUtf8(body)) throw new Fault("MALFORMED_BODY", "the body is not UTF-8");
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // V8's message repeats parts of the body, which may hold a key.
    throw new Fault("MALFORMED_BODY", "the body is not valid JSON");
  }
}
