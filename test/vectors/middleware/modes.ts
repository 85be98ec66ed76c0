import { CONSUMER, denied, passes, VALID } from "./build.ts";
import type { Handler, MiddlewareCase } from "./case.ts";
import { deniedBy } from "./denied-by.ts";

const REPORT: Handler = { report: true };
/** What the handler's context has. */
const reports = (body: object) => ({ status: 200, body });

const { credits: _credits, ...UNLIMITED } = VALID;

/** Modes, what is recorded of denials, and what the handler sees of a verdict. */
export const MODES: MiddlewareCase[] = [
  ...["KEY_EXPIRED", "USAGE_EXCEEDED"].map((code) =>
    deniedBy(
      `ModeValidate denies ${code}, and records nothing`,
      code,
      { options: { mode: "validate" } },
      { event: null },
    ),
  ),
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
];
