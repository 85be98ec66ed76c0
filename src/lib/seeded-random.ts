/** Numbers that only look random: the same seed gives the same sequence everywhere, which Math.random does not promise. */
export interface SeededRandom {
  /** From 0 inclusive to 1 exclusive. */
  fraction(): number;
  /** An integer from `least` to `most`, both inclusive. */
  integer(least: number, most: number): number;
  /** One of the values, each as likely as its weight; throws for an empty list. */
  weighted<Value>(choices: readonly (readonly [Value, number])[]): Value;
  /** Reorders the list in place. */
  shuffle(values: unknown[]): void;
}

/**
 * Not for secrets: the algorithm is mulberry32, with 32 bits of state.
 *
 * @param seed an integer; only its lower 32 bits count
 */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    integer,
    weighted(choices) {
      let rest = fraction() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [value, weight] of choices) {
        rest -= weight;
        if (rest < 0) return value;
      }
      // Rounding can leave a crumb behind the last choice.
      const last = choices.at(-1);
      if (last === undefined) throw new RangeError("nothing to choose from");
      return last[0];
    },
    shuffle(values) {
      for (let index = values.length - 1; index > 0; index--) {
        const other = integer(0, index);
        [values[index], values[other]] = [values[other], values[index]];
      }
    },
  };
}
