import { type Change, CONSUMER, denial, denied, HIDDEN, KEY, MASKED, passes, problem, VALID } from "./build.ts";
import type { Handler, MiddlewareCase, Options } from "./case.ts";

const REPORT: Handler = { report: true };
/** What the handler's context has. */
const reports = (body: object) => ({ status: 200, body });

/** The verdict of each code as the service gives it. */
const VERDICTS: Record<string, Record<string, unknown>> = {
  NOT_FOUND: { keyId: null, consumer: null },
  KEY_EXPIRED: {},
  KEY_DISABLED: {},
  CONSUMER_DISABLED: {},
  CONSUMER_EXPIRED: {},
  API_NOT_ALLOWED: {},
  RATE_LIMITED: {
    retryAfterSeconds: 17,
    rateLimit: { limit: 5, window: 60, remaining: 0, resetAt: 1_767_225_660_000 },
  },
  USAGE_EXCEEDED: { credits: { limit: 100, used: 100, remaining: 0, cost: 1, nextRefillAt: null } },
};

const HEADERS: Record<string, Record<string, string | null>> = {
  NOT_FOUND: { "www-authenticate": 'Bearer error="invalid_token"' },
  KEY_EXPIRED: { "www-authenticate": 'Bearer error="invalid_token"' },
  RATE_LIMITED: { "retry-after": "17" },
};
const NONE = { "www-authenticate": null, "retry-after": null };
const CODES = Object.keys(VERDICTS);

const service = (code: string, more: object = {}) => ({ verdict: denial(code, { ...VERDICTS[code], ...more }) });
const event = (code: string) => ({
  requestId: "req_denied",
  apiKey: MASKED,
  consumerId: code === "NOT_FOUND" ? null : "consumer_1",
});
const body = (code: string, detail?: string) =>
  problem(code, { ...(detail !== undefined && { detail }), requestId: "req_denied" });

function deniedBy(name: string, code: string, change: Change, more: Parameters<typeof denied>[3] = {}): MiddlewareCase {
  return denied(
    name,
    code,
    { service: service(code), ...change },
    { headers: { ...NONE, ...HEADERS[code] }, body: body(code), event: event(code), ...more },
  );
}

/** How else a key can be sent: [options, headers, target, the challenge]. */
const WAYS: [Options, [string, string][], string, string][] = [
  [{ keyScheme: "raw" }, [["X-API-Key", KEY]], "/v1/things", 'ApiKey in="header", name="X-API-Key"'],
  [{ keyName: "X-Tenant-Key" }, [["X-Tenant-Key", KEY]], "/v1/things", 'ApiKey in="header", name="X-Tenant-Key"'],
  [{ keyLocation: "query" }, [], `/v1/things?api_key=${KEY}`, 'ApiKey in="query", name="api_key"'],
  [
    { keyLocation: "cookie", keyName: "token" },
    [["Cookie", `token=${KEY}`]],
    "/v1/things",
    'ApiKey in="cookie", name="token"',
  ],
  [{ getConsumerKey: { value: KEY } }, [], "/v1/things", "ApiKey"],
];

const { credits: _credits, ...UNLIMITED } = VALID;

