import { setTimeout as sleep } from "node:timers/promises";

interface Call {
  /** Its place among the calls. */
  index: number;
  work: Promise<unknown>;
  /** On the clock of `performance.now()`; infinite where there is none, and once the call was given up. */
  deadlineMs: number;
  giveUp: () => void;
}

/** How late a call may be given up. */
const TICK_MS = 50;

/** The calls that are under way, each bounded in time. One timer serves all, because one for each call costs as much as its JSON. */
export class CallsUnderWay {
  /**
   * In no order. Not a Set: that replaces its table again and again, each table keeps a reference to the next and to what was
   * in it, and so a table that has grown old keeps all calls since then from the collection of young garbage.
   */
  readonly #calls: Call[] = [];
  #timer: NodeJS.Timeout | undefined;

  /**
   * Waits for work, or for its time to be up: it goes on then, but nobody is told what becomes of it.
   *
   * @param toFault what to reject with when the work fails
   * @param late what to reject with when it takes too long
   */
  run<Result>(
    work: Promise<Result>,
    timeoutMs: number,
    toFault: (error: unknown) => Error,
    late: () => unknown,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(toFault(late()));
      const call: Call = { index: this.#calls.length, work, deadlineMs: performance.now() + timeoutMs, giveUp };
      this.#calls.push(call);
      this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
      const onResult = (result: Result) => {
        this.#remove(call);
        resolve(result);
      };
      const onError = (error: unknown) => {
        this.#remove(call);
        if (call.deadlineMs !== Number.POSITIVE_INFINITY) reject(toFault(error));
      };
      work.then(onResult, onError);
    });
  }

  /**
   * Counts work that has no time limit.
   *
   * @param work never rejects
   */
  track(work: Promise<void>): void {
    const call: Call = {
      index: this.#calls.length,
      work,
      deadlineMs: Number.POSITIVE_INFINITY,
      giveUp: () => undefined,
    };
    this.#calls.push(call);
    work.then(() => this.#remove(call));
  }

  /** Resolves when no call is under way any more, those included that were given up, or when time is up. */
  async settled(deadlineMs: number): Promise<void> {
    const deadline = new AbortController();
    const timeout = sleep(deadlineMs, undefined, { signal: deadline.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.#calls.map(({ work }) => work)), timeout]);
    deadline.abort();
  }

  #remove({ index }: Call): void {
    const last = this.#calls.pop();
    if (last === undefined || last.index === index) return;
    last.index = index;
    this.#calls[index] = last;
  }

  #tick(): void {
    if (this.#calls.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const nowMs = performance.now();
    for (const call of this.#calls) {
      if (call.deadlineMs > nowMs) continue;
      call.deadlineMs = Number.POSITIVE_INFINITY;
      call.giveUp();
    }
  }
}
