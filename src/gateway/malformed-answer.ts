import { STATUS_CODES } from "node:http";
import { Fault } from "../lib/fault.ts";
import { SECURITY_HEADERS } from "../lib/security-headers.ts";
import { PROBLEM_CONTENT_TYPE, toProblem } from "./problem.ts";

/** The whole answer to bytes that are no HTTP, as text. */
export function malformedAnswer(fault: Fault, requestId: string): string {
  const body = JSON.stringify(toProblem(fault, requestId));
  return [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    `content-type: ${PROBLEM_CONTENT_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    "connection: close",
    "",
    body,
  ].join("\r\n");
}

/**
 * The fault of bytes that are no HTTP.
 *
 * @param code the error of Node's parser, such as HPE_HEADER_OVERFLOW
 */
export function malformedFault(code: string | undefined): Fault {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Fault("HEADERS_TOO_LARGE", "the headers are larger than 16 kB");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Fault("REQUEST_TIMEOUT", "the request did not arrive as a whole in time");
    default:
      return new Fault("MALFORMED_REQUEST", "the request is not HTTP");
  }
}
