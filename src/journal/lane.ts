import { setTimeout as sleep } from "node:timers/promises";
import { databaseUnavailable, Fault } from "../lib/fault.ts";

/** What waits to be written with others. */
export interface Queued {
  /** When it arrived, on `performance.now()`. */
  arrivedMs: number;
  /** Characters of its texts: what its events take depends on them. */
  textLength: number;
}

/** A call, and who waits for its outcome. */
export interface Waiting<Call, Outcome> {
  call: Call;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

/** What was committed on the primary. */
export interface Committed<Outcome> {
  /** In the order of the calls. Nobody may be told of them before they are durable. */
  outcomes: readonly Outcome[];
  durable: Promise<void>;
}

export interface LaneOptions<Call extends Queued, Outcome> {
  /** Settles a batch, and never rejects. */
  settle: (batch: readonly Waiting<Call, Outcome>[], lane: Lane<Call, Outcome>) => Promise<void>;
  /** Calls of one batch. */
  callsMax: number;
  /** Characters of one batch, more or less: its entry in the journal is a document, of which MongoDB takes 16 MB. */
  textMax: number;
}

/** A call that could not begin by then would come too late for its caller. */
const WAIT_MAX_MS = 1_500;
const LOOK_FOR_LATE_MS = 100;
/** A batch that hangs is given up, and its lane goes on: its callers have been told that nothing is known. */
const BATCH_MAX_MS = 2_700;
/** Batches that were committed, and of which it is not known yet whether a majority has them. */
const UNPROVEN_MAX = 4;
/** For so long a lane waits for one of them, and then goes on. */
const UNPROVEN_MAX_MS = 2_700;

/**
 * Calls that are settled in batches, one after the other, in the order of their arrival: those that come while one is under
 * way are in the next. Calls that wait for too long, behind a batch that hangs, are refused.
 */
export class Lane<Call extends Queued, Outcome> {
  readonly #options: LaneOptions<Call, Outcome>;
  #waiting: Waiting<Call, Outcome>[] = [];
  #isRunning = false;
  #lookingForLate: NodeJS.Timeout | undefined;
  readonly #unproven = new Set<Promise<void>>();

  constructor(options: LaneOptions<Call, Outcome>) {
    this.#options = options;
  }

  /** Whether it has calls. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  add(waiting: Waiting<Call, Outcome>): void {
    this.#waiting.push(waiting);
    this.#lookingForLate ??= setInterval(() => this.#refuseLate(), LOOK_FOR_LATE_MS).unref();
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Once everything that has arrived by now is here.
    setImmediate(() => void this.#run());
  }

  /** Takes out calls that wait, in their order. */
  remove(isWanted: (waiting: Waiting<Call, Outcome>) => boolean): Waiting<Call, Outcome>[] {
    const removed = this.#waiting.filter(isWanted);
    if (removed.length > 0) this.#waiting = this.#waiting.filter((waiting) => !isWanted(waiting));
    return removed;
  }

  /** Answers the calls of a batch when a majority has it; of many such batches, the lane waits for one before the next. */
  answerWhenDurable(
    batch: readonly Waiting<Call, Outcome>[],
    { outcomes, durable }: Committed<Outcome>,
  ): Promise<void> {
    const answered = durable.then(
      () => {
        // Each call has an outcome.
        for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as Outcome);
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
    this.#unproven.add(answered);
    void answered.finally(() => this.#unproven.delete(answered));
    return answered;
  }

  #refuseLate(): void {
    withoutLate(this.remove(isLate));
    if (this.#waiting.length > 0) return;
    clearInterval(this.#lookingForLate);
    this.#lookingForLate = undefined;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#options.settle(this.#take(), this);
      if (this.#unproven.size < UNPROVEN_MAX) continue;
      await Promise.race([...this.#unproven, sleep(UNPROVEN_MAX_MS, undefined, { ref: false })]);
    }
    this.#isRunning = false;
  }

  /** The first that wait, as many as fit. */
  #take(): Waiting<Call, Outcome>[] {
    const { callsMax, textMax } = this.#options;
    let count = 0;
    for (let text = 0; count < this.#waiting.length && count < callsMax && text < textMax; count++) {
      text += this.#waiting[count]?.call.textLength ?? 0;
    }
    return this.#waiting.splice(0, count);
  }
}

/** Refuses those that have waited too long, for which nothing was done, and answers the others. */
export function withoutLate<Call extends Queued, Outcome>(
  batch: readonly Waiting<Call, Outcome>[],
): Waiting<Call, Outcome>[] {
  return batch.filter((waiting) => {
    if (!isLate(waiting)) return true;
    waiting.reject(overloaded());
    return false;
  });
}

function isLate({ call }: Waiting<Queued, never>): boolean {
  return call.arrivedMs < performance.now() - WAIT_MAX_MS;
}

/** The fault of a call for which there is no room, or no time. */
export function overloaded(): Fault {
  return new Fault("OVERLOADED", "too many calls wait; nothing was done", { retryAfterSeconds: 1 });
}

/**
 * Runs a batch for a bounded time. Rejects with DATABASE_UNAVAILABLE when it was given up: nothing is known then.
 *
 * @param run is told whether it was given up: then it commits nothing and begins nothing anew
 */
export async function runBounded<Batch extends { durable: Promise<void> } | undefined>(
  run: (isGivenUp: () => boolean) => Promise<Batch>,
): Promise<Batch> {
  let isGivenUp = false;
  const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    isGivenUp = true;
    giveUp(databaseUnavailable());
  }, BATCH_MAX_MS);
  const settled = run(() => isGivenUp);
  // Nobody waits any more for what comes after its time.
  settled.then(
    (batch) => batch?.durable.catch(() => undefined),
    () => undefined,
  );
  try {
    return await Promise.race([settled, givenUp]);
  } finally {
    clearTimeout(timer);
  }
}
