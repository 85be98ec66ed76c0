import type { JournalEntry } from "./journal-entry.ts";

/**
 * Events of a project that /ingest recorded together, with their ids, as the collection `ingested` keeps them: one document, so
 * that an event and its id are there both or neither. When it is drained, it loses the events and what tells of them; the ids
 * stay for as long as they count.
 */
export interface IngestedEntry extends JournalEntry {
  projectId: string;
  /** Those that callers gave. One that no caller can give where there are none: an empty list is a value to a unique index. */
  requestIds: string[];
  /** When the events were recorded, on the database's clock: their ids count from then on. */
  writtenAt: Date;
  /** When it was drained, from which on the database clears up; until then NEVER, so that it keeps what waits. */
  at: Date;
  /** Bytes that it takes while it waits, more or less. */
  size: number;
}

export const NEVER = new Date("9999-12-31T00:00:00Z");
