/** Of the answer of /key/validate, what its headers repeat. */
export interface LimitedAnswer {
  rateLimit?: { limit: bigint; window: number; remaining: bigint; resetAt: bigint };
  retryAfterSeconds?: bigint;
}

/** The largest integer of a structured field (RFC 9651). */
const STRUCTURED_INTEGER_MAX = 999_999_999_999_999n;

/**
 * The headers that repeat what a verdict says of its rate limit, after draft-ietf-httpapi-ratelimit-headers-10, and
 * Retry-After (RFC 9110) for a denial that passes. The policy is called `consumer`, because all keys of one share it.
 *
 * @param nowMs epoch milliseconds of the database, as of the verdict
 */
export function rateLimitHeaders({ rateLimit, retryAfterSeconds }: LimitedAnswer, nowMs: number): [string, string][] {
  const headers: [string, string][] = [];
  if (rateLimit !== undefined) {
    const { limit, window, remaining, resetAt } = rateLimit;
    const resetSeconds = Math.max(0, Math.ceil((Number(resetAt) - nowMs) / 1_000));
    headers.push(["ratelimit-policy", `"consumer";q=${bounded(limit)};w=${window}`]);
    headers.push(["ratelimit", `"consumer";r=${bounded(remaining)};t=${resetSeconds}`]);
  }
  if (retryAfterSeconds !== undefined) headers.push(["retry-after", String(retryAfterSeconds)]);
  return headers;
}

function bounded(count: bigint): bigint {
  return count < STRUCTURED_INTEGER_MAX ? count : STRUCTURED_INTEGER_MAX;
}
