import { type Piece, piecesOf } from "./drain-batch.ts";
import type { DrainStore } from "./drain-store.ts";
import type { JournalEntry } from "./journal-entry.ts";

export interface EntryReaderOptions {
  store: Pick<DrainStore, "nextEntries" | "setAside">;
  /** Takes an entry that cannot be read, and was laid aside. */
  onUnreadable: (error: unknown, entryId: string) => void;
}

/** Entries for a batch, and their events. */
export interface ReadEntries {
  entries: JournalEntry[];
  pieces: Piece[];
}

/** Reads what the next batch will be of: under load while the one before it is inserted, so that neither waits for the other. */
export class EntryReader {
  readonly #options: EntryReaderOptions;
  #isBehind = false;
  /** undefined in the end: it is to be read anew. */
  #ahead: Promise<ReadEntries | undefined> | undefined;

  constructor(options: EntryReaderOptions) {
    this.#options = options;
  }

  /** Whether the last batch was as large as batches become: probably more waits. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** The entries that wait, the first that were written first. Those that cannot be read are laid aside. */
  async next(): Promise<ReadEntries> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return (await ahead) ?? (await this.#read());
  }

  /**
   * Begins to read what comes after a batch that is about to be inserted, if it was a full one. Nobody but the holder of the
   * lease removes entries, and the plan of who has lost it fails: what was read is there when it is planned.
   */
  readAhead(entryIds: readonly string[]): void {
    if (this.#isBehind) this.#ahead = this.#readAfter(entryIds);
  }

  /** Drops what was read: another may have drained it. */
  forget(): void {
    this.#ahead = undefined;
  }

  async #readAfter(entryIds: readonly string[]): Promise<ReadEntries | undefined> {
    try {
      const { entries, isFull } = await this.#options.store.nextEntries(entryIds);
      // Of fewer, more will have come by then.
      return isFull ? { entries, pieces: piecesOf(entries) } : undefined;
    } catch {
      // It is read again, and fails again if it has to.
      return undefined;
    }
  }

  async #read(): Promise<ReadEntries> {
    const { entries, isFull } = await this.#options.store.nextEntries();
    this.#isBehind = isFull;
    try {
      return { entries, pieces: piecesOf(entries) };
    } catch {
      const readable = await this.#layAsideUnreadable(entries);
      return { entries: readable, pieces: piecesOf(readable) };
    }
  }

  async #layAsideUnreadable(entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
    const readable: JournalEntry[] = [];
    for (const entry of entries) {
      try {
        piecesOf([entry]);
        readable.push(entry);
      } catch (error) {
        await this.#options.store.setAside(entry._id);
        this.#options.onUnreadable(error, entry._id);
      }
    }
    return readable;
  }
}
