import { Fault } from "./fault.ts";

export interface ConcurrencyLimitOptions {
  /** Pieces of work that are under way at once. */
  runningMax: number;
  /** Pieces that wait for their turn. */
  waitingMax: number;
  /** For so long a piece waits; nobody wants what begins later. */
  waitMaxMs: number;
  monotonicMs: () => number;
}

/** Runs a few pieces of work at a time, in the order in which they came. */
export class ConcurrencyLimit {
  readonly #options: ConcurrencyLimitOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: ConcurrencyLimitOptions) {
    this.#options = options;
  }

  /** Throws OVERLOADED when too many wait, or when it has waited too long: then the work was not begun. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { runningMax, waitingMax, waitMaxMs, monotonicMs } = this.#options;
    if (this.#running < runningMax) this.#running++;
    else {
      if (this.#waiting.length >= waitingMax) throw overloaded();
      const sinceMs = monotonicMs();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      if (monotonicMs() - sinceMs > waitMaxMs) {
        this.#handOn();
        throw overloaded();
      }
    }
    try {
      return await work();
    } finally {
      this.#handOn();
    }
  }

  /** Whoever is next takes the place, so that nobody who comes now is before it. */
  #handOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}

function overloaded(): Fault {
  return new Fault("OVERLOADED", "too many questions at once", { retryAfterSeconds: 1 });
}