/** What each verdict becomes. */
export const VERDICT_CASES: MiddlewareCase[] = [
  ...CODES.map((code) => deniedBy(`${code} is denied`, code, {})),
  ...CODES.map((code) =>
    deniedBy(`${code} is denied also when failures pass`, code, { options: { failureMode: "open" } }),
  ),
  ...["NOT_FOUND", "KEY_DISABLED", "RATE_LIMITED"].map((code) =>
    deniedBy(
      `${code} is denied to HEAD with the same headers and no body`,
      code,
      { request: { method: "HEAD" } },
      { body: "" },
    ),
  ),
  ...["KEY_EXPIRED", "USAGE_EXCEEDED"].map((code) =>
    deniedBy(
      `ModeValidate denies ${code}, and records nothing`,
      code,
      { options: { mode: "validate" } },
      { event: null },
    ),
  ),
  ...CODES.map((code) =>
    deniedBy(
      `errorMessages rewrite the detail of ${code}, and of no other`,
      code,
      { options: { errorMessages: { [code]: `About ${code}: call us.`, MISSING_KEY: "No key." } } },
      { body: body(code, `About ${code}: call us.`) },
    ),
  ),
  ...WAYS.map(([options, headers, target, challenge]) =>
    deniedBy(
      `401 says how keys are sent: ${challenge}`,
      "NOT_FOUND",
      { options, request: { headers, target } },
      { headers: { "www-authenticate": challenge } },
    ),
  ),
  denied(
    "errorMessages rewrite the detail of MISSING_KEY",
    "MISSING_KEY",
    { options: { errorMessages: { MISSING_KEY: "Get a key at https://example.com/keys." } }, request: { headers: [] } },
    { body: problem("MISSING_KEY", { detail: "Get a key at https://example.com/keys." }) },
  ),
  denied(
    "HEAD without a key gets the headers and no body",
    "MISSING_KEY",
    { request: { method: "HEAD", headers: [] } },
    { headers: { "www-authenticate": "Bearer" }, body: "" },
  ),
  deniedBy(
    "a text of errorMessages is JSON in the answer, whatever its characters",
    "KEY_DISABLED",
    {
      options: { errorMessages: { KEY_DISABLED: 'Schlüssel "aus" </script> \\ \u{1f511}\n' } },
    },
    { body: body("KEY_DISABLED", 'Schlüssel "aus" </script> \\ \u{1f511}\n') },
  ),
  deniedBy(
    "USAGE_EXCEEDED says when the refill is due",
    "USAGE_EXCEEDED",
    { service: service("USAGE_EXCEEDED", { retryAfterSeconds: 3_600 }) },
    { headers: { "retry-after": "3600" } },
  ),
  deniedBy(
    "RATE_LIMITED without a time has no Retry-After",
    "RATE_LIMITED",
    { service: { verdict: denial("RATE_LIMITED") } },
    { headers: { "retry-after": null } },
  ),
  deniedBy(
    "a time in a verdict that is not 429 is no Retry-After",
    "KEY_DISABLED",
    { service: service("KEY_DISABLED", { retryAfterSeconds: 5 }) },
    { headers: { "retry-after": null } },
  ),
  ...["PAYMENT_OVERDUE", "NEW_CODE_2"].map((code) =>
    deniedBy(`a code that is not known is denied under its own name: ${code}`, code, {
      service: { verdict: denial(code) },
    }),
  ),
  deniedBy("a code that is not known is denied also when failures pass", "NEW_CODE_2", {
    options: { failureMode: "open" },
    service: { verdict: denial("NEW_CODE_2") },
  }),
  deniedBy("a code that is not known is denied although it says that it is valid", "NEW_CODE_2", {
    service: { verdict: { ...denial("NEW_CODE_2"), valid: true } },
  }),
  deniedBy(
    "errorMessages rewrite the detail of a code that is not known",
    "NEW_CODE_2",
    { options: { errorMessages: { NEW_CODE_2: "Call us." } }, service: { verdict: denial("NEW_CODE_2") } },
    { body: body("NEW_CODE_2", "Call us.") },
  ),
  deniedBy("RATE_LIMITED is denied although it says that it is valid", "RATE_LIMITED", {
    service: { verdict: { ...denial("RATE_LIMITED", VERDICTS.RATE_LIMITED), valid: true } },
  }),
  ...["NOT_FOUND", "USAGE_EXCEEDED"].map((code) =>
    deniedBy(
      `without ingestDeniedRequests ${code} is denied and not recorded`,
      code,
      {
        options: { ingestDeniedRequests: false },
      },
      { event: null },
    ),
  ),
  denied(
    "without ingestDeniedRequests a request without a key is not recorded",
    "MISSING_KEY",
    { options: { ingestDeniedRequests: false }, request: { headers: [] } },
    { event: null },
  ),
  denied(
    "without ingestDeniedRequests what cannot be a key is not recorded",
    "NOT_FOUND",
    { options: { ingestDeniedRequests: false }, request: { headers: [["Authorization", "Bearer sk_a b"]] } },
    { event: null },
  ),
  passes(
    "without ingestDeniedRequests a 403 of the handler's own is recorded",
    { options: { ingestDeniedRequests: false }, handler: { status: 403, body: "no" } },
    { response: { status: 403, body: "no" } },
  ),
  denied(
    "ModeValidate denies a request without a key, and records nothing",
    "MISSING_KEY",
    { options: { mode: "validate" }, request: { headers: [] } },
    { event: null },
  ),
  passes("ModeValidate lets a valid key pass, and records nothing", { options: { mode: "validate" } }, { event: null }),
  passes("ModeBoth is the default, and can be said", { options: { mode: "both" } }),
  passes(
    "a valid key: the answer is the handler's, untouched",
    {
      handler: {
        status: 201,
        headers: [
          ["Content-Type", "application/json"],
          ["X-Own", "yes"],
        ],
        body: '{"made":true}',
      },
    },
    {
      response: {
        status: 201,
        headers: { "content-type": "application/json", "x-own": "yes", "www-authenticate": null, "retry-after": null },
        body: '{"made":true}',
      },
    },
  ),
  passes(
    "the handler finds the decision in its context",
    { handler: REPORT },
    {
      response: reports({
        decision: {
          allowed: true,
          reason: "VALID",
          requestId: "req_valid",
          creditsRemaining: 99,
          creditsLimit: 100,
          consumerId: CONSUMER.consumerId,
          consumerName: CONSUMER.name,
          externalId: CONSUMER.externalId,
          metadata: CONSUMER.metadata,
          tags: CONSUMER.tags,
        },
        failed: false,
      }),
    },
  ),
  passes(
    "the credits of an unlimited consumer are null in the decision",
    { handler: REPORT, service: { verdict: { ...UNLIMITED, credits: null, consumer: { consumerId: "consumer_1" } } } },
    {
      response: reports({
        decision: {
          allowed: true,
          reason: "VALID",
          requestId: "req_valid",
          creditsRemaining: null,
          creditsLimit: null,
          consumerId: "consumer_1",
        },
        failed: false,
      }),
    },
  ),
  passes("fields of a verdict that this version does not know do not matter", {
    service: { verdict: { ...VALID, novelty: [1], credits: { ...VALID.credits, novelty: true } } },
  }),
  passes(
    "a verdict without a consumer lets a valid key pass",
    { service: { verdict: { valid: true, code: "VALID", requestId: "req_valid" } } },
    { event: { consumerId: null } },
  ),
  deniedBy("a code in lower case is another code", "valid", {
    service: { verdict: denial("valid") },
  }),
  denied(
    "the key that was denied is recorded without its value, also a short one",
    "NOT_FOUND",
    {
      request: { headers: [["Authorization", "Bearer sk_short"]] },
      service: service("NOT_FOUND"),
    },
    { validate: { key: "sk_short" }, body: body("NOT_FOUND"), event: { ...event("NOT_FOUND"), apiKey: HIDDEN } },
  ),
];
