/**
 * What was decided together, as it is stored in the collection `journal`: written in one transaction with what it tells of, and
 * drained into the time-series later, exactly once. A journal entry that a majority has is an answer that was given.
 */
export interface JournalEntry {
  /** `<node>:<sequence>`; the sequence is 12 digits, so that the entries of a node sort in their order. */
  _id: string;
  /** Which collection its events go to: `key_activity`, or `api_traffic`. */
  kind: "activity" | "traffic";
  /** When it was written, on the node's estimate of the database's clock: for the order of draining alone. */
  at: Date;
  /** How many events it has. */
  count: number;
  /** The events, as JSON text: the database never looks into them. */
  events: string;
}
