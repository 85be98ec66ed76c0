import { BEARER, denied, HIDDEN, KEY, MASKED, PATH, passes } from "./build.ts";
import { MADE, type MiddlewareCase } from "./case.ts";

const EXCEPTION = "an exception is how a function of TypeScript returns an error";
const NO_PANIC = { fastify: EXCEPTION, express: EXCEPTION, hono: EXCEPTION, node: EXCEPTION };
const FAULT = { status: 500 };

/** A function of the application that panics before the handler: nothing runs, nobody is asked, nothing is recorded. */
function goesOn(name: string, options: MiddlewareCase["options"]): MiddlewareCase {
  return {
    name,
    options,
    request: { method: "GET", target: PATH, headers: [BEARER] },
    expect: { handlerRan: false, validate: null, response: FAULT, event: null },
  };
}

/** The application's own keys, what a call costs, and whether it is to be protected. */
export const COSTS: MiddlewareCase[] = [
  passes(
    "getConsumerKey finds the key, and nothing else is looked at",
    {
      options: { getConsumerKey: { value: KEY }, keyName: "X-Other" },
      request: { headers: [["X-Other", "no"]] },
    },
    { event: { apiKey: MASKED } },
  ),
  passes("getConsumerKey finds the key in a header", {
    options: { getConsumerKey: { header: "x-tenant-key" } },
    request: { headers: [["X-Tenant-Key", KEY]] },
  }),
  passes("white space around what getConsumerKey gives is none of the key", {
    options: { getConsumerKey: { value: ` \t${KEY}\n` } },
  }),
  denied(
    "without a key from getConsumerKey nobody is asked, whatever the headers say",
    "MISSING_KEY",
    { options: { getConsumerKey: { value: "" } } },
    { headers: { "www-authenticate": "ApiKey" }, event: { apiKey: null } },
  ),
  denied(
    "what getConsumerKey gives that cannot be a key is not found without asking",
    "NOT_FOUND",
    { options: { getConsumerKey: { value: "sk_live 3f9a1c7e5b2d8064" } } },
    { headers: { "www-authenticate": "ApiKey" }, event: { apiKey: HIDDEN } },
  ),
  ...(["closed", "open"] as const).map((failureMode) =>
    denied(
      `a failing getConsumerKey lets nobody pass: ${failureMode}`,
      "SERVICE_UNAVAILABLE",
      { options: { getConsumerKey: { error: "no session" }, failureMode } },
      { headers: { "retry-after": "1" }, event: { apiKey: null, requestId: MADE }, errors: ["key"] },
    ),
  ),
  denied(
    "ModeValidate tells of a failing getConsumerKey as well",
    "SERVICE_UNAVAILABLE",
    { options: { getConsumerKey: { error: "no session" }, mode: "validate" } },
    { event: null, errors: ["key"] },
  ),
  {
    ...goesOn("a panic of getConsumerKey goes on, and nothing runs", { getConsumerKey: { panic: true } }),
    skip: NO_PANIC,
  },
  {
    ...goesOn("a panic of getConsumerKey goes on, also when failures pass", {
      getConsumerKey: { panic: true },
      failureMode: "open",
    }),
    skip: NO_PANIC,
  },
  goesOn("a panic of shouldProtect goes on, and nothing runs", { shouldProtect: { panic: true } }),
  goesOn("a panic of creditsResolver goes on, and nothing runs", {
    creditsResolver: { panic: true },
    failureMode: "open",
  }),
  goesOn("a panic of pathResolver before the handler goes on, and nothing runs", { pathResolver: { panic: true } }),
  goesOn("a panic of clientIPResolver before the handler goes on, and nothing runs", {
    captureClientIP: true,
    clientIPResolver: { panic: true },
  }),

  passes("a call costs 1 when nothing is said", {}, { validate: { credits: 1 } }),
  passes("a call costs what credits says", { options: { credits: 5 } }, { validate: { credits: 5 } }),
  passes("credits of 0 are a check that costs nothing", { options: { credits: 0 } }, { validate: { credits: 0 } }),
  passes(
    "creditsResolver says what a call costs",
    { options: { creditsResolver: { header: "x-cost" } }, request: { headers: [BEARER, ["X-Cost", "12"]] } },
    { validate: { credits: 12 } },
  ),
  passes(
    "creditsResolver wins over credits",
    { options: { credits: 5, creditsResolver: { value: 7 } } },
    { validate: { credits: 7 } },
  ),
  passes(
    "creditsResolver may say 0, also where credits are more",
    { options: { credits: 5, creditsResolver: { value: 0 } } },
    { validate: { credits: 0 } },
  ),
  ...(["closed", "open"] as const).map((failureMode) =>
    denied(
      `a negative cost lets nobody pass: ${failureMode}`,
      "SERVICE_UNAVAILABLE",
      { options: { creditsResolver: { value: -1 }, failureMode } },
      { headers: { "retry-after": "1" }, event: { apiKey: MASKED, requestId: MADE }, errors: ["credits"] },
    ),
  ),
  denied("without a key nobody asks what it costs", "MISSING_KEY", {
    options: { creditsResolver: { panic: true } },
    request: { headers: [] },
  }),
  passes(
    "the API is the one of the options",
    { options: { apiId: "api_2" } },
    {
      validate: { apiId: "api_2" },
      event: { apiId: "api_2" },
    },
  ),
];
