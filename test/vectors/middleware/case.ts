/** What a function among the options does; a runner builds it. */
export interface Answer {
  /** Gives this. */
  value?: string | number | boolean;
  /** Gives the request's header of this name: as a number for creditsResolver, empty when it is not there. */
  header?: string;
  /** Fails with this text; of getConsumerKey alone. */
  error?: string;
  /** Throws, panics. */
  panic?: true;
}

/** MiddlewareOptions as far as a file can tell them. */
export interface Options {
  apiId?: string;
  mode?: "both" | "validate" | "ingest";
  enabled?: boolean;
  keyLocation?: "header" | "query" | "cookie";
  keyName?: string;
  keyScheme?: "raw" | "bearer";
  getConsumerKey?: Answer;
  credits?: number;
  creditsResolver?: Answer;
  excludePaths?: string[];
  shouldProtect?: Answer;
  skipMethods?: string[];
  captureQueryParams?: boolean;
  captureRequestHeaders?: boolean;
  captureResponseHeaders?: boolean;
  captureResponseBody?: boolean;
  captureClientIP?: boolean;
  captureUserAgent?: boolean;
  excludedHeaders?: string[];
  consumerNameResolver?: Answer;
  clientIPResolver?: Answer;
  pathResolver?: Answer;
  requestIDResolver?: Answer;
  ingestDeniedRequests?: boolean;
  failureMode?: "closed" | "open";
  /** Besides noting what it is told, it throws. */
  onError?: { panic: true };
  errorMessages?: Record<string, string>;
  timeoutMs?: number;
}

/** Sent over a socket as it is. */
export interface Request {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body?: string;
  /** The route that the application serves, with names in braces; absent: it serves every path, without a template. */
  route?: string;
}

/** What the fake service answers to /key/validate. */
export type Service =
  | { verdict: Record<string, unknown> }
  | { status: number; headers?: Record<string, string>; body?: string }
  | { failure: "timeout" | "refused" | "reset" };

/** What the application answers. */
export interface Handler {
  status?: number;
  headers?: [name: string, value: string][];
  body?: string;
  /** Instead of `body`: bytes. */
  bodyBase64?: string;
  panic?: true;
  /** It answers 200 with what its context has, as JSON: {decision, failed}. */
  report?: true;
}

/** A value that is any id that was made. */
export const MADE = "<made>";
/** An endpoint that is the route's template as the framework writes it, or the path where it is not known. */
export const ROUTE = "<route>";

/** An event as far as it is compared: null is absent or empty; headers are an object of which what is listed is compared. */
export interface ExpectedEvent {
  requestId?: string;
  method?: string;
  statusCode?: number;
  endpoint?: string;
  path?: string;
  apiId?: string;
  consumerId?: string | null;
  consumerName?: string | null;
  apiKey?: string | null;
  userAgent?: string | null;
  clientIp?: string | null;
  requestHeaders?: Record<string, string | string[] | null> | null;
  responseHeaders?: Record<string, string | string[] | null> | null;
  /** A text, or what its JSON says. */
  responseBody?: string | object | null;
  requestBody?: null;
}

/** What comes of it. */
export interface Expect {
  handlerRan: boolean;
  /** The one body that /key/validate got, or null when it was not asked. */
  validate: Record<string, unknown> | null;
  response: { status: number; headers?: Record<string, string | null>; body?: string | object };
  /** The one event that /ingest got, or null for none. */
  event: ExpectedEvent | null;
  /** The operations that OnError was told, in order; none when absent. */
  errors?: string[];
  /** What each of those errors is: of transport, timeout, api, authentication, in this order. */
  errorKinds?: string[][];
  /** Texts that /ingest must not get; every `sk_…` of the request when absent. */
  secrets?: string[];
}

/** A case of the vectors. */
export interface MiddlewareCase {
  /** A sentence that states a guarantee. */
  name: string;
  options: Options;
  request: Request;
  /** Absent: it must not be asked. */
  service?: Service;
  handler?: Handler;
  expect: Expect;
  /** Adapters that cannot run it, and why. */
  skip?: Record<string, string>;
}

/** Options that no middleware can be made of. */
export interface ConfigurationCase {
  name: string;
  /** With projectKey, rootKey and apiId only as they are here: nothing is added. */
  options: Options & { projectKey?: string; rootKey?: string };
  environment?: Record<string, string>;
  /** The options that the error names, in camelCase, or the variables; null: a middleware is made. */
  problems: string[] | null;
}
