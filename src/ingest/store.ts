import type { Db } from "mongodb";
import { type IngestedEntry, NEVER } from "../journal/ingested-entry.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { waitingIndex } from "../journal/queue.ts";
import { insertNumbered } from "../mongo/numbered-command.ts";
import { NumberedSessions } from "../mongo/numbered-sessions.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import { RECORDED_MS } from "./traffic.ts";

/** Neighbours in the index where ids are made in the order of time. */
export const ingestedIndexes: CollectionIndexes = {
  collection: "ingested",
  indexes: [
    { name: "request", key: { projectId: 1, requestIds: 1 }, unique: true },
    // Only clears up what is drained: how long an id counts is decided when it is read.
    { name: "expiry", key: { at: 1 }, expireAfterSeconds: RECORDED_MS / 1_000 },
    waitingIndex,
  ],
};

/** What an entry takes besides its events, and an event besides its text, more or less: ids, index, and the time to drain it. */
const ENTRY_BYTES = 500;
const EVENT_BYTES = 200;

/** What is left of an entry when it is drained; of a version that kept events elsewhere, without `writtenAt`. */
type Drained = Pick<IngestedEntry, "_id" | "projectId" | "requestIds" | "at"> & Partial<IngestedEntry>;

/** An id that was found. */
type Found = Pick<Drained, "_id" | "at" | "writtenAt" | "kind"> & { requestId: string };

export type IngestStore = ReturnType<typeof createIngestStore>;

/** Events that are recorded, and the ids by which each is recorded once. */
export function createIngestStore(db: Db) {
  const ingested = db.collection<Drained>("ingested");
  const majority = db.collection<Drained>("ingested", { readConcern: { level: "majority" } });
  const sessions = new NumberedSessions();

  return {
    /**
     * Which of these ids of a project are recorded, as far as a majority has them. Where they are recorded too long ago to count,
     * and were not cleared up yet, the record is removed, with all that was recorded at the same time. Rejects when it takes
     * longer than it may.
     */
    async findRecorded(
      projectId: string,
      requestIds: readonly string[],
      { nowMs, timeMaxMs }: { nowMs: number; timeMaxMs: number },
    ): Promise<Set<string>> {
      const recorded = new Set<string>();
      const expired = new Set<string>();
      // Served by the index request.
      const found = majority.aggregate<Found>(
        [
          { $match: { projectId, requestIds: { $in: requestIds } } },
          // Each by itself: to compare lists with lists takes the database many times as long.
          { $unwind: "$requestIds" },
          { $match: { requestIds: { $in: requestIds } } },
          { $project: { at: 1, writtenAt: 1, kind: 1, requestId: "$requestIds" } },
        ],
        { batchSize: requestIds.length + 1, maxTimeMS: timeMaxMs },
      );
      for (const { _id, at, writtenAt = at, kind, requestId } of await found.toArray()) {
        if (kind === undefined && writtenAt.getTime() + RECORDED_MS <= nowMs) expired.add(_id);
        else recorded.add(requestId);
      }
      // What waits to be drained is never removed. Served by _id.
      if (expired.size > 0) await ingested.deleteMany({ _id: { $in: [...expired] }, kind: { $exists: false } });
      return recorded;
    },

    /**
     * Prepares to record entries, of which each stands for itself: one is refused when one of its ids is recorded already, which
     * the index request sees to. When it failed, it is not known what was recorded; it may be repeated, and applies once.
     *
     * @returns answers the places of those that were refused; a majority has the others
     */
    prepareInsert(entries: readonly IngestedEntry[]): () => Promise<number[]> {
      return sessions.prepare((session, number) => insertNumbered(db, "ingested", entries, session, number));
    },
  };
}

/** An entry of /ingest that waits to be drained. */
export function toIngested(
  entry: JournalEntry,
  { projectId, requestIds, nowMs }: { projectId: string; requestIds: readonly string[]; nowMs: number },
): IngestedEntry {
  // No id of a caller has a space.
  const ids = requestIds.length > 0 ? [...requestIds] : [` ${entry._id}`];
  const size = Buffer.byteLength(entry.events) + ENTRY_BYTES + entry.count * EVENT_BYTES;
  return { ...entry, projectId, requestIds: ids, writtenAt: new Date(nowMs), at: NEVER, size };
}
