import type { Document, IndexDescription } from "mongodb";
import type { CollectionIndexes } from "../mongo/schema.ts";
import { KINDS } from "./drain-batch.ts";
import type { DrainState } from "./drain-state.ts";

/** A collection in which entries wait to be drained. Each is drained by itself, with a state and a session of its own. */
export interface Queue {
  collection: "journal" | "ingested";
  state: DrainState["_id"];
  /** What holds for entries that are there, and for nothing else in the collection. */
  present: Document;
  /** How those that wait are read, the first that were written first. */
  order: { hint: string | Document; sort?: Document };
  /** The field with the time at which an entry was written. */
  writtenAt: "at" | "writtenAt";
  /** The command that takes entries out. Its count is that of the entries that were there. Served by _id. */
  removal: (entryIds: readonly string[]) => Document;
}

/** Verdicts, and events of traffic that a version before this one has recorded. */
export const JOURNAL: Queue = {
  collection: "journal",
  state: "journalDrain",
  present: {},
  // As they were written, which needs no index.
  order: { hint: { $natural: 1 } },
  writtenAt: "at",
  removal: (entryIds) => ({ delete: "journal", deletes: [{ q: { _id: { $in: entryIds } }, limit: 0 }] }),
};

/** Entries that wait among others. Has all that is asked of many of them at once: nobody has to read them for it. */
export const waitingIndex: IndexDescription = {
  name: "waiting",
  key: { kind: 1, writtenAt: 1, projectId: 1, _id: 1, size: 1 },
  partialFilterExpression: { kind: { $exists: true } },
};

/** What serves this index is a kind, of whichever version. */
const ANY_KIND = { $gte: "" };

/** Events of traffic, each with its request id (IngestedEntry). */
export const INGESTED: Queue = {
  collection: "ingested",
  state: "ingestedDrain",
  present: { kind: ANY_KIND },
  order: { hint: "waiting", sort: { writtenAt: 1 } },
  writtenAt: "writtenAt",
  removal: (entryIds) => {
    const q = { _id: { $in: entryIds }, kind: ANY_KIND };
    const drained = { $unset: { kind: "", count: "", events: "", size: "" }, $currentDate: { at: true } };
    // Else the index waiting may be taken, and all that waits be looked at.
    return { update: "ingested", updates: [{ q, u: drained, multi: true, hint: { _id: 1 } }] };
  },
};

export const QUEUES: readonly Queue[] = [JOURNAL, INGESTED];

/** Served as its queue says. */
export const journalIndexes: CollectionIndexes = { collection: JOURNAL.collection, indexes: [] };

/** Entries of a queue that this version drains. */
export function drainable({ present }: Queue): Document {
  return { ...present, kind: { $in: KINDS } };
}
