import { Fault } from "./fault.ts";

/**
 * Runs so many pieces of work at once and no more; others wait, in the order of arrival. Work that waited too long is refused
 * before it starts, so that nothing happens for a caller who has been told that it failed.
 */
export class ConcurrencyLimit {
  readonly #waitMaxMs: number;
  readonly #monotonicMs: () => number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param monotonicMs a clock that only goes forward, in milliseconds */
  constructor(atOnceMax: number, waitMaxMs: number, monotonicMs: () => number) {
    this.#free = atOnceMax;
    this.#waitMaxMs = waitMaxMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Answers what the work answers. Throws CONTENDED when it waited too long. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const arrivedMs = this.#monotonicMs();
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (this.#monotonicMs() - arrivedMs > this.#waitMaxMs) {
        throw new Fault("CONTENDED", "too many calls at once", { retryAfterSeconds: 1 });
      }
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Hands the place to the one who has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
