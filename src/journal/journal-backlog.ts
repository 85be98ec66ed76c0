import { Fault } from "../lib/fault.ts";

export interface JournalBacklogOptions {
  /** Bytes of the entries that wait in the journal. */
  size: () => Promise<number>;
  monotonicMs: () => number;
}

/** Bytes that may wait: questions read them event by event, and about twenty seconds of draining bring them down, or a minute where each event is of another project. */
const SIZE_MAX = 512 * 1024 * 1024;
const FRESH_MS = 500;
/** The more waits, the longer it takes to count: no more than a tenth of the time goes there. */
const REST_FACTOR = 10;

/** Keeps events that nobody waits for from being recorded faster than they are drained: the journal would grow without end. */
export class JournalBacklog {
  readonly #options: JournalBacklogOptions;
  #isFull = false;
  #isLooking = false;
  #nextLookMs = Number.NEGATIVE_INFINITY;

  constructor(options: JournalBacklogOptions) {
    this.#options = options;
  }

  /** Throws OVERLOADED when too much waited when it was last looked at, about half a second ago, or a little more where much waits. */
  checkRoom(): void {
    if (!this.#isLooking && this.#options.monotonicMs() >= this.#nextLookMs) void this.#look();
    if (!this.#isFull) return;
    throw new Fault("OVERLOADED", "events arrive faster than they are stored; nothing was done", {
      retryAfterSeconds: 5,
    });
  }

  async #look(): Promise<void> {
    const { monotonicMs } = this.#options;
    const startMs = monotonicMs();
    this.#isLooking = true;
    try {
      this.#isFull = (await this.#options.size()) > SIZE_MAX;
    } catch {
      // Who cannot be asked is out of reach for what is to be recorded, too, which says so.
      this.#isFull = false;
    } finally {
      this.#isLooking = false;
      this.#nextLookMs = startMs + Math.max(FRESH_MS, REST_FACTOR * (monotonicMs() - startMs));
    }
  }
}
