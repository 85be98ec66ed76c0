import { type Fault, WWW_AUTHENTICATE } from "../lib/fault.ts";

/** An error as the JSON paths answer it (RFC 9457), with `code` being the one of gRPC. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  errors?: { field: string; message: string }[];
}

export const PROBLEM_CONTENT_TYPE = "application/problem+json";

/** The problem of a fault. */
export function toProblem(fault: Fault, requestId: string): Problem {
  return {
    type: `urn:keysvc:problem:${fault.reason.toLowerCase().replaceAll("_", "-")}`,
    title: fault.title,
    status: fault.status,
    detail: fault.detail,
    code: fault.code,
    requestId,
    ...(fault.fields.length > 0 && { errors: fault.fields.map(({ field, message }) => ({ field, message })) }),
  };
}

/** The headers that go with a fault: WWW-Authenticate (RFC 6750) and Retry-After (RFC 9110). */
export function problemHeaders(fault: Fault): Record<string, string> {
  return {
    "content-type": PROBLEM_CONTENT_TYPE,
    ...(fault.status === 401 && { "www-authenticate": WWW_AUTHENTICATE }),
    ...(fault.retryAfterSeconds !== undefined && { "retry-after": String(fault.retryAfterSeconds) }),
  };
}
