import { BEARER, denied, KEY, MASKED, passes, recorded, VALID } from "./build.ts";
import { MADE, type MiddlewareCase } from "./case.ts";

const REPORT = { report: true as const };
const ID = "req_elsewhere-0123456789";
const withId = (id: string, more: object = {}) => ({
  options: { requestIDResolver: { header: "x-request-id" }, ...more },
  request: { headers: [["X-Request-Id", id]] as [string, string][] },
});
const STATUSES = [200, 201, 202, 204, 301, 302, 304, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503];
const NO_SUCH_STATUS = {
  fastify: "it refuses a status above 599",
  hono: "a Response of the Fetch standard has no status above 599",
};
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** One event for a request, its status, method and id. */
export const EVENTS: MiddlewareCase[] = [
  passes(
    "an event has the verdict's id, consumer and masked key",
    {},
    {
      event: {
        requestId: "req_valid",
        endpoint: "/v1/things",
        path: "/v1/things",
        consumerName: null,
        apiKey: MASKED,
        userAgent: null,
        clientIp: null,
        requestHeaders: null,
        responseHeaders: null,
        responseBody: null,
        requestBody: null,
      },
    },
  ),
  passes(
    "a verdict without an id is recorded under one that is made",
    {
      service: { verdict: { valid: true, code: "VALID", consumer: VALID.consumer } },
    },
    { event: { requestId: MADE } },
  ),
  ...STATUSES.map((status) =>
    recorded(
      `the status that is answered is recorded: ${status}`,
      {
        handler: { status, ...([204, 304].includes(status) ? { body: "", headers: [] } : {}) },
      },
      { statusCode: status },
    ),
  ),
  ...[600, 999].map((status) =>
    recorded(
      `a status of a handler that the service does not take is recorded as 599: ${status}`,
      { handler: { status }, skip: NO_SUCH_STATUS },
      { statusCode: 599 },
    ),
  ),
  ...METHODS.map((method) => recorded(`the method is recorded: ${method}`, { request: { method } }, { method })),
  passes("a handler that panics is recorded as 500, and the panic goes on", { handler: { panic: true } }),
  recorded("ModeIngest records a handler that panics as 500", { handler: { panic: true } }, {}),
  passes(
    "ModeValidate lets a panic go on",
    { options: { mode: "validate" }, handler: { panic: true } },
    { event: null },
  ),
  passes(
    "a body of the request reaches the handler and is not recorded",
    {
      options: { captureRequestHeaders: true, captureResponseHeaders: true, captureResponseBody: true },
      request: {
        method: "POST",
        headers: [BEARER, ["Content-Type", "text/plain"], ["Content-Length", "11"]],
        body: "hello there",
      },
      handler: { status: 201, body: "ok" },
    },
    { response: { status: 201, body: "ok" }, event: { requestBody: null } },
  ),

  recorded("ModeIngest asks nobody, whatever the key", { request: { headers: [] } }, {}),
  recorded("ModeIngest masks no key", {}, { apiKey: null }),
  recorded(
    "ModeIngest does not call getConsumerKey, creditsResolver",
    {
      options: { getConsumerKey: { panic: true }, creditsResolver: { panic: true } },
    },
    {},
  ),
  recorded(
    "ModeIngest has no decision and no error in the context",
    { handler: REPORT },
    {},
    {
      response: { status: 200, body: { decision: null, failed: false } },
    },
  ),
  recorded("in ModeIngest the id is requestIDResolver's", withId(ID), { requestId: ID }),
  recorded("an id of 128 characters is taken", withId("r".repeat(128)), { requestId: "r".repeat(128) }),
  recorded("an id of 129 characters is not: one is made", withId("r".repeat(129)), { requestId: MADE }),
  recorded("an id with white space is not taken", withId("req 1"), { requestId: MADE }),
  recorded("an id that is not ASCII is not taken", withId("réq"), { requestId: MADE }),
  recorded("an id that is empty is not taken", withId(""), { requestId: MADE }),
  recorded(
    "an id with the key in it is not taken",
    {
      options: { requestIDResolver: { header: "x-request-id" } },
      request: { headers: [BEARER, ["X-Request-Id", `req_${KEY}`]] },
    },
    { requestId: MADE },
  ),
  recorded(
    "an id that is absent is made",
    { options: { requestIDResolver: { header: "x-none" } } },
    { requestId: MADE },
  ),
  recorded("every visible ASCII character may be in an id", withId("a!~/\"'{}<>#%&?"), {
    requestId: "a!~/\"'{}<>#%&?",
  }),
  recorded(
    "a requestIDResolver that panics is told, and an id is made",
    {
      options: { requestIDResolver: { panic: true } },
    },
    { requestId: MADE },
    { errors: ["record"] },
  ),
  passes("in ModeBoth the id is the verdict's, and requestIDResolver is not asked", {
    options: { requestIDResolver: { panic: true } },
  }),
  denied(
    "in ModeBoth the id of a denial without a verdict is made",
    "MISSING_KEY",
    {
      options: { requestIDResolver: { value: ID } },
      request: { headers: [] },
    },
    { event: { requestId: MADE } },
  ),
];
