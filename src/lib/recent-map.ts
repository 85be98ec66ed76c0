/**
 * A map that keeps what was used of late, and at most so many entries: when half as many new ones have come, those that nobody
 * asked for since are dropped at once. Cheaper than a list in order of use, which every look would have to write.
 */
export class RecentMap<Key, Value> {
  readonly #halfMax: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(entriesMax: number) {
    this.#halfMax = Math.max(1, Math.floor(entriesMax / 2));
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#halfMax && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
