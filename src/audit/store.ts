import type { Db } from "mongodb";
import { createId } from "../lib/id.ts";
import { KeyedQueue } from "../lib/keyed-queue.ts";
import type { Actor, Change, ChangeRecord, MakeChange } from "../mongo/change.ts";
import { databaseTime } from "../mongo/database-time.ts";
import { runTransaction } from "../mongo/run-transaction.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import type { SessionPool } from "../mongo/session-pool.ts";
import { type AuditEntry, changedFields } from "./audit.ts";

export const auditIndexes: CollectionIndexes = {
  collection: "audit",
  indexes: [
    { name: "project", key: { projectId: 1, _id: -1 } },
    // For lists, which look at what was changed and at nothing else of an entry.
    { name: "project_changes", key: { projectId: 1, _id: 1, targetId: 1 } },
    { name: "project_target", key: { projectId: 1, targetId: 1, _id: -1 } },
  ],
};

/**
 * What caches of all nodes are told by a change stream: cheaper than one over the consumers themselves, in which every charge
 * would have to be looked at.
 */
export const consumerChangeIndexes: CollectionIndexes = {
  collection: "consumer_changes",
  // Only clears up, long after every node that is there has seen it.
  indexes: [{ name: "expiry", key: { at: 1 }, expireAfterSeconds: 3_600 }],
};

/** Consumers that one change has changed, or whose keys it has. */
export interface ConsumerChanges {
  consumerIds: string[];
  at: Date;
}

/** A change that could not begin by then would come too late for its caller. */
const TURN_WAIT_MAX_MS = 1_500;
/** Characters of JSON on a page, more or less: a page of large entries has fewer, so that no list takes the memory of all. */
const PAGE_TEXT_MAX = 1_048_576;

/** Which page. */
export interface AuditQuery {
  projectId: string;
  /** Changes of this target only. */
  targetId: string | undefined;
  /** Entries before this one; undefined: from the newest on. */
  beforeId: string | undefined;
  /** The most entries. */
  count: number;
}

export interface AuditPage {
  entries: AuditEntry[];
  /** Whether there are entries after these. */
  hasMore: boolean;
}

export interface AuditStore {
  change: MakeChange;
  /** The listener is told, before the caller is, of the consumers that a change of this node has touched. */
  onTouched(listener: (consumerIds: Iterable<string>) => void): void;
  /** Newest first; at least one, where there is one. */
  list(query: AuditQuery): Promise<AuditPage>;
}

export function createAuditStore(sessions: SessionPool, db: Db, clockOffsetMs: number): AuditStore {
  const audit = db.collection<AuditEntry>("audit");
  const consumerChanges = db.collection<ConsumerChanges>("consumer_changes");
  /** The time in the last id that was made here: later changes sort after earlier ones even within a millisecond. */
  let lastIdMs = 0;
  const turns = new KeyedQueue(TURN_WAIT_MAX_MS, () => performance.now());
  const listeners: ((consumerIds: Iterable<string>) => void)[] = [];

  async function make<Result>(actor: Actor, work: (change: Change) => Promise<Result>): Promise<Result> {
    const databaseMs = await databaseTime(db, 0);
    const nowMs = databaseMs + clockOffsetMs;
    const touched = new Set<string>();
    const made = await runTransaction(sessions, async (session) => {
      const records: ChangeRecord[] = [];
      touched.clear();
      const record = (made: ChangeRecord) => void records.push(made);
      const touch = (consumerId: string) => void touched.add(consumerId);
      const result = await work({ actor, session, nowMs, record, touch });
      // The ids carry the clock that no setting shifts: readers go by them to see what has changed since.
      lastIdMs = Math.max(databaseMs, lastIdMs + 1);
      const idMs = lastIdMs;
      const entries = records.flatMap((record) => toEntry(record, actor, nowMs, idMs) ?? []);
      if (entries.length > 0) await audit.insertMany(entries, { session });
      if (touched.size > 0)
        await consumerChanges.insertOne({ consumerIds: [...touched], at: new Date(databaseMs) }, { session });
      return result;
    });
    for (const tell of listeners) tell(touched);
    return made;
  }

  return {
    onTouched: (listener) => void listeners.push(listener),
    change(actor, work, turn) {
      if (turn === undefined) return make(actor, work);
      // Another project that names the same thing, which it cannot change, holds up nobody.
      return turns.run(`${actor.projectId} ${turn}`, () => make(actor, work));
    },
    async list({ projectId, targetId, beforeId, count }) {
      const filter = {
        projectId,
        ...(targetId !== undefined && { targetId }),
        ...(beforeId !== undefined && { _id: { $lt: beforeId } }),
      };
      // Served by the index project or project_target, in order. One more than is shown tells whether there is more.
      const found = audit
        .find(filter)
        .sort({ _id: -1 })
        .limit(count + 1);
      const entries: AuditEntry[] = [];
      let room = PAGE_TEXT_MAX;
      for await (const entry of found) {
        room -= entry.before.length + entry.after.length;
        if (entries.length === count || (room < 0 && entries.length > 0)) return { entries, hasMore: true };
        entries.push(entry);
      }
      return { entries, hasMore: false };
    },
  };
}

function toEntry(
  { action, targetId, before, after }: ChangeRecord,
  actor: { projectId: string; credentialId: string | null },
  nowMs: number,
  idMs: number,
): AuditEntry | undefined {
  const changed = changedFields(before, after);
  return (
    changed && {
      _id: createId("audit", idMs),
      ...actor,
      at: new Date(nowMs),
      action,
      targetId,
      before: JSON.stringify(changed.before),
      after: JSON.stringify(changed.after),
    }
  );
}
