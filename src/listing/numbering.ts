/** Small numbers for values that many rows share. A value keeps its number. */
export class Numbering<Value> {
  readonly #numbers: Map<Value, number>;

  /** @param zero the value of the number 0 */
  constructor(zero: Value) {
    this.#numbers = new Map([[zero, 0]]);
  }

  /** The number of a value, which gets one when it has none. */
  numberOf(value: Value): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(value, number);
    return number;
  }

  /** The number of a value; undefined when it has none. */
  find(value: Value): number | undefined {
    return this.#numbers.get(value);
  }
}
