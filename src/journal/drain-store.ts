import type { Binary, Collection, Db, Document } from "mongodb";
import { splitBySize } from "../lib/split-by-size.ts";
import { newSessionId, runNumbered, runNumberedTransaction } from "../mongo/numbered-command.ts";
import type { TimeSeries } from "../mongo/schema.ts";
import type { StoredSegment } from "../segments/store.ts";
import type { EventDocument, Piece } from "./drain-batch.ts";
import { type DrainState, removalNumberOf } from "./drain-state.ts";
import type { JournalEntry } from "./journal-entry.ts";
import { drainable, type Queue } from "./queue.ts";

/** One series for each project: MongoDB 6.0 deletes from a time-series by its meta field alone. */
export const activitySeries: TimeSeries = {
  ...{ collection: "key_activity", timeField: "at", metaField: "projectId", granularity: "seconds" },
  indexes: [{ name: "project", key: { projectId: 1, at: 1 } }],
};

/** The same of the traffic of guarded applications. */
export const trafficSeries: TimeSeries = { ...activitySeries, collection: "api_traffic" };

/** Whoever dies is followed after so long. */
const LEASE_MS = 5_000;
/** Events of a batch, more or less: more make an insert cheaper, and hold up other commands for longer. */
const BATCH_EVENTS = 4_000;
const BATCH_TEXT = 4_000_000;
/** As many as events: calls of one event, each of another project, are an entry each. */
const BATCH_ENTRIES_MAX = 4_000;
/** Bytes of the segments of one command, which is one BSON document, of which MongoDB takes 16 MB. */
const INSERT_SIZE_MAX = 10_000_000;
/** What is read of an entry. */
const ENTRY = { kind: 1, at: 1, count: 1, events: 1 } as const;
/** Entries to ask for at once, at least: of large ones, few make a batch. */
const EXPECTED_ENTRIES_MIN = 16;

export type DrainStore = ReturnType<typeof createDrainStore>;

