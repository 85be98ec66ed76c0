import type { VerificationResult } from "../verification.ts";
import type { KeySource } from "./find-key.ts";
import type { ErrorCode } from "./options.ts";

/** What a denied caller is answered. */
export interface Denial {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

const TEXTS: Record<ErrorCode, [status: number, title: string, detail: string]> = {
  MISSING_KEY: [401, "An API key is needed", "Send your API key with the request."],
  NOT_FOUND: [401, "The API key is not valid", "The API key is not known here."],
  KEY_EXPIRED: [401, "The API key has expired", "Ask for a new API key."],
  KEY_DISABLED: [403, "The API key is switched off", "The API key may not be used at present."],
  CONSUMER_DISABLED: [403, "The account is switched off", "The account of this API key may not be used at present."],
  CONSUMER_EXPIRED: [403, "The account has expired", "The account of this API key has expired."],
  API_NOT_ALLOWED: [403, "The API key may not call this API", "Use a key that is allowed to call this API."],
  RATE_LIMITED: [429, "Too many requests", "The rate limit is reached. Try again later."],
  USAGE_EXCEEDED: [429, "The credits are used up", "The credits of this account do not cover the request."],
  SERVICE_UNAVAILABLE: [503, "The API key cannot be checked", "The API key could not be checked. Try again later."],
};

/** What denials say that is not in the verdict. */
export interface DenialContext {
  /** Undefined: the application finds the key itself. */
  keySource: KeySource | undefined;
  errorMessages?: Partial<Record<string, string>> | undefined;
}

/**
 * The answer to a denied caller.
 *
 * @param code a code of ours, or one that this version does not know: that is denied too
 */
export function createDenial(code: string, context: DenialContext, result?: VerificationResult): Denial {
  const texts = Object.hasOwn(TEXTS, code) ? TEXTS[code as ErrorCode] : TEXTS.API_NOT_ALLOWED;
  const [status, title, text] = texts;
  const own = context.errorMessages;
  const detail = (own !== undefined && Object.hasOwn(own, code) ? own[code] : undefined) ?? text;
  const requestId = result?.requestId || undefined;
  const type = `urn:keysvc:problem:${code.toLowerCase().replaceAll("_", "-")}`;
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...(status === 401 && { "www-authenticate": challenge(code, context.keySource) }),
      ...retryAfter(status, result),
    },
    body: JSON.stringify({ type, title, status, detail, code, requestId }),
  };
}

function challenge(code: string, source: KeySource | undefined): string {
  if (source === undefined) return "ApiKey";
  if (source.bearer) return code === "MISSING_KEY" ? "Bearer" : 'Bearer error="invalid_token"';
  return `ApiKey in="${source.location}", name="${quoted(source.name)}"`;
}

/** What a quoted text of a header cannot have, percent-encoded. */
function quoted(name: string): string {
  return name.toWellFormed().replace(/[^ !#-[\]-~]/gu, encodeURIComponent);
}

function retryAfter(status: number, result: VerificationResult | undefined): Record<string, string> {
  if (status === 503) return { "retry-after": "1" };
  const seconds = result?.retryAfterSeconds;
  if (status !== 429 || seconds === null || seconds === undefined) return {};
  return { "retry-after": String(Math.max(0, Math.ceil(seconds))) };
}
