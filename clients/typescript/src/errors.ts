const KIND = Symbol.for("keysvc.error");

/**
 * What every error of this library is. No message has a key, a credential or a body in it. `instanceof` knows errors of another
 * copy of the library too, such as a bundle brings: whether a guard lets pass depends on it.
 */
export class KeysvcError extends Error {
  override name = "KeysvcError";
  static {
    mark(KeysvcError, "KeysvcError");
    Object.defineProperty(KeysvcError, Symbol.hasInstance, { value: isInstance });
  }
}

function mark(kind: { prototype: object }, name: string): void {
  Object.defineProperty(kind.prototype, KIND, { value: name });
}

function kindOf(prototype: object): unknown {
  return Object.getOwnPropertyDescriptor(prototype, KIND)?.value;
}

/** What instanceof asks; `this` is the class on its right. One that an application has derived is known by itself. */
function isInstance(this: { prototype: object }, value: unknown): boolean {
  const own = kindOf(this.prototype);
  if (own === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
  let at: unknown = value;
  while (typeof at === "object" && at !== null) {
    if (kindOf(at) === own) return true;
    at = Object.getPrototypeOf(at);
  }
  return false;
}

/** Options that nothing can be made of. */
export class ConfigurationError extends KeysvcError {
  override name = "ConfigurationError";
  static {
    mark(ConfigurationError, "ConfigurationError");
  }
  /** What is wrong, by the name of the option, or of the variable of the environment that stands for it. */
  readonly problems: Readonly<Record<string, string>>;

  constructor(problems: Record<string, string>) {
    const list = Object.entries(problems).map(([option, problem]) => `${option} ${problem}`);
    super(`wrong configuration: ${list.join("; ")}`);
    this.problems = problems;
  }
}

/** The service could not be reached, or the connection broke. The cause says how. */
export class TransportError extends KeysvcError {
  override name = "TransportError";
  static {
    mark(TransportError, "TransportError");
  }
}

/** The service did not answer in time. */
export class TimeoutError extends TransportError {
  override name = "TimeoutError";
  static {
    mark(TimeoutError, "TimeoutError");
  }
}

/** What an ApiError is made of. */
export interface ApiErrorDetails {
  statusCode: number;
  code?: string | undefined;
  fields?: readonly { field: string; message: string }[] | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** The service answered with a fault, or with something that is not its answer. */
export class ApiError extends KeysvcError {
  override name = "ApiError";
  static {
    mark(ApiError, "ApiError");
  }
  /** The HTTP status. */
  readonly statusCode: number;
  /** The kind of fault, such as `not_found`; empty where a proxy or something else answered. */
  readonly code: string;
  /** The fields at fault. */
  readonly fields: readonly { field: string; message: string }[];
  /** The id of the call, for whoever runs the service; empty when unknown. */
  readonly requestId: string;
  /** Seconds after which the call may be made again; undefined when the service does not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message);
    this.statusCode = details.statusCode;
    this.code = details.code ?? "";
    this.fields = details.fields ?? [];
    this.requestId = details.requestId ?? "";
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** The credential is missing, wrong, or lacks the scope: 401 and 403. */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
  static {
    mark(AuthenticationError, "AuthenticationError");
  }
}

/** Events were lost because too many waited, or because the client was closed. */
export class QueueFullError extends KeysvcError {
  override name = "QueueFullError";
  static {
    mark(QueueFullError, "QueueFullError");
  }
}
