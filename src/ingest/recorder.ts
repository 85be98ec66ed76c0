import { Lane, overloaded, runBounded, withoutLate } from "../journal/lane.ts";
import type { BatchRecording, Portion, WaitingPortion } from "./batch-recording.ts";

/** Calls that wait, and characters that they hold, more or less: beyond, calls are refused before they cost memory. */
const WAITING_CALLS_MAX = 10_000;
const WAITING_TEXT_MAX = 64_000_000;
/** Characters of the rows of a portion, and of a batch, which may have one portion more: the entry is a document of 16 MB. */
const PORTION_TEXT_MAX = 2_000_000;
const BATCH_TEXT_MAX = 2_000_000;
const BATCH_CALLS_MAX = 1_000;
/** Batches under way: the second begins when so many calls wait. */
const BATCHES_MAX = 2;
const BESIDE_CALLS_MIN = 128;
/** What an event costs beside its row, as characters: the ids of a batch that is sent again are looked for together. */
const EVENT_TEXT = 200;

/** What a call asks to be recorded. */
export interface Recording {
  projectId: string;
  rows: readonly string[];
  /** One for each row; empty: the caller gave none. */
  requestIds: readonly string[];
  /** When the call arrived, on `performance.now()`. */
  arrivedMs: number;
  /** Characters that the call holds besides its rows until it is answered. */
  heldLength: number;
}

/** Records the events of calls: those of calls that arrive while a batch is under way are in the next. */
export class Recorder {
  readonly #recording: Pick<BatchRecording, "run">;
  readonly #lane = new Lane<Portion, number>({
    settle: (batch) => this.#begin(batch),
    ...{ callsMax: BATCH_CALLS_MAX, textMax: BATCH_TEXT_MAX },
  });
  readonly #underWay = new Set<Promise<void>>();
  /** Is called when enough calls wait for a batch beside the one under way. */
  #onEnough: () => void = () => undefined;
  #waitingCalls = 0;
  #waitingText = 0;

  constructor(recording: Pick<BatchRecording, "run">) {
    this.#recording = recording;
  }

  /** Calls whose events are not recorded yet. */
  get waitingCount(): number {
    return this.#waitingCalls;
  }

  /** Throws OVERLOADED when too many calls wait: to be asked before anything else is done for one. */
  checkRoom(): void {
    if (this.#waitingCalls >= WAITING_CALLS_MAX || this.#waitingText >= WAITING_TEXT_MAX) throw overloaded();
  }

  /**
   * Records events, and answers how many of them were recorded before, once a majority has them all. Throws OVERLOADED when
   * too many wait, or this call waited too long, and nothing was done; rejects with other errors when it is not known what
   * was done. A call of many events may fail when some of them are recorded.
   */
  async record(recording: Recording): Promise<number> {
    this.checkRoom();
    const portions = portionsOf(recording);
    const textLength = portions.reduce((sum, portion) => sum + portion.textLength, recording.heldLength);
    this.#waitingCalls++;
    this.#waitingText += textLength;
    try {
      const [first] = portions;
      if (first !== undefined && portions.length === 1) return await this.#add(first);
      const duplicates = await Promise.all(portions.map((portion) => this.#add(portion)));
      return duplicates.reduce((sum, count) => sum + count, 0);
    } finally {
      this.#waitingCalls--;
      this.#waitingText -= textLength;
    }
  }

  #add(call: Portion): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#lane.add({ call, resolve, reject });
    if (this.#lane.waitingCount >= BESIDE_CALLS_MIN) this.#onEnough();
    return promise;
  }

  /** Resolves when the next batch may begin. */
  async #begin(batch: readonly WaitingPortion[]): Promise<void> {
    const recorded = this.#recordBatch(batch);
    this.#underWay.add(recorded);
    void recorded.then(() => this.#underWay.delete(recorded));
    while (this.#underWay.size > 0 && !this.#hasRoomBeside()) {
      const { promise: enough, resolve } = Promise.withResolvers<void>();
      this.#onEnough = resolve;
      await Promise.race([...this.#underWay, ...(this.#underWay.size < BATCHES_MAX ? [enough] : [])]);
    }
  }

  #hasRoomBeside(): boolean {
    return this.#underWay.size < BATCHES_MAX && this.#lane.waitingCount >= BESIDE_CALLS_MIN;
  }

  /** Never throws: whatever happens is told to the callers. */
  async #recordBatch(taken: readonly WaitingPortion[]): Promise<void> {
    const batch = withoutLate(taken);
    if (batch.length === 0) return;
    try {
      await runBounded(async (isGivenUp) => {
        await this.#recording.run(batch, isGivenUp);
        return undefined;
      });
    } catch (error) {
      // Those that were told already hear no more.
      for (const { reject } of batch) reject(error);
    }
  }
}

/** The events of a call in as few portions as may be. */
function portionsOf({ projectId, rows, requestIds, arrivedMs }: Recording): Portion[] {
  const portions: Portion[] = [];
  let [first, textLength] = [0, 0];
  const close = (end: number) => {
    const isWhole = first === 0 && end === rows.length;
    const part = <Item>(items: readonly Item[]) => (isWhole ? items : items.slice(first, end));
    portions.push({ projectId, rows: part(rows), requestIds: part(requestIds), arrivedMs, textLength });
    [first, textLength] = [end, 0];
  };
  for (const [index, row] of rows.entries()) {
    if (textLength + row.length + EVENT_TEXT > PORTION_TEXT_MAX && index > first) close(index);
    textLength += row.length + EVENT_TEXT;
  }
  if (first < rows.length) close(rows.length);
  return portions;
}
