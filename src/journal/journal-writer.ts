import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../lib/fault.ts";
import type { JournalEntry } from "./journal-entry.ts";

export interface JournalWriterOptions {
  /** Part of the id of every entry: no two processes have the same. */
  nodeId: string;
  /** Prepares the write of an entry, acknowledged by a majority: when it is repeated, it applies once all the same. */
  prepareInsert: (entry: JournalEntry) => () => Promise<void>;
  /** Whether who adds an event waits until a majority has it; if not, it is written within BUFFERED_MS. */
  isDurable: boolean;
}

/** Events of one entry. */
const ENTRY_ROWS_MAX = 1_000;
/** Characters of one entry, more or less: an entry is a document, of which MongoDB takes 16 MB. */
const ENTRY_TEXT_MAX = 4_000_000;
/** Entries under way: while a majority is waited for, the next are gathered. */
const UNDER_WAY_MAX = 4;
/** Characters that wait, more or less; beyond, events are refused, and so are their verdicts. */
const WAITING_TEXT_MAX = 64_000_000;
const BUFFERED_MS = 400;
/** Between attempts of a write that nobody waits for. */
const RETRY_MS = 200;
const CLOSE_MAX_MS = 2_000;
const SEQUENCE_DIGITS = 12;

interface Waiting {
  row: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers the events of verdicts that charge nothing, and writes them together: while some entries are on their way, those that
 * come meanwhile wait for the next.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #waiting: Waiting[] = [];
  #waitingText = 0;
  #underWay = 0;
  #sequence = 0;
  #isScheduled = false;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
  }

  /** Events that wait to be written. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** An entry of this node that is written by somebody else, such as a transaction. */
  entry(rows: readonly string[], kind: JournalEntry["kind"] = "activity"): JournalEntry {
    const _id = `${this.#options.nodeId}:${String(++this.#sequence).padStart(SEQUENCE_DIGITS, "0")}`;
    // The time is for the order of draining alone.
    return { _id, kind, at: new Date(), count: rows.length, events: `[${rows.join(",")}]` };
  }

  /** The same of as many rows as there may be: each entry is small enough for a document. */
  entries(rows: readonly string[]): JournalEntry[] {
    const entries: JournalEntry[] = [];
    for (let first = 0; first < rows.length; ) {
      const count = countFitting(rows.length - first, (index) => rows[first + index]?.length ?? 0);
      entries.push(this.entry(rows.slice(first, first + count)));
      first += count;
    }
    return entries;
  }

  /**
   * Adds an event. Resolves when a majority has it, or at once where events are buffered. Throws OVERLOADED when too many
   * wait already, and rejects when it is not known whether it was written.
   */
  append(row: string): Promise<void> | undefined {
    this.checkRoom();
    return this.add(row);
  }

  /** Throws OVERLOADED when too many events wait: to be asked before anything is done that must be recorded. */
  checkRoom(): void {
    if (this.#waitingText <= WAITING_TEXT_MAX) return;
    throw new Fault("OVERLOADED", "too many verdicts wait to be recorded", { retryAfterSeconds: 1 });
  }

  /** As append, of what has happened already and is recorded in any case. */
  add(row: string): Promise<void> | undefined {
    this.#waitingText += row.length;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ row, resolve, reject });
    this.#plan();
    return this.#options.isDurable ? promise : undefined;
  }

  /** Writes what waits, for a bounded time. */
  async close(): Promise<void> {
    const endMs = performance.now() + CLOSE_MAX_MS;
    while ((this.#waiting.length > 0 || this.#underWay > 0) && performance.now() < endMs) {
      this.#flush();
      await sleep(10);
    }
  }

  /** Sees to it that what waits is written: with all that comes in this turn, or when it is much, or late. */
  #plan(): void {
    if (this.#waiting.length === 0) return;
    if (this.#options.isDurable) this.#schedule(setImmediate);
    else if (this.#waiting.length >= ENTRY_ROWS_MAX) this.#flush();
    else this.#schedule((flush) => setTimeout(flush, BUFFERED_MS).unref());
  }

  #schedule(later: (flush: () => void) => void): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    later(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#waiting.length > 0 && this.#underWay < UNDER_WAY_MAX) {
      const batch = this.#takeBatch();
      this.#underWay++;
      void this.#write(batch).finally(() => {
        this.#underWay--;
        this.#waitingText -= textOf(batch);
        this.#plan();
      });
    }
  }

  /** The first that wait, as many as fit. */
  #takeBatch(): Waiting[] {
    return this.#waiting.splice(
      0,
      countFitting(this.#waiting.length, (index) => this.#waiting[index]?.row.length ?? 0),
    );
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const entry = this.entry(batch.map(({ row }) => row));
    try {
      await this.#insert(entry);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /**
   * Events that nobody waits for are tried until they are written: an insert of the same id would not do, because the entry may
   * have been drained and removed meanwhile.
   */
  async #insert(entry: JournalEntry): Promise<void> {
    const insert = this.#options.prepareInsert(entry);
    for (;;) {
      try {
        return await insert();
      } catch (error) {
        if (this.#options.isDurable) throw error;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }
}

/** How many of so many rows an entry takes. */
function countFitting(rowCount: number, lengthOf: (index: number) => number): number {
  let count = 0;
  for (let text = 0; count < rowCount && count < ENTRY_ROWS_MAX && text < ENTRY_TEXT_MAX; count++)
    text += lengthOf(count);
  return count;
}

function textOf(batch: readonly Waiting[]): number {
  let text = 0;
  for (const { row } of batch) text += row.length;
  return text;
}
