import type { ClientSession, Db, Document, ObjectId } from "mongodb";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { isDuplicateKey } from "../mongo/classify-error.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import { writeCommand } from "../mongo/write-command.ts";
import { RECORDED_MS } from "./traffic.ts";

/**
 * The request ids of events that were recorded together, those of one project in few documents: an entry in the unique index
 * for each, but not a document, which would cost as much again, and neighbours in the index where ids are made in the order
 * of time.
 */
interface Recorded {
  _id: ObjectId;
  projectId: string;
  at: Date;
  requestIds: string[];
}

export const ingestedIndexes: CollectionIndexes = {
  collection: "ingested",
  indexes: [
    { name: "request", key: { projectId: 1, requestIds: 1 }, unique: true },
    // Only clears up: how long an id counts is decided when it is read.
    { name: "expiry", key: { at: 1 }, expireAfterSeconds: RECORDED_MS / 1_000 },
  ],
};

/** Not many: to find one of them, all are looked at. */
const DOCUMENT_IDS_MAX = 250;

/** Request ids by the project whose they are. */
export type RequestIds = ReadonlyMap<string, ReadonlySet<string>>;

/** One of the events is recorded already, so nothing was written. */
export class AlreadyRecorded extends Error {}

export type IngestStore = ReturnType<typeof createIngestStore>;

/** What the recording of events reads and writes, all of it within transactions. */
export function createIngestStore(db: Db) {
  const ingested = db.collection<Recorded>("ingested");

  return {
    /**
     * Which of these events are recorded. Where they are recorded too long ago to count, and were not cleared up yet, the
     * record is removed, with all that was recorded at the same time.
     */
    async takeRecorded(wanted: RequestIds, nowMs: number, session: ClientSession): Promise<Map<string, Set<string>>> {
      const recorded = new Map<string, Set<string>>();
      const expired: ObjectId[] = [];
      for (const [projectId, requestIds] of wanted) {
        const ids = [...requestIds];
        const own = new Set<string>();
        recorded.set(projectId, own);
        // Served by the index request.
        const found = ingested.aggregate<Pick<Recorded, "_id" | "at"> & { requestId: string }>(
          [
            { $match: { projectId, requestIds: { $in: ids } } },
            // Each by itself: to compare lists with lists takes the database many times as long.
            { $unwind: "$requestIds" },
            { $match: { requestIds: { $in: ids } } },
            { $project: { at: 1, requestId: "$requestIds" } },
          ],
          { session, batchSize: ids.length + 1 },
        );
        for (const { _id, at, requestId } of await found.toArray()) {
          if (at.getTime() + RECORDED_MS <= nowMs) expired.push(_id);
          else own.add(requestId);
        }
      }
      // Served by _id. Whoever removes it too makes one of the two transactions fail, which is then run again.
      if (expired.length > 0) await ingested.deleteMany({ _id: { $in: expired } }, { session });
      return recorded;
    },

    /** Throws AlreadyRecorded when one of these events is recorded. The index request lets each be recorded once. */
    async record(fresh: RequestIds, nowMs: number, session: ClientSession): Promise<void> {
      const documents: Document[] = [];
      for (const [projectId, requestIds] of fresh) {
        const ids = [...requestIds];
        for (let first = 0; first < ids.length; first += DOCUMENT_IDS_MAX) {
          const part = ids.slice(first, first + DOCUMENT_IDS_MAX);
          documents.push({ projectId, at: new Date(nowMs), requestIds: part });
        }
      }
      if (documents.length === 0) return;
      try {
        await writeCommand(db, { insert: "ingested", documents }, session);
      } catch (error) {
        if (isDuplicateKey(error)) throw new AlreadyRecorded("an event is recorded", { cause: error });
        throw error;
      }
    },

    /** Writes an entry of the journal. */
    async journal(entry: JournalEntry, session: ClientSession): Promise<void> {
      await writeCommand(db, { insert: "journal", documents: [entry] }, session);
    },
  };
}
