/**
 * The catalogue of faults: everything that can go wrong with a call, once. `code` is the gRPC and Connect code, `status`
 * the HTTP status of the gateway. A denied key is no fault, but a verdict. docs/errors.md is compared with it by a test.
 */
export const FAULTS = {
  INVALID_REQUEST: { code: "invalid_argument", status: 400, title: "The request breaks a rule" },
  MALFORMED_REQUEST: { code: "invalid_argument", status: 400, title: "The request cannot be read" },
  MALFORMED_BODY: { code: "invalid_argument", status: 400, title: "The body cannot be read" },
  MISSING_CREDENTIAL: { code: "unauthenticated", status: 401, title: "A credential is needed" },
  WRONG_CREDENTIAL: { code: "unauthenticated", status: 401, title: "The credential is not valid" },
  SCOPE_MISSING: { code: "permission_denied", status: 403, title: "The credential lacks the scope" },
  NOT_FOUND: { code: "not_found", status: 404, title: "It does not exist" },
  UNKNOWN_PATH: { code: "not_found", status: 404, title: "The path does not exist" },
  METHOD_NOT_ALLOWED: { code: "unimplemented", status: 405, title: "The method is not served here" },
  NOT_ACCEPTABLE: { code: "invalid_argument", status: 406, title: "No content type that Accept names is served here" },
  REQUEST_TIMEOUT: { code: "deadline_exceeded", status: 408, title: "The request did not arrive in time" },
  CONFLICT: { code: "failed_precondition", status: 409, title: "The present state does not allow it" },
  BODY_TOO_LARGE: { code: "resource_exhausted", status: 413, title: "The body is too large" },
  UNSUPPORTED_MEDIA_TYPE: { code: "invalid_argument", status: 415, title: "The content type is not application/json" },
  TOO_MANY_REQUESTS: { code: "resource_exhausted", status: 429, title: "Too many calls in a short time" },
  HEADERS_TOO_LARGE: { code: "resource_exhausted", status: 431, title: "The headers are too large" },
  INTERNAL: { code: "internal", status: 500, title: "A fault of the service" },
  NOT_BUILT: { code: "unimplemented", status: 501, title: "The method is not built yet" },
  DEADLINE_EXCEEDED: { code: "deadline_exceeded", status: 504, title: "The caller's deadline has passed" },
  DATABASE_UNAVAILABLE: { code: "unavailable", status: 503, title: "The database is out of reach" },
  STOPPING: { code: "unavailable", status: 503, title: "The service is stopping" },
  OVERLOADED: { code: "unavailable", status: 503, title: "More calls than can be answered" },
  CONTENDED: { code: "unavailable", status: 503, title: "Too many changes at once" },
} as const satisfies Record<string, { code: FaultCode; status: number; title: string }>;

/** Codes of gRPC and Connect with their numbers, which the two share. */
export const FAULT_CODES = {
  invalid_argument: 3,
  deadline_exceeded: 4,
  not_found: 5,
  permission_denied: 7,
  resource_exhausted: 8,
  failed_precondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** What a 401 asks for (RFC 6750). */
export const WWW_AUTHENTICATE = 'Bearer realm="keysvc"';

export type FaultCode = keyof typeof FAULT_CODES;
export type FaultReason = keyof typeof FAULTS;

/** A field of a request that is at fault. */
export interface FieldError {
  /** The path in camelCase, such as `credits.limit` or `tags[3]`; empty for the request as a whole. */
  field: string;
  message: string;
}

/** Over gRPC it travels in the trailers, which have to stay small. */
const DETAIL_MAX = 2_000;

/** A fault that the caller is told of. `detail` and `fields` are shown to the caller, `cause` only to the log. */
export class Fault extends Error {
  readonly reason: FaultReason;
  readonly detail: string;
  readonly fields: readonly FieldError[];
  /** Whole seconds after which to try again, at least 1. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    reason: FaultReason,
    detail: string,
    more: { fields?: readonly FieldError[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(`${reason}: ${detail}`, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "Fault";
    this.reason = reason;
    this.detail = detail.length <= DETAIL_MAX ? detail : `${detail.slice(0, DETAIL_MAX)}…`;
    this.fields = more.fields ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds;
  }

  get code(): FaultCode {
    return FAULTS[this.reason].code;
  }

  get status(): number {
    return FAULTS[this.reason].status;
  }

  get title(): string {
    return FAULTS[this.reason].title;
  }
}

/** The fault that an error is to its caller: what is none is internal, and shows nothing of itself. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault("INTERNAL", "the service failed; its log has the reason", { cause: error });
}

/** The fault of a database that did not answer. */
export function databaseUnavailable(cause?: unknown): Fault {
  const detail = "the database did not answer in time; nothing is known of a change under way";
  return new Fault("DATABASE_UNAVAILABLE", detail, { retryAfterSeconds: 1, cause });
}

/** The fault of a request that breaks rules, naming every field. */
export function invalidRequest(fields: readonly FieldError[]): Fault {
  const detail = fields.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)).join("; ");
  return new Fault("INVALID_REQUEST", detail, { fields });
}

/** The fault of a call that nobody waits for any more; nothing is done for it. */
export function deadlineHadPassed(): Fault {
  return new Fault("DEADLINE_EXCEEDED", "the deadline had passed before the call began");
}
