import type { ClientAPI } from "../keysvc-client.ts";
import type { ServiceOptions } from "../settings.ts";
import type { VerificationResult } from "../verification.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** The request as resolvers see it. `Raw` is the framework's own. */
export interface MiddlewareRequest<Raw = unknown> {
  /** The HTTP method. */
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  /** The headers. */
  readonly headers: Headers;
  /** The framework's own request. */
  readonly raw: Raw;
  /** What the service said of the key; undefined before that, and where it was not asked. */
  readonly decision: VerificationResult | undefined;
}

/** What failed: to verify, to send events, to find the key, to tell the cost, or to record. */
export type Operation = "verify" | "ingest" | "key" | "credits" | "record";

/** What `onError` is told. It has no key, credential, header or body in it. */
export interface MiddlewareErrorEvent {
  /** What failed. */
  readonly operation: Operation;
  /** The method of the request; empty where it is not about one. */
  readonly method: string;
  /** The path of the request without its query; empty where it is not about one. */
  readonly path: string;
  /** What was thrown. */
  readonly error: unknown;
}

/** Why a request is denied: the codes of verdicts, and those of the middleware's own. */
export type ErrorCode =
  | "MISSING_KEY"
  | "NOT_FOUND"
  | "KEY_EXPIRED"
  | "KEY_DISABLED"
  | "CONSUMER_DISABLED"
  | "CONSUMER_EXPIRED"
  | "API_NOT_ALLOWED"
  | "RATE_LIMITED"
  | "USAGE_EXCEEDED"
  | "SERVICE_UNAVAILABLE";

/** How a middleware is made. Only `apiId` must be given, and a project credential here or in the environment. */
export interface MiddlewareOptions<Raw = unknown> extends ServiceOptions {
  /** The API that is guarded: validation and analytics are scoped to it. */
  apiId: string;
  /** `both` (default) validates and records, `validate` records nothing, `ingest` validates nothing. */
  mode?: "both" | "validate" | "ingest" | undefined;
  /** False switches the middleware off entirely. Default: true. */
  enabled?: boolean | undefined;
  /** Where the key is. Default: `header`. Query strings end up in logs: avoid them. */
  keyLocation?: "header" | "query" | "cookie" | undefined;
  /** The header, parameter or cookie. Default: `Authorization` for bearer, `X-API-Key` for raw, else `api_key`. */
  keyName?: string | undefined;
  /** How a header has the key. Default: `bearer` when keyName is Authorization or is not set, else `raw`. */
  keyScheme?: "raw" | "bearer" | undefined;
  /** Finds the key instead. Without one, the request is denied; what it throws is a fault of the application: 503. */
  getConsumerKey?: ((request: MiddlewareRequest<Raw>) => Awaitable<string | null | undefined>) | undefined;
  /** What a request costs. Default: 1; 0 only checks. */
  credits?: number | undefined;
  /** What this request costs, a whole number from 0. It wins over `credits`. */
  creditsResolver?: ((request: MiddlewareRequest<Raw>) => Awaitable<number>) | undefined;
  /** Exact paths, or prefixes that end in `*`: never validated, charged or recorded. */
  excludePaths?: readonly string[] | undefined;
  /** Whether this request is guarded. One that is not is neither validated nor charged nor recorded. */
  shouldProtect?: ((request: MiddlewareRequest<Raw>) => Awaitable<boolean>) | undefined;
  /** Methods that are bypassed. Default: OPTIONS. */
  skipMethods?: readonly string[] | undefined;
  /** Records the query with the path, values that tell of a secret redacted. Default: false. */
  captureQueryParams?: boolean | undefined;
  /** Records request headers but those that carry credentials. Default: false. */
  captureRequestHeaders?: boolean | undefined;
  /** Records response headers likewise. Default: false. */
  captureResponseHeaders?: boolean | undefined;
  /** Records the first 1,000 characters of textual bodies that are not compressed. Default: false. */
  captureResponseBody?: boolean | undefined;
  /** Records and reports the caller's address. Default: false. */
  captureClientIP?: boolean | undefined;
  /** Records and reports the user agent. Default: true. */
  captureUserAgent?: boolean | undefined;
  /** More headers that are never recorded. */
  excludedHeaders?: readonly string[] | undefined;
  /** Labels events with a name for the consumer. */
  consumerNameResolver?: ((request: MiddlewareRequest<Raw>) => string | null | undefined) | undefined;
  /** Names the header that has the caller's address, such as `X-Forwarded-For` behind a proxy that sets it. */
  clientIPResolver?: ((request: MiddlewareRequest<Raw>) => string | null | undefined) | undefined;
  /** The name under which the endpoint is recorded, such as `/orders/{id}`. Default: the route's template, else the path. */
  pathResolver?: ((request: MiddlewareRequest<Raw>) => string | null | undefined) | undefined;
  /** In the mode `ingest`: the id of the validation that was made elsewhere. */
  requestIDResolver?: ((request: MiddlewareRequest<Raw>) => string | null | undefined) | undefined;
  /** Whether denied requests are recorded. Default: true. */
  ingestDeniedRequests?: boolean | undefined;
  /** What happens while the service is out of reach: `closed` (default) answers 503, `open` lets requests pass. */
  failureMode?: "closed" | "open" | undefined;
  /** Is told of failures. What it throws is dropped. */
  onError?: ((event: MiddlewareErrorEvent) => void) | undefined;
  /** What callers read instead of our texts, by code. */
  errorMessages?: Partial<Record<ErrorCode | (string & {}), string>> | undefined;
  /** Verifies and ingests instead of a client of the middleware's own. Closing it is then up to its owner. */
  client?: ClientAPI | undefined;
}
