import type { SeededRandom } from "../lib/seeded-random.ts";

/** One of the values, each as likely as the others. Throws for none. */
export function pick<Value>(random: SeededRandom, values: readonly Value[]): Value {
  const value = values[random.integer(0, values.length - 1)];
  if (value === undefined) throw new RangeError("nothing to pick from");
  return value;
}

/** True for this share of the calls. */
export function happens(random: SeededRandom, share: number): boolean {
  return random.fraction() < share;
}

/** A time from `fromMs` to `toMs`, epoch milliseconds; a larger skew draws it nearer to `toMs`. */
export function pickTime(random: SeededRandom, fromMs: number, toMs: number, skew = 1): number {
  return toMs - Math.floor((toMs - fromMs) * random.fraction() ** skew);
}
