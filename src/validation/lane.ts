import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome, SettleCall } from "./settle-call.ts";

/** A call, and who waits for its outcome. */
export interface Waiting {
  call: SettleCall;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

/** Calls of one batch. */
const BATCH_MAX = 512;
/** Characters of the texts of one batch: its entry in the journal is a document, of which MongoDB takes 16 MB. */
const BATCH_TEXT_MAX = 1_000_000;
/** Batches that were committed, and of which it is not known yet whether a majority has them. */
const UNPROVEN_MAX = 4;
/** For so long a lane waits for one of them, and then goes on. */
const UNPROVEN_MAX_MS = 2_700;

/** Calls that are settled in batches, one after the other, in the order of their arrival. */
export class Lane {
  readonly #settle: (batch: readonly Waiting[], lane: Lane) => Promise<void>;
  #waiting: Waiting[] = [];
  #isRunning = false;
  readonly #unproven = new Set<Promise<void>>();

  /** @param settle settles a batch, and never rejects */
  constructor(settle: (batch: readonly Waiting[], lane: Lane) => Promise<void>) {
    this.#settle = settle;
  }

  /** Whether it has calls. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Once everything that has arrived by now is here.
    setImmediate(() => void this.#run());
  }

  /** Takes out calls that wait, in their order. */
  remove(isWanted: (waiting: Waiting) => boolean): Waiting[] {
    const removed = this.#waiting.filter(isWanted);
    if (removed.length > 0) this.#waiting = this.#waiting.filter((waiting) => !isWanted(waiting));
    return removed;
  }

  /** A batch that was committed; it never rejects. Of many, the lane waits for one before it commits the next. */
  expect(proven: Promise<void>): void {
    this.#unproven.add(proven);
    void proven.finally(() => this.#unproven.delete(proven));
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#settle(this.#take(), this);
      if (this.#unproven.size < UNPROVEN_MAX) continue;
      await Promise.race([...this.#unproven, sleep(UNPROVEN_MAX_MS, undefined, { ref: false })]);
    }
    this.#isRunning = false;
  }

  /** The first that wait, as many as fit. */
  #take(): Waiting[] {
    let count = 0;
    for (let text = 0; count < this.#waiting.length && count < BATCH_MAX && text < BATCH_TEXT_MAX; count++) {
      text += this.#waiting[count]?.call.textLength ?? 0;
    }
    return this.#waiting.splice(0, count);
  }
}
