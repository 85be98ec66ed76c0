import { denial, denied, HIDDEN, KEY, problem } from "./build.ts";
import type { MiddlewareCase, Options } from "./case.ts";
import { body, CODES, deniedBy, event, service, VERDICTS } from "./denied-by.ts";

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
