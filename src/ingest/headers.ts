import type { FieldError } from "../lib/fault.ts";

/** Never kept, in whatever case they are written. */
const STRIPPED = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"]);
/** Whatever may spell one of them in JSON. */
const SUSPECT = /authorization|cookie|x-api-key|\\u/i;
const HEADERS_MAX_BYTES = 16_384;

/**
 * The JSON text of headers without those that are never kept, at whatever depth they are. Adds an error when the text is no
 * JSON object, or too long without them: cut, it would not be JSON any more.
 */
export function cleanHeaders(text: string, field: string, errors: FieldError[]): string {
  if (text === "") return "";
  const isSuspect = SUSPECT.test(text);
  // As it came, if there is nothing to leave out; then a long one need not be read.
  if (!isSuspect && isTooLong(text)) return refuse(field, `must be at most ${HEADERS_MAX_BYTES} bytes`, errors);
  const headers = isSuspect ? parse(text, withoutStripped) : parse(text);
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) {
    return refuse(field, "must be the JSON text of an object", errors);
  }
  const cleaned = isSuspect ? JSON.stringify(headers) : text;
  return isTooLong(cleaned) ? refuse(field, `must be at most ${HEADERS_MAX_BYTES} bytes`, errors) : cleaned;
}

function parse(text: string, reviver?: (name: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

/** What is undefined is left out. */
function withoutStripped(name: string, value: unknown): unknown {
  return STRIPPED.has(name.trim().toLowerCase()) ? undefined : value;
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > HEADERS_MAX_BYTES;
}

function refuse(field: string, message: string, errors: FieldError[]): string {
  errors.push({ field, message });
  return "";
}
