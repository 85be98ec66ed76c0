import { type ClientAPI, KeysvcClient } from "../keysvc-client.ts";
import { readServiceOptions, refuseProblems } from "../settings.ts";
import { HEADER_NAME, type KeySource } from "./find-key.ts";
import type { MiddlewareErrorEvent, MiddlewareOptions } from "./options.ts";

/** The options, checked and with their defaults. */
export interface GuardSettings<Raw> extends MiddlewareOptions<Raw> {
  mode: "both" | "validate" | "ingest";
  client: ClientAPI;
  /** The client, where it was made here. */
  ownClient: KeysvcClient | undefined;
  /** Undefined: getConsumerKey finds the key. In the mode `ingest`, where it is not asked, what must not be recorded is there. */
  keySource: KeySource | undefined;
  skipMethods: readonly string[];
  excludePaths: readonly string[];
  credits: number;
  /** Undefined: the client's own. */
  timeoutMs: number | undefined;
  /** In lower case. */
  hiddenHeaders: ReadonlySet<string>;
  report(event: MiddlewareErrorEvent): void;
}

/** Headers that never leave the application. */
const HIDDEN_HEADERS = ["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"];

/** Reads options. Throws a ConfigurationError that names all that are wrong. */
export function readGuardSettings<Raw>(options: MiddlewareOptions<Raw>): GuardSettings<Raw> {
  const problems: Record<string, string> = {};
  const { apiId, mode = "both", credits = 1, skipMethods = ["OPTIONS"], excludePaths = [] } = options;
  if (typeof apiId !== "string" || apiId === "") problems.apiId = "is required";
  checkWords(options, problems);
  if (!isCost(credits)) problems.credits = "must be a whole number from 0";
  const looksItself = options.getConsumerKey === undefined || mode === "ingest";
  const keySource = looksItself ? readKeySource(options, problems) : undefined;
  const report = (event: MiddlewareErrorEvent) => tellOf(event, options.onError);
  // Who brings a client need not say who calls the service.
  readServiceOptions(options, problems, options.client === undefined);
  refuseProblems(problems);
  const onError = (error: unknown) => report({ operation: "ingest", method: "", path: "", error });
  const ownClient = options.client ? undefined : new KeysvcClient({ ...serviceOptions(options), onError });
  // One of the two is there.
  const client = options.client ?? (ownClient as KeysvcClient);
  const ownHeader = keySource?.location === "header" ? [keySource.name] : [];
  // The user agent is one of them: who does not want it recorded does not want it under another name.
  const userAgent = options.captureUserAgent === false ? ["user-agent"] : [];
  const hidden = [...HIDDEN_HEADERS, ...ownHeader, ...userAgent, ...(options.excludedHeaders ?? [])];
  return {
    ...options,
    ...{ mode, client, ownClient, keySource, credits, excludePaths, report },
    timeoutMs: options.timeoutMs,
    skipMethods: skipMethods.map((method) => method.toUpperCase()),
    hiddenHeaders: new Set(hidden.map((name) => name.trim().toLowerCase())),
  };
}

/** Whether a cost can be charged. */
export function isCost(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const WORDS = {
  mode: ["both", "validate", "ingest"],
  keyLocation: ["header", "query", "cookie"],
  keyScheme: ["raw", "bearer"],
  failureMode: ["closed", "open"],
} as const;

/** Options often come from settings that no compiler has seen: a wrong word must not mean the default. */
function checkWords(options: MiddlewareOptions<never>, problems: Record<string, string>): void {
  for (const [name, words] of Object.entries(WORDS)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !words.some((word) => word === value)) problems[name] = `must be ${words.join(" or ")}`;
  }
}

function readKeySource(options: MiddlewareOptions<never>, problems: Record<string, string>): KeySource {
  const { keyLocation: location = "header", keyName, keyScheme } = options;
  const isAuthorization = keyName === undefined || keyName.toLowerCase() === "authorization";
  const bearer = location === "header" && (keyScheme === undefined ? isAuthorization : keyScheme === "bearer");
  const name = keyName ?? (location !== "header" ? "api_key" : bearer ? "Authorization" : "X-API-Key");
  const mayBe = location === "query" ? name !== "" : HEADER_NAME.test(name);
  if (!mayBe) problems.keyName = `cannot be the name of a ${location === "query" ? "parameter" : location}`;
  return { location, name, bearer };
}

function serviceOptions({ projectKey, rootKey, baseURL, timeoutMs, fetch }: MiddlewareOptions<never>) {
  return { projectKey, rootKey, baseURL, timeoutMs, fetch };
}

function tellOf(event: MiddlewareErrorEvent, onError: MiddlewareOptions["onError"]): void {
  try {
    onError?.(event);
  } catch {
    // Whoever is told of failures must not become one.
  }
}
