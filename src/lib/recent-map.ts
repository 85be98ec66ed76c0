/**
 * A map that keeps what was used of late, up to a weight: when half of it has come anew, those that nobody asked for since are
 * dropped at once. Cheaper than a list in order of use, which every look would have to write.
 */
export class RecentMap<Key, Value> {
  readonly #halfMax: number;
  readonly #weigh: (value: Value, key: Key) => number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  #youngWeight = 0;

  /** @param weigh what an entry weighs; 1 when left out */
  constructor(weightMax: number, weigh: (value: Value, key: Key) => number = () => 1) {
    this.#halfMax = weightMax / 2;
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (!this.#young.has(key)) {
      if (this.#youngWeight >= this.#halfMax) {
        this.#old = this.#young;
        this.#young = new Map();
        this.#youngWeight = 0;
      }
      this.#youngWeight += this.#weigh(value, key);
    }
    this.#young.set(key, value);
  }

  delete(key: Key): void {
    // Its weight stays until the next turn, which only makes that come sooner.
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngWeight = 0;
  }
}
