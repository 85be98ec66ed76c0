import type { Expect, ExpectedEvent, Handler, MiddlewareCase, Options, Request, Service } from "./case.ts";
import { MADE } from "./case.ts";

/** The key that callers send, unless a case says another, and what is recorded of it. */
export const KEY = "sk_live_3f9a1c7e5b2d8064";
export const MASKED = "********2d8064";
/** What is recorded of a key that is too short to show its end, or that was refused without being asked for. */
export const HIDDEN = "********";

export const PATH = "/v1/things";
export const CONSUMER = {
  consumerId: "consumer_1",
  name: "Acme",
  externalId: "ext-1",
  planId: "plan_1",
  metadata: { tier: "gold" },
  tags: ["eu"],
};

/** The verdict that lets a key pass. */
export const VALID = {
  valid: true,
  code: "VALID",
  requestId: "req_valid",
  keyId: "key_1",
  apiId: "api_1",
  consumer: CONSUMER,
  credits: { limit: 100, used: 1, remaining: 99, cost: 1, nextRefillAt: null },
  rateLimit: null,
};

/** The verdict that denies it. */
export function denial(code: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...VALID, valid: false, code, requestId: "req_denied", credits: null, ...more };
}

export const BEARER: [string, string] = ["Authorization", `Bearer ${KEY}`];

/** What a case changes of a call with a valid key. */
export interface Change {
  options?: Options;
  request?: Partial<Request>;
  service?: Service | null;
  handler?: Handler;
  skip?: Record<string, string>;
}

/** A request of /v1/things with a key in Authorization. */
export function request(change: Partial<Request> = {}): Request {
  return { method: "GET", target: PATH, headers: [BEARER], ...change };
}

/** What the handler's answer is. */
function statusOf({ handler }: Change): number {
  return handler?.panic ? 500 : (handler?.status ?? 200);
}

/** The path of a target. */
function pathOf(target: string): string {
  return target.split("?")[0] ?? "";
}

function common({ options = {}, handler, skip, ...change }: Change) {
  return {
    options,
    request: request(change.request),
    ...(change.service && { service: change.service }),
    ...(handler && { handler }),
    ...(skip && { skip }),
  };
}

/** What /key/validate is asked for a request, with what a case says else. */
export function asked(change: Change, more: Record<string, unknown> = {}): Record<string, unknown> {
  const { method, target } = request(change.request);
  return { key: KEY, apiId: "api_1", credits: 1, endpoint: pathOf(target), method, ...more };
}

/** A valid key: the handler runs, its answer arrives, and one event is recorded. */
export function passes(
  name: string,
  change: Change,
  expect: {
    validate?: Record<string, unknown>;
    event?: ExpectedEvent | null;
    response?: Expect["response"];
    errors?: string[];
    secrets?: string[];
  } = {},
): MiddlewareCase {
  const { method } = request(change.request);
  const status = statusOf(change);
  const event = { requestId: "req_valid", method, statusCode: status, apiId: "api_1", consumerId: "consumer_1" };
  return {
    name,
    ...common({ service: { verdict: VALID }, ...change }),
    expect: {
      handlerRan: true,
      validate: asked(change, expect.validate),
      response: expect.response ?? { status },
      event: expect.event === null ? null : { ...event, ...expect.event },
      ...(expect.errors && { errors: expect.errors }),
      ...(expect.secrets && { secrets: expect.secrets }),
    },
  };
}

/** Bypassed: the handler runs, and nobody hears of it. */
export function bypassed(name: string, change: Change): MiddlewareCase {
  const status = statusOf(change);
  return {
    name,
    ...common(change),
    expect: { handlerRan: true, validate: null, response: { status }, event: null },
  };
}

/** What a caller reads who is denied. */
export interface Denial {
  status: number;
  title: string;
  detail: string;
}

export const DENIALS: Record<string, Denial> = {
  MISSING_KEY: {
    status: 401,
    title: "An API key is needed",
    detail: "Send your API key with the request.",
  },
  NOT_FOUND: { status: 401, title: "The API key is not valid", detail: "The API key is not known here." },
  KEY_EXPIRED: { status: 401, title: "The API key has expired", detail: "Ask for a new API key." },
  KEY_DISABLED: {
    status: 403,
    title: "The API key is switched off",
    detail: "The API key may not be used at present.",
  },
  CONSUMER_DISABLED: {
    status: 403,
    title: "The account is switched off",
    detail: "The account of this API key may not be used at present.",
  },
  CONSUMER_EXPIRED: {
    status: 403,
    title: "The account has expired",
    detail: "The account of this API key has expired.",
  },
  API_NOT_ALLOWED: {
    status: 403,
    title: "The API key may not call this API",
    detail: "Use a key that is allowed to call this API.",
  },
  RATE_LIMITED: {
    status: 429,
    title: "Too many requests",
    detail: "The rate limit is reached. Try again later.",
  },
  USAGE_EXCEEDED: {
    status: 429,
    title: "The credits are used up",
    detail: "The credits of this account do not cover the request.",
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: "The API key cannot be checked",
    detail: "The API key could not be checked. Try again later.",
  },
};

/** The body of a denial. */
export function problem(code: string, more: { detail?: string; requestId?: string } = {}): object {
  const { status, title, detail } = DENIALS[code] ?? (DENIALS.API_NOT_ALLOWED as Denial);
  const type = `urn:keysvc:problem:${code.toLowerCase().replaceAll("_", "-")}`;
  return { type, title, status, detail, code, ...more };
}

/** Denied: the handler does not run, and the answer is the problem of the code. */
export function denied(
  name: string,
  code: string,
  change: Change,
  expect: {
    validate?: Record<string, unknown> | null;
    headers?: Record<string, string | null>;
    body?: object | string;
    event?: ExpectedEvent | null;
    errors?: string[];
    errorKinds?: string[][];
  } = {},
): MiddlewareCase {
  const { method } = request(change.request);
  const { status } = DENIALS[code] ?? (DENIALS.API_NOT_ALLOWED as Denial);
  const event = { requestId: MADE, method, statusCode: status, consumerId: null };
  return {
    name,
    ...common(change),
    expect: {
      handlerRan: false,
      validate: change.service ? asked(change, expect.validate ?? {}) : null,
      response: {
        status,
        headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...expect.headers },
        body: expect.body ?? problem(code),
      },
      event: expect.event === null ? null : { ...event, ...expect.event },
      ...(expect.errors && { errors: expect.errors }),
      ...(expect.errorKinds && { errorKinds: expect.errorKinds }),
    },
  };
}

/** ModeIngest: the handler runs without a question, and one event is recorded. */
export function recorded(
  name: string,
  change: Change,
  event: ExpectedEvent,
  { response, ...more }: { response?: Expect["response"]; errors?: string[]; secrets?: string[] } = {},
): MiddlewareCase {
  const { method } = request(change.request);
  const status = statusOf(change);
  return {
    name,
    ...common({ ...change, options: { mode: "ingest", ...change.options } }),
    expect: {
      handlerRan: true,
      validate: null,
      response: response ?? { status },
      event: { requestId: MADE, method, statusCode: status, apiId: "api_1", apiKey: null, consumerId: null, ...event },
      ...more,
    },
  };
}
