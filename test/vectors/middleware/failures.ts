import { BEARER, denied, MASKED, passes, VALID } from "./build.ts";
import { type Handler, MADE, type MiddlewareCase, type Service } from "./case.ts";

/** [what happened, the service, what kind of error it is, whether FailureOpen lets it pass]. */
const FAILURES: [what: string, service: Service, kinds: string[], opens: boolean][] = [
  ["the service is refused", { failure: "refused" }, ["transport"], true],
  ["the service resets the connection", { failure: "reset" }, ["transport"], true],
  ["the service does not answer in time", { failure: "timeout" }, ["transport", "timeout"], true],
  ...[500, 502, 503, 504, 429].map((status): [string, Service, string[], boolean] => [
    `the service answers ${status}`,
    { status, headers: { "content-type": "application/problem+json" }, body: `{"title":"no","status":${status}}` },
    ["api"],
    true,
  ]),
  ["the service answers 503 without a body", { status: 503 }, ["api"], true],
  [
    "the service is overloaded and says when to come again",
    { status: 429, headers: { "retry-after": "1" } },
    ["api"],
    true,
  ],
  ...(
    [
      ["no JSON", "<html>maintenance</html>"],
      ["nothing", ""],
      ["half a verdict", '{"valid":true,"code":"VA'],
      ["a verdict without a code", '{"valid":true}'],
      ["a code that is no text", '{"valid":true,"code":1}'],
      ["an empty code", '{"valid":true,"code":""}'],
      ["null", "null"],
      ["a list", '[{"valid":true,"code":"VALID"}]'],
      ["a text", '"VALID"'],
      ["a VALID that is not valid", '{"valid":false,"code":"VALID"}'],
      ["a VALID that does not say whether it is", '{"code":"VALID"}'],
      ["two verdicts", '{"valid":true,"code":"VALID"}{"valid":true,"code":"VALID"}'],
    ] as const
  ).map(([what, body]): [string, Service, string[], boolean] => [
    `the service answers ${what}`,
    { status: 200, headers: { "content-type": "application/json" }, body },
    ["api"],
    true,
  ]),
  ["the service answers 201", { status: 201, body: JSON.stringify(VALID) }, ["api"], true],
  ["the service answers 204", { status: 204 }, ["api"], true],
  ["the service redirects", { status: 307, headers: { location: "/elsewhere" } }, ["api"], true],
  ...[401, 403].map((status): [string, Service, string[], boolean] => [
    `the credential of the project is wrong: ${status}`,
    { status, body: '{"code":"unauthenticated"}' },
    ["api", "authentication"],
    false,
  ]),
  ...[400, 404, 408, 409, 413, 415, 418].map((status): [string, Service, string[], boolean] => [
    `the question was wrong: ${status}`,
    { status, body: '{"code":"invalid_argument"}' },
    ["api"],
    false,
  ]),
];

/** Long enough to be asked, short enough for tests. */
const options = (service: Service) => ("failure" in service && service.failure === "timeout" ? { timeoutMs: 200 } : {});
const REPORT: Handler = { report: true };
const NO_DECISION = { status: 200, body: { decision: null, failed: true } };

const closed = FAILURES.map(([what, service, kinds]) =>
  denied(
    `FailureClosed denies when ${what}`,
    "SERVICE_UNAVAILABLE",
    { options: options(service), service },
    {
      headers: { "retry-after": "1", "www-authenticate": null },
      event: { apiKey: MASKED },
      errors: ["verify"],
      errorKinds: [kinds],
    },
  ),
);

const open = FAILURES.map(([what, service, kinds, opens]): MiddlewareCase => {
  const change = { options: { ...options(service), failureMode: "open" as const }, service };
  const errors = { errors: ["verify"], errorKinds: [kinds] };
  if (!opens)
    return denied(`FailureOpen denies when ${what}`, "SERVICE_UNAVAILABLE", change, {
      headers: { "retry-after": "1" },
      event: { apiKey: MASKED },
      ...errors,
    });
  const passed = passes(
    `FailureOpen lets pass, without a decision and with the error, when ${what}`,
    { ...change, handler: REPORT },
    { response: NO_DECISION, event: { requestId: MADE, consumerId: null, apiKey: MASKED } },
  );
  return { ...passed, expect: { ...passed.expect, ...errors } };
});

/** What becomes of a request whose key cannot be judged. */
export const FAILURE_CASES: MiddlewareCase[] = [
  ...closed,
  ...open,
  denied(
    "errorMessages rewrite the detail of SERVICE_UNAVAILABLE",
    "SERVICE_UNAVAILABLE",
    { options: { errorMessages: { SERVICE_UNAVAILABLE: "Back soon." } }, service: { status: 500 } },
    {
      body: {
        type: "urn:keysvc:problem:service-unavailable",
        title: "The API key cannot be checked",
        status: 503,
        detail: "Back soon.",
        code: "SERVICE_UNAVAILABLE",
      },
      errors: ["verify"],
    },
  ),
  denied(
    "HEAD gets 503 without a body",
    "SERVICE_UNAVAILABLE",
    { request: { method: "HEAD" }, service: { status: 500 } },
    { headers: { "retry-after": "1" }, body: "", errors: ["verify"] },
  ),
  denied(
    "ModeValidate fails closed, and records nothing",
    "SERVICE_UNAVAILABLE",
    { options: { mode: "validate" }, service: { status: 500 } },
    { event: null, errors: ["verify"] },
  ),
  passes(
    "ModeValidate fails open, and records nothing",
    { options: { mode: "validate", failureMode: "open" }, service: { status: 500 } },
    { event: null, errors: ["verify"] },
  ),
  denied(
    "without ingestDeniedRequests a 503 of the middleware's own is not recorded",
    "SERVICE_UNAVAILABLE",
    { options: { ingestDeniedRequests: false }, service: { status: 500 } },
    { event: null, errors: ["verify"] },
  ),
  passes(
    "without ingestDeniedRequests whoever passes by FailureOpen is recorded",
    { options: { ingestDeniedRequests: false, failureMode: "open" }, service: { status: 500 } },
    { event: { requestId: MADE, consumerId: null }, errors: ["verify"] },
  ),
  denied(
    "FailureOpen does not let pass without a key",
    "MISSING_KEY",
    { options: { failureMode: "open" }, request: { headers: [] } },
    { headers: { "www-authenticate": "Bearer" } },
  ),
  denied(
    "a panic of OnError does not replace the denial",
    "SERVICE_UNAVAILABLE",
    { options: { onError: { panic: true } }, service: { status: 500 } },
    { headers: { "retry-after": "1" }, errors: ["verify"] },
  ),
  passes(
    "a panic of OnError does not keep anybody from passing by FailureOpen",
    { options: { onError: { panic: true }, failureMode: "open" }, service: { status: 500 } },
    { event: { requestId: MADE, consumerId: null }, errors: ["verify"] },
  ),
  passes(
    "a verdict that comes within the timeout is a verdict",
    { options: { timeoutMs: 30_000 }, request: { headers: [BEARER] } },
    {},
  ),
];
