/**
 * Latencies in buckets whose width grows with them: below 128 µs each microsecond has its own, above, each power of two is
 * divided into 64. The middle of a bucket is therefore off by at most 1/128 (0.8 %) from any latency in it. Counts of buckets
 * can be added, in any order.
 */
const PARTS = 64;
const PARTS_LOG = 6;
/** Of whole numbers the bitwise operators take this many. */
const WORD = 2 ** 31;

/** The bucket of a latency in whole microseconds, counted from 0. */
export function bucketOf(latencyUs: number): number {
  if (latencyUs < 2 * PARTS) return latencyUs;
  if (latencyUs < WORD) {
    const shift = 31 - Math.clz32(latencyUs) - PARTS_LOG;
    return shift * PARTS + (latencyUs >> shift);
  }
  const shift = Math.floor(Math.log2(latencyUs)) - PARTS_LOG;
  return shift * PARTS + Math.floor(latencyUs / 2 ** shift);
}

/** The middle of a bucket, in microseconds. */
export function middleOf(bucket: number): number {
  if (bucket < 2 * PARTS) return bucket;
  const shift = Math.floor(bucket / PARTS) - 1;
  const width = 2 ** shift;
  return (bucket - shift * PARTS) * width + (width - 1) / 2;
}

/**
 * Latencies that a share of all does not exceed, by the nearest rank.
 *
 * @param counts how many latencies each bucket has
 * @param shares between 0 and 1, ascending
 * @returns microseconds, to within 0.8 %; 0 for none at all
 */
export function quantiles(
  counts: ReadonlyMap<number, number>,
  shares: readonly number[],
  { minUs, maxUs }: { minUs: number; maxUs: number },
): number[] {
  const buckets = [...counts].sort(([one], [other]) => one - other);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let [index, passed] = [0, buckets[0]?.[1] ?? 0];
  return shares.map((share) => {
    const rank = Math.max(1, Math.ceil(share * total));
    while (passed < rank && index < buckets.length - 1) passed += buckets[++index]?.[1] ?? 0;
    return total === 0 ? 0 : Math.min(Math.max(middleOf(buckets[index]?.[0] ?? 0), minUs), maxUs);
  });
}
