import type { ClientSession, Document } from "mongodb";
import type { EventDocument } from "../journal/drain-batch.ts";
import type { IngestedEntry } from "../journal/ingested-entry.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { journaledOf, kindOf } from "../journal/journaled.ts";
import { INGESTED, JOURNAL } from "../journal/queue.ts";
import { databaseUnavailable } from "../lib/fault.ts";
import { isDuplicateKey } from "../mongo/classify-error.ts";
import type { Database } from "../mongo/client.ts";
import { databaseNow } from "../mongo/database-time.ts";
import { PrimaryCatchUp } from "../mongo/primary-catch-up.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import {
  createSegmentStore,
  type DayField,
  isSnapshotGone,
  type ListedSegment,
  type ReadDay,
  type ReadSegment,
  type SegmentField,
  type SegmentId,
  type Series,
} from "../segments/store.ts";

/** A series as of one moment: each event is in a segment or in the journal, and nowhere twice. */
export interface Snapshot {
  /** The segments that have hours between two times. */
  list(fromMs: number, untilMs: number): Promise<ListedSegment[]>;
  /** Fields of segments, in no particular order. */
  read(ids: readonly SegmentId[], fields: readonly SegmentField[]): Promise<ReadSegment[]>;
  /** Fields of the sums of the days that lie between two times as a whole. */
  readDays(range: { fromMs: number; untilMs: number }, fields: readonly DayField[]): Promise<ReadDay[]>;
  /** Events that are not in segments yet. */
  journaled(): Promise<EventDocument[]>;
}

/** A stretch of time, and the moments in it that are wanted. */
export interface Moments {
  fromMs: number;
  untilMs: number;
  atMs: readonly number[];
}

export type CallLimitStore = ReturnType<typeof createCallLimitStore>;

/** Found by their _id. */
export const callLimitIndexes: CollectionIndexes = { collection: "analytics_calls", indexes: [] };

/** Calls of a project, counted in slots: of the oldest, all count until none can be within the window. */
interface CountedCalls {
  _id: string;
  slots: { at: number; count: number }[];
  isFull: boolean;
  nowMs: number;
}

/** The window in which calls are counted. */
const WINDOW_MS = 10_000;
const SLOT_MS = 100;
const SLOTS = WINDOW_MS / SLOT_MS;

/** @param callsMax calls that a project has in each window */
export function createCallLimitStore({ db }: Pick<Database, "db">, callsMax: number, clockOffsetMs: number) {
  const calls = db.collection<CountedCalls>("analytics_calls");
  const slot = { $floor: { $divide: ["$nowMs", SLOT_MS] } };
  const isRecent = { $gte: ["$$this.at", { $subtract: [slot, SLOTS] }] };
  const isOfNow = { $eq: ["$$this.at", slot] };
  const slotsWhere = (cond: Document) => ({ $filter: { input: { $ifNull: ["$slots", []] }, cond } });
  const added = {
    $concatArrays: [
      slotsWhere({ $not: isOfNow }),
      [{ at: slot, count: { $add: [1, { $sum: { $map: { input: slotsWhere(isOfNow), in: "$$this.count" } } }] } }],
    ],
  };
  const update = [
    { $set: { nowMs: databaseNow(clockOffsetMs) } },
    { $set: { slots: slotsWhere(isRecent) } },
    { $set: { isFull: { $gte: [{ $sum: "$slots.count" }, callsMax] } } },
    { $set: { slots: { $cond: ["$isFull", "$slots", added] } } },
  ];
  return {
    /**
     * Counts a call, unless there were too many within the window: over all nodes, as many are counted as there may be. Served
     * by _id. @returns after how many milliseconds there is room again; 0: it was counted
     */
    async countCall(projectId: string): Promise<number> {
      const options = { upsert: true, returnDocument: "after", writeConcern: { w: 1 } } as const;
      const filter = { _id: `${projectId}:calls` };
      // Two that make the document at once: the second finds it.
      const counted = await calls
        .findOneAndUpdate(filter, update, options)
        .catch((error: unknown) =>
          isDuplicateKey(error) ? calls.findOneAndUpdate(filter, update, options) : Promise.reject(error),
        );
      if (counted === null || !counted.isFull) return 0;
      const oldest = counted.slots.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
      return Math.max(1, (oldest + SLOTS + 1) * SLOT_MS - counted.nowMs);
    },
  };
}

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>;

