import { Fault } from "./fault.ts";

/**
 * Runs work one at a time for each key, in the order of arrival. Work that waited too long is refused before it starts, so
 * that nothing happens for a caller who has been told that it failed.
 */
export class KeyedQueue {
  readonly #waitMaxMs: number;
  readonly #monotonicMs: () => number;
  /** Settles when the last work of a key has ended. */
  readonly #tails = new Map<string, Promise<void>>();

  /** @param monotonicMs a clock that only goes forward, in milliseconds */
  constructor(waitMaxMs: number, monotonicMs: () => number) {
    this.#waitMaxMs = waitMaxMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Answers what the work answers. Throws CONTENDED when it waited too long. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const arrivedMs = this.#monotonicMs();
    const before = this.#tails.get(key);
    const result = this.#after(before, arrivedMs, work);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }

  async #after<Result>(
    before: Promise<void> | undefined,
    arrivedMs: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await before;
    if (this.#monotonicMs() - arrivedMs > this.#waitMaxMs) {
      throw new Fault("CONTENDED", "too many calls wait for the same thing", { retryAfterSeconds: 1 });
    }
    return work();
  }
}
