import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketOf, middleOf, quantiles } from "./latency-buckets.ts";

const ERROR_MAX = 1 / 128;
/** A day, the longest latency that is recorded. */
const LATENCY_MAX_US = 86_400_000_000;
const latency = fc.oneof(
  fc.nat({ max: 1_000 }),
  fc.maxSafeNat().map((number) => number % LATENCY_MAX_US),
);

describe("buckets of latencies", () => {
  it("have a middle that is off by at most 1/128 from each latency in them", () => {
    fc.assert(
      fc.property(latency, (us) => {
        expect(Math.abs(middleOf(bucketOf(us)) - us)).toBeLessThanOrEqual(us * ERROR_MAX);
      }),
    );
  });

  it("are in the order of the latencies, also around powers of two", () => {
    for (let power = 0; power < 37; power++) {
      const around = [-2, -1, 0, 1, 2].map((off) => bucketOf(Math.max(0, 2 ** power + off)));
      expect(around).toEqual([...around].sort((one, other) => one - other));
    }
    fc.assert(
      fc.property(latency, latency, (one, other) => {
        expect(Math.sign(bucketOf(one) - bucketOf(other)) * Math.sign(one - other)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("quantiles", () => {
  it("are those of the sorted latencies, to within the error of a bucket", () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), (latencies) => {
        const counts = new Map<number, number>();
        for (const us of latencies) counts.set(bucketOf(us), (counts.get(bucketOf(us)) ?? 0) + 1);
        const sorted = latencies.toSorted((one, other) => one - other);
        const bounds = { minUs: sorted[0] ?? 0, maxUs: sorted.at(-1) ?? 0 };
        const shares = [0.01, 0.5, 0.9, 0.95, 0.99, 1];
        for (const [index, found] of quantiles(counts, shares, bounds).entries()) {
          const exact = sorted[Math.ceil((shares[index] ?? 0) * sorted.length) - 1] ?? Number.NaN;
          expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * ERROR_MAX);
        }
      }),
    );
  });

  it("are 0 of no latencies", () => {
    expect(quantiles(new Map(), [0.5, 0.99], { minUs: 0, maxUs: 0 })).toEqual([0, 0]);
  });
});
