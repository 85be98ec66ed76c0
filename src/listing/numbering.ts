/** Small numbers for values that many rows share. A value keeps its number. */
export class Numbering<Value> {
  readonly #values: Value[];
  readonly #numbers: Map<Value, number>;

  /** @param zero the value of the number 0 */
  constructor(zero: Value) {
    this.#values = [zero];
    this.#numbers = new Map([[zero, 0]]);
  }

  /** The number of a value, which gets one when it has none. */
  numberOf(value: Value): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#values.length);
    return this.#values.push(value) - 1;
  }

  /** The number of a value; undefined when it has none. */
  find(value: Value): number | undefined {
    return this.#numbers.get(value);
  }

  /** The value of a number that was given out. */
  valueOf(number: number): Value {
    // Numbers are the indexes of the values.
    return this.#values[number] as Value;
  }
}
