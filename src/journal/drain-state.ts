import type { Binary } from "mongodb";

/**
 * Who drains a queue, and what is under way: one document, so that every step of draining is one atomic update of it
 * that fails for whoever is not the holder any more.
 */
export interface DrainState {
  _id: "journalDrain" | "ingestedDrain";
  /** The drainer that holds the lease, and until when. The lease saves work; it is the fence that keeps others out. */
  holder: string;
  until: Date;
  /** When it was taken. All times are the database's. */
  takenAt: Date;
  /** Goes up whenever the lease is taken, by the same holder too: what was sent under an earlier one changes nothing. */
  fence: number;
  /** The id of the logical session in which all events are inserted, by all holders. */
  session: Binary;
  /**
   * The queue that the session's numbers are about, by the id that the server gave the collection: that of a restored backup is
   * another, of which the session knows nothing, or the wrong things. Absent: an earlier version wrote this, or there is none.
   */
  journalId?: string;
  /** The last number of a transaction that was given out in the session. */
  txnNumber: number;
  intention: Intention | null;
}

/** What is about to be inserted, written before it is: whoever finds it inserts the same with the same number, or nothing. */
export interface Intention {
  txnNumber: number;
  /** The journal entries, in the order in which their events are numbered. */
  entryIds: string[];
  at: Date;
  /** Some of the events may be in their collection under a number that means nothing any more: only insert what is not. */
  mayBePresent: boolean;
}

/**
 * The server keeps what it knows of a session for 30 minutes after its last use. An intention that is older than this is not
 * repeated under its number, because the server might apply it twice; the rest is for clocks that differ.
 */
export const INTENTION_AGE_MAX_MS = 20 * 60_000;

/** The number of the transaction that removes the entries of an intention. */
export function removalNumberOf({ txnNumber }: Pick<Intention, "txnNumber">): number {
  return txnNumber + 1;
}

/** Whether an intention can only be completed by looking which of its events are there. */
export function isOutdated({ takenAt, intention }: DrainState): boolean {
  return intention !== null && takenAt.getTime() - intention.at.getTime() > INTENTION_AGE_MAX_MS;
}