/** What the database is asked at most before a snapshot that it forgets again and again is a failure. */
const SNAPSHOT_TRIES = 3;
/** What lists do not show: bodies and headers are most of an event. */
const LISTED = { requestBody: 0, responseBody: 0, requestHeaders: 0, responseHeaders: 0, _id: 0 } as const;

export function createAnalyticsStore({
  client,
  db,
  onPrimaryChange,
}: Pick<Database, "client" | "db" | "onPrimaryChange">) {
  const catchUp = new PrimaryCatchUp({ db, onPrimaryChange });
  const segments = createSegmentStore(db);
  const journal = db.collection<JournalEntry>(JOURNAL.collection);
  const ingested = db.collection<IngestedEntry>(INGESTED.collection);

  function snapshotOf(series: Series, session: ClientSession): Snapshot {
    return {
      list: (fromMs, untilMs) => segments.list(series, fromMs, untilMs, session),
      read: (ids, fields) => segments.read(ids, fields, session),
      readDays: (range, fields) => segments.readDays(series, range, fields, session),
      async journaled() {
        const kind = kindOf(series.source);
        if (kind === undefined) return [];
        const events: EventDocument[] = [];
        const options = { session, projection: { kind: 1, events: 1 } };
        // A scan: entries stay for a fraction of a second. One by one, because there are many when nobody has drained for a while.
        for await (const entry of journal.find({ kind }, options))
          events.push(...journaledOf([entry], series.projectId));
        // Served by the index waiting. One after the other: a session does one thing at a time.
        const own = { kind, projectId: series.projectId };
        for await (const entry of ingested.find(own, { ...options, hint: "waiting" }))
          events.push(...journaledOf([entry], series.projectId));
        return events;
      },
    };
  }

  return {
    /**
     * Looks at a series as of one moment, which is not before the call; again when the database has forgotten the moment, or
     * another became the primary. Throws DATABASE_UNAVAILABLE when that happens again and again.
     */
    async inSnapshot<Result>(series: Series, look: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
      for (let tries = 1; ; tries++) {
        const { primaries } = catchUp;
        await catchUp.done();
        const session = client.startSession({ snapshot: true });
        try {
          const result = await look(snapshotOf(series, session));
          if (primaries === catchUp.primaries) return result;
          if (tries === SNAPSHOT_TRIES) throw databaseUnavailable();
        } catch (error) {
          if (!isSnapshotGone(error)) throw error;
          if (tries === SNAPSHOT_TRIES) throw databaseUnavailable(error);
        } finally {
          await session.endSession();
        }
      }
    },

    /** Events of a time-series at some moments, without bodies and headers. Served by the index project. */
    async findEvents({ projectId, source }: Series, { fromMs, untilMs, atMs }: Moments): Promise<EventDocument[]> {
      // The range, too: without it, the moments would not be served by the index.
      const at = { $gte: new Date(fromMs), $lt: new Date(untilMs), $in: atMs.map((ms) => new Date(ms)) };
      return db.collection(source).find<EventDocument>({ projectId, at }, { projection: LISTED }).toArray();
    },

    /** Events with a request id in a stretch of time, with everything. Served by the index project. */
    findRequest(
      { projectId, source }: Series,
      requestId: string,
      { fromMs, untilMs }: Pick<Moments, "fromMs" | "untilMs">,
    ): Promise<EventDocument[]> {
      const at = { $gte: new Date(fromMs), $lt: new Date(untilMs) };
      return db.collection(source).find<EventDocument>({ projectId, at, requestId }).toArray();
    },
  };
}