/** A queue, the time-series and the state of draining it. Every write is acknowledged by a majority. */
export function createDrainStore(db: Db, queue: Queue) {
  const _id = queue.state;
  const entries = db.collection<JournalEntry>(queue.collection);
  const majority = db.collection<JournalEntry>(queue.collection, { readConcern: { level: "majority" } });
  const states: Collection<DrainState> = db.collection<DrainState>("settings");
  /** How many entries the next batch will probably have. */
  let expectedEntries = EXPECTED_ENTRIES_MIN;
  const extended = { $add: ["$$NOW", LEASE_MS] };

  /** An update of the state that applies for its holder alone. Served by _id. @returns false when the lease was lost */
  async function update(fence: number, change: Document, filter: Document = {}): Promise<boolean> {
    const { matchedCount } = await states.updateOne({ _id, fence, ...filter }, [{ $set: change }]);
    return matchedCount === 1;
  }

  /**
   * Gives the intention a new number, by a write in its session under the number between: from then on the session
   * refuses the old one, so that what others found missing is not inserted after all. Served by _id.
   *
   * @param next in the session of the state, or in a new one
   * @param entryIds those of its entries that are there; absent: as they were
   * @returns false when the lease was lost
   */
  async function renumber(
    { fence, txnNumber, session }: DrainState,
    next: "same" | "new",
    entryIds?: readonly string[],
  ): Promise<boolean> {
    const [chosen, last] = next === "same" ? [session, txnNumber] : [newSessionId(), 0];
    const change = {
      ...{ session: chosen, txnNumber: removalNumberOf({ txnNumber: last + 2 }), until: extended },
      ...{ "intention.txnNumber": last + 2, "intention.at": "$$NOW", "intention.mayBePresent": true },
      ...(entryIds !== undefined && { "intention.entryIds": { $literal: entryIds } }),
    };
    const updates = [{ q: { _id, fence, intention: { $ne: null } }, u: [{ $set: change }] }];
    return (await runNumbered(db, { update: states.collectionName, updates }, chosen, last + 1)).n === 1;
  }

  /** The id that the server gave the collection; undefined before its first entry. */
  async function readJournalId(): Promise<string | undefined> {
    const [found] = await db.listCollections({ name: queue.collection }, { nameOnly: false }).toArray();
    return found?.info?.uuid?.toString("hex");
  }

  /**
   * Makes the state that of this journal: one that was another journal's gets a session that nobody has used, and what was
   * intended is looked for before it is inserted. @returns false when the lease was lost
   */
  async function adopt(state: DrainState, journalId: string): Promise<boolean> {
    if (state.journalId !== undefined) {
      const isHeld =
        state.intention === null
          ? await update(state.fence, { session: newSessionId(), txnNumber: { $literal: 0 } })
          : await renumber(state, "new");
      if (!isHeld) return false;
    }
    // Last, so that whoever dies before is followed by one that begins anew.
    return update(state.fence, { journalId: { $literal: journalId } });
  }

  return {
    /** Makes the state if there is none. Nodes may do so at once: one wins. */
    async prepare(): Promise<void> {
      const session = newSessionId();
      const initial = { holder: "", until: new Date(0), takenAt: new Date(0), fence: 0, session, txnNumber: 0 };
      // Served by _id.
      await states.updateOne({ _id }, { $setOnInsert: { ...initial, intention: null } }, { upsert: true });
    },

    /**
     * Takes the lease, or takes it anew; undefined when another holds it. One drainer gets it. Where the database is a restored
     * backup, its numbers begin anew in another session. Served by _id.
     */
    async take(holder: string): Promise<DrainState | undefined> {
      const journalId = await readJournalId();
      const isFree = { $or: [{ holder }, { $expr: { $lte: ["$until", "$$NOW"] } }] };
      const taken = { holder: { $literal: holder }, until: extended, takenAt: "$$NOW", fence: { $add: ["$fence", 1] } };
      const state = await states.findOneAndUpdate({ _id, ...isFree }, [{ $set: taken }], {
        returnDocument: "after",
      });
      if (state === null || journalId === undefined || state.journalId === journalId) return state ?? undefined;
      return (await adopt(state, journalId)) ? this.take(holder) : undefined;
    },

    renew: (fence: number) => update(fence, { until: extended }),

    /** Keeps the server from forgetting the session while there is nothing to insert. */
    async keepSession(session: Binary): Promise<void> {
      await db.admin().command({ refreshSessions: [{ id: session }] });
    },

    /** Lets the next take the lease at once. */
    release: (fence: number) => update(fence, { until: "$$NOW" }),

    /**
     * The entries that wait and that a majority has, the first that were written first: none can be taken back before it is
     * drained, by a primary that loses its office.
     *
     * @param without ids of a batch that is being drained
     */
    async nextEntries(without: readonly string[] = []): Promise<{ entries: JournalEntry[]; isFull: boolean }> {
      const taken: JournalEntry[] = [];
      let [events, text] = [0, 0];
      const isFull = () => events >= BATCH_EVENTS || text >= BATCH_TEXT || taken.length >= BATCH_ENTRIES_MAX;
      const batchSize = Math.min(expectedEntries, BATCH_ENTRIES_MAX);
      // A scan from the beginning, of not much more than is taken: what is not in the batch waits behind it.
      const wanted = { ...drainable(queue), ...(without.length > 0 && { _id: { $nin: [...without] } }) };
      for await (const entry of majority.find(wanted, { ...queue.order, projection: ENTRY, batchSize })) {
        taken.push(entry);
        events += entry.count;
        text += entry.events.length;
        if (isFull()) break;
      }
      expectedEntries = Math.max(taken.length + 1, EXPECTED_ENTRIES_MIN);
      return { entries: taken, isFull: isFull() };
    },

    /** Those of the entries that are there, in the order of the ids. Served by _id. */
    async findEntries(entryIds: readonly string[]): Promise<JournalEntry[]> {
      const wanted = { ...queue.present, _id: { $in: [...entryIds] } };
      const found = await entries.find(wanted, { projection: ENTRY, hint: { _id: 1 } }).toArray();
      const byId = new Map(found.map((entry) => [entry._id, entry]));
      return entryIds.flatMap((id) => byId.get(id) ?? []);
    },

    /** Writes the intention down, unless there is one. Served by _id. */
    plan(fence: number, txnNumber: number, entryIds: readonly string[]): Promise<boolean> {
      const intention = { txnNumber, entryIds: { $literal: entryIds }, at: "$$NOW", mayBePresent: false };
      return update(fence, { txnNumber: removalNumberOf(intention), intention, until: extended }, { intention: null });
    },

    renumber,

    /** Inserts what was not inserted under the same numbers before. Throws NumberRefused. */
    async insert(session: Binary, txnNumber: number, { collection, documents, statements }: Piece): Promise<void> {
      if (documents.length === 0) return;
      // Unordered: the events of a bucket are written together.
      await runNumbered(db, { insert: collection, documents, ordered: false, stmtIds: statements }, session, txnNumber);
    },

    /** Events in the time-series that may be those of the piece. Served by the index project. */
    findPresent({ collection, documents }: Piece): Promise<EventDocument[]> {
      const times = documents.map(({ at }) => at.getTime());
      const least = times.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
      const most = times.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
      const filter = {
        projectId: { $in: [...new Set(documents.map(({ projectId }) => projectId))] },
        at: { $gte: new Date(least), $lte: new Date(most) },
        requestId: { $in: documents.map(({ requestId }) => requestId) },
      };
      const projection = { projectId: 1, requestId: 1, at: 1, code: 1, keyId: 1 };
      return db.collection<EventDocument>(collection).find<EventDocument>(filter, { projection }).toArray();
    },

    /**
     * Puts segments in the place of entries whose events are in the time-series, as one: who reads both in one snapshot sees
     * each event once. Served by _id. Throws NumberRefused.
     *
     * @returns false when an entry was gone already: then nothing was done
     */
    replaceEntries(
      session: Binary,
      txnNumber: number,
      entryIds: readonly string[],
      segments: readonly StoredSegment[],
    ): Promise<boolean> {
      const removal = { command: queue.removal(entryIds), n: entryIds.length };
      const inserts = splitBySize(segments, ({ size }) => size, INSERT_SIZE_MAX).map((documents) => ({
        command: { insert: "segments", documents },
        n: documents.length,
      }));
      return runNumberedTransaction(db, [removal, ...inserts], session, txnNumber);
    },

    /** Lays an entry that nobody can read where it is not drained. Served by _id. */
    async setAside(entryId: string): Promise<void> {
      await db
        .collection<{ _id: string }>(queue.collection)
        .updateOne({ ...queue.present, _id: entryId }, { $set: { kind: "unreadable" } }, { hint: { _id: 1 } });
    },

    finish: (fence: number) => update(fence, { intention: null }),
  };
}
