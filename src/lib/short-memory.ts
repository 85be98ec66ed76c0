export interface ShortMemoryOptions {
  ageMaxMs: number;
  entriesMax: number;
  /** A clock that only goes forward, in milliseconds. */
  monotonicMs: () => number;
}

/** Remembers values for a short time, and at most so many: the oldest make room. */
export class ShortMemory<Value> {
  readonly #options: ShortMemoryOptions;
  /** In the order in which they were set. */
  readonly #entries = new Map<string, { value: Value; sinceMs: number }>();

  constructor(options: ShortMemoryOptions) {
    this.#options = options;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#options.monotonicMs() - entry.sinceMs > this.#options.ageMaxMs) return undefined;
    return entry.value;
  }

  /** @param sinceMs when the value was known to be right: before it was asked for */
  set(key: string, value: Value, sinceMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, sinceMs });
    if (this.#entries.size <= this.#options.entriesMax) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
