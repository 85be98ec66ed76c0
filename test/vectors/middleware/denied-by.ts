import { type Change, denial, denied, MASKED, problem } from "./build.ts";
import type { MiddlewareCase } from "./case.ts";

/** The verdict of each code as the service gives it. */
export const VERDICTS: Record<string, Record<string, unknown>> = {
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

/** What the answer has besides. */
const HEADERS: Record<string, Record<string, string | null>> = {
  NOT_FOUND: { "www-authenticate": 'Bearer error="invalid_token"' },
  KEY_EXPIRED: { "www-authenticate": 'Bearer error="invalid_token"' },
  RATE_LIMITED: { "retry-after": "17" },
};
const NONE = { "www-authenticate": null, "retry-after": null };
/** The codes of the service that deny. */
export const CODES = Object.keys(VERDICTS);

/** A service that denies by a code. */
export const service = (code: string, more: object = {}) => ({ verdict: denial(code, { ...VERDICTS[code], ...more }) });
/** What is recorded of it. */
export const event = (code: string) => ({
  requestId: "req_denied",
  apiKey: MASKED,
  consumerId: code === "NOT_FOUND" ? null : "consumer_1",
});
/** What the caller reads. */
export const body = (code: string, detail?: string) =>
  problem(code, { ...(detail !== undefined && { detail }), requestId: "req_denied" });

/** Denied by the verdict of a code. */
export function deniedBy(
  name: string,
  code: string,
  change: Change,
  more: Parameters<typeof denied>[3] = {},
): MiddlewareCase {
  return denied(
    name,
    code,
    { service: service(code), ...change },
    { headers: { ...NONE, ...HEADERS[code] }, body: body(code), event: event(code), ...more },
  );
}
