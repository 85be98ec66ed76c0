import { describe, expect, it } from "vitest";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

const NOW = 1_767_225_600_000;
const rateLimit = { limit: 100n, window: 60, remaining: 5n, resetAt: BigInt(NOW + 30_000) };

describe("rateLimitHeaders", () => {
  it("tells the quota and its window, and what is left until when", () => {
    expect(rateLimitHeaders({ rateLimit }, NOW)).toEqual([
      ["ratelimit-policy", '"consumer";q=100;w=60'],
      ["ratelimit", '"consumer";r=5;t=30'],
    ]);
  });

  it("counts a second that has begun as a whole one, and never less than none", () => {
    const resetIn = (ms: number) =>
      rateLimitHeaders({ rateLimit: { ...rateLimit, resetAt: BigInt(NOW + ms) } }, NOW)[1];
    expect(resetIn(1)).toEqual(["ratelimit", '"consumer";r=5;t=1']);
    expect(resetIn(29_001)).toEqual(["ratelimit", '"consumer";r=5;t=30']);
    expect(resetIn(-1_000)).toEqual(["ratelimit", '"consumer";r=5;t=0']);
  });

  it("tells when a denied call may pass, with a rate limit or without", () => {
    expect(rateLimitHeaders({ rateLimit, retryAfterSeconds: 30n }, NOW).at(-1)).toEqual(["retry-after", "30"]);
    expect(rateLimitHeaders({ retryAfterSeconds: 86_400n }, NOW)).toEqual([["retry-after", "86400"]]);
  });

  it("has nothing to say of a consumer without a rate limit", () => {
    expect(rateLimitHeaders({}, NOW)).toEqual([]);
  });

  it("keeps to integers of 15 digits, which is what a structured field can hold", () => {
    const most = { ...rateLimit, limit: 9_007_199_254_740_991n, remaining: 9_007_199_254_740_990n };
    expect(rateLimitHeaders({ rateLimit: most }, NOW)).toEqual([
      ["ratelimit-policy", '"consumer";q=999999999999999;w=60'],
      ["ratelimit", '"consumer";r=999999999999999;t=30'],
    ]);
  });
});
