import type { TrafficEventInput } from "../../gen/api.ts";
import { createRequestId } from "../create-request-id.ts";
import type { VerificationResult } from "../verification.ts";
import type { BodyCapture } from "./body-capture.ts";
import type { FoundKey } from "./find-key.ts";
import type { IncomingCall } from "./incoming-call.ts";
import { HIDDEN_KEY, maskKey } from "./mask-key.ts";
import type { MiddlewareRequest } from "./options.ts";
import { cleanText, redactHeaders, redactQuery, redactText, type Secrets } from "./redact.ts";
import type { GuardSettings } from "./settings.ts";

/** What was answered. */
export interface Answer {
  status: number;
  /** Empty where they are not captured. */
  headers?: Iterable<readonly [name: string, value: string]> | undefined;
  body?: BodyCapture | undefined;
}

/** What an event is made of. */
export interface EventSource<Raw> {
  call: IncomingCall<Raw>;
  request: MiddlewareRequest<Raw>;
  found: FoundKey;
  /** None of them is recorded. */
  secrets: Secrets;
  decision: VerificationResult | undefined;
  /** Epoch milliseconds. */
  startedAt: number;
  latencyMs: number;
  answer: Answer;
  namedEndpoint(): string | undefined;
  clientAddress(): string | undefined;
  /** Takes what a resolver throws: the event is recorded without what it names. */
  report(error: unknown): void;
}

const REQUEST_ID = /^[!-~]{1,128}$/;
/** The most that the service takes of each text; one that is longer would reject the whole event. */
const LENGTH_MAX = { path: 8_192, endpoint: 8_192, userAgent: 8_192, consumerName: 4_096, clientIp: 256, method: 64 };
/** Handlers may answer with up to 999. */
const STATUS_MAX = 599;
/** A connection may live longer than the service takes. */
const LATENCY_MS_MAX = 24 * 3_600_000;

/** The event of a request, with no secret of it. */
export function describeEvent<Raw>(settings: GuardSettings<Raw>, source: EventSource<Raw>): TrafficEventInput {
  const { call, request, found, secrets, decision, answer } = source;
  const ask = <T>(resolver: (() => T) | undefined): T | undefined => {
    try {
      return resolver?.();
    } catch (error) {
      source.report(error);
      return undefined;
    }
  };
  const text = (value: string | null | undefined, lengthMax: number) =>
    value ? cleanText(redactText(value, secrets), lengthMax) || undefined : undefined;
  const given = settings.mode === "ingest" ? ask(() => settings.requestIDResolver?.(request)) : decision?.requestId;
  return {
    requestId: isRequestId(given, secrets) ? given : createRequestId(source.startedAt),
    timestamp: source.startedAt,
    method: call.method.slice(0, LENGTH_MAX.method),
    statusCode: Math.min(answer.status, STATUS_MAX),
    endpoint: text(ask(source.namedEndpoint) || call.route() || call.path || "/", LENGTH_MAX.endpoint),
    path: recordedPath(settings, call, secrets).slice(0, LENGTH_MAX.path),
    latencyMs: Math.min(source.latencyMs, LATENCY_MS_MAX),
    apiId: settings.apiId,
    consumerId: decision?.consumer?.consumerId,
    consumerName: text(
      ask(() => settings.consumerNameResolver?.(request)),
      LENGTH_MAX.consumerName,
    ),
    apiKey: found.kind === "key" ? maskKey(found.key) : found.kind === "malformed" ? HIDDEN_KEY : undefined,
    userAgent:
      settings.captureUserAgent === false ? undefined : text(call.headerValues("user-agent")[0], LENGTH_MAX.userAgent),
    clientIp: settings.captureClientIP ? text(ask(source.clientAddress), LENGTH_MAX.clientIp) : undefined,
    ...describeContents(settings, call, answer, secrets),
  };
}

/** An id with the caller's key in it is none: it could not be found by what is left of it. */
function isRequestId(given: unknown, secrets: Secrets): given is string {
  return typeof given === "string" && REQUEST_ID.test(given) && redactText(given, secrets) === given;
}

function recordedPath<Raw>(settings: GuardSettings<Raw>, call: IncomingCall<Raw>, secrets: Secrets): string {
  const path = redactText(call.path || "/", secrets);
  const { keySource } = settings;
  const parameter = keySource?.location === "query" ? keySource.name : undefined;
  const query = settings.captureQueryParams ? redactQuery(call.query, parameter, secrets) : "";
  return cleanText(query === "" ? path : `${path}?${query}`);
}

/** Headers and bodies, as far as they are captured. */
function describeContents<Raw>(
  settings: GuardSettings<Raw>,
  call: IncomingCall<Raw>,
  { headers, body }: Answer,
  secrets: Secrets,
): Pick<TrafficEventInput, "requestHeaders" | "responseHeaders" | "responseBody"> {
  const { captureRequestHeaders, captureResponseHeaders, hiddenHeaders } = settings;
  return {
    requestHeaders: captureRequestHeaders ? redactHeaders(call.headerPairs(), hiddenHeaders, secrets) : undefined,
    responseHeaders:
      captureResponseHeaders && headers !== undefined ? redactHeaders(headers, hiddenHeaders, secrets) : undefined,
    responseBody: body?.text(secrets),
  };
}
