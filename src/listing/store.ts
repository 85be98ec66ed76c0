import type { Db, Document, FindOptions } from "mongodb";
import { CHARGE_SLOT_MS, type Consumer, RECOVERY_MS } from "../consumer/consumer.ts";
import type { Pool } from "../credits/pool.ts";
import { databaseTime } from "../mongo/database-time.ts";
import { foldCase, type ListCredits, type ListRow } from "./listing.ts";

/** An entry of the audit log, as far as a directory looks at it. */
export interface SeenChange {
  _id: string;
  targetId: string;
}

/** What a directory is read from. */
export interface ListingStore {
  /** The database's own clock, epoch milliseconds. */
  databaseMs(): Promise<number>;
  /** Every consumer of a project, by id, some at a time. */
  load(projectId: string): AsyncIterable<ListRow[]>;
  /** The changes in a project from an id on, by id. */
  changesFrom(projectId: string, id: string): Promise<SeenChange[]>;
  /** How many changes there are from an id on, up to another and with it. */
  countChanges(projectId: string, fromId: string, toId: string): Promise<number>;
  /** Those of the consumers that exist. */
  rowsOf(projectId: string, consumerIds: readonly string[]): Promise<ListRow[]>;
  /** The pools of consumers that were charged since a time of the database's own clock, and some that were before. */
  chargedSince(
    projectId: string,
    sinceMs: number,
  ): AsyncIterable<{ consumerId: string; credits: ListCredits | null }[]>;
  /** Projects with more consumers than that. */
  largeProjects(consumers: number): Promise<string[]>;
}

type StoredRow = Pick<Consumer, "_id" | "name" | "status" | "planId" | "deletedAt" | "credits">;

const ROW_FIELDS = { name: 1, status: 1, planId: 1, deletedAt: 1, credits: 1 };
const BATCH_SIZE = 2_000;

export function createListingStore(db: Db): ListingStore {
  // What a failover takes back was never there, and nothing would say so later.
  const readConcern = { level: "majority" } as const;
  const consumers = db.collection<Consumer>("consumers", { readConcern });
  const audit = db.collection<SeenChange & { projectId: string }>("audit", { readConcern });

  async function* batches<Row, Result>(filter: Document, options: FindOptions, read: (row: Row) => Result) {
    const cursor = consumers.find(filter, { ...options, batchSize: BATCH_SIZE });
    // The first batch waits for its query; what the buffer holds then is one batch.
    while (await cursor.hasNext()) {
      yield cursor.readBufferedDocuments().map((row) => read(row as unknown as Row));
    }
  }

  return {
    databaseMs: () => databaseTime(db, 0),
    // In the order of the index project, in which a directory is filled fastest.
    load(projectId) {
      const options: FindOptions = { projection: ROW_FIELDS, sort: { _id: 1 }, hint: "project" };
      return batches<StoredRow, ListRow>({ projectId }, options, toRow);
    },
    changesFrom(projectId, id) {
      // Read from the index project_changes alone.
      const options: FindOptions = { projection: { targetId: 1 }, sort: { _id: 1 }, hint: "project_changes" };
      return audit.find({ projectId, _id: { $gte: id } }, options).toArray();
    },
    countChanges(projectId, fromId, toId) {
      // Counted in the index project_changes alone.
      return audit.countDocuments({ projectId, _id: { $gte: fromId, $lte: toId } }, { hint: "project_changes" });
    },
    async rowsOf(projectId, consumerIds) {
      // Served by _id.
      const found = await consumers
        .find({ _id: { $in: [...consumerIds] }, projectId }, { projection: ROW_FIELDS })
        .toArray();
      return found.map(toRow);
    },
    chargedSince(projectId, sinceMs) {
      const chargeSlot = { $gte: Math.floor(sinceMs / CHARGE_SLOT_MS) };
      // Served by the index project_charge_slot.
      const options: FindOptions = { projection: { credits: 1 }, hint: "project_charge_slot" };
      return batches({ projectId, chargeSlot }, options, ({ _id, credits }: Pick<Consumer, "_id" | "credits">) => {
        return { consumerId: _id, credits: toListCredits(credits) };
      });
    },
    async largeProjects(count) {
      if ((await consumers.estimatedDocumentCount()) <= count) return [];
      // A scan of the index project: it is asked for once, at the start.
      const groups = await consumers
        .aggregate<{ _id: string }>([
          { $group: { _id: "$projectId", count: { $sum: 1 } } },
          { $match: { count: { $gt: count } } },
        ])
        .toArray();
      return groups.map(({ _id }) => _id);
    },
  };
}

/** Longer names are not kept twice. */
const FOLDED_MAX = 256;

function toRow({ _id, name, status, planId, deletedAt, credits }: StoredRow): ListRow {
  const folded = foldCase(name ?? "");
  return {
    consumerId: _id,
    name,
    // One text for both where they are equal.
    folded: folded === name ? name : folded.length > FOLDED_MAX ? null : folded,
    status,
    planId,
    goneAtMs: deletedAt === null ? Number.POSITIVE_INFINITY : deletedAt.getTime() + RECOVERY_MS,
    credits: toListCredits(credits),
  };
}

function toListCredits(pool: Pool | null): ListCredits | null {
  return (
    pool && {
      limit: pool.limit,
      used: pool.used,
      nextRefillAt: pool.refill?.nextRefillAt ?? Number.POSITIVE_INFINITY,
      expiresAt: pool.expiresAt,
      terms: { id: termsId(pool.overage, pool.refill), overage: pool.overage, refill: pool.refill },
    }
  );
}

/** The same text for the same terms. */
function termsId(overage: Pool["overage"], refill: Pool["refill"]): string {
  const beyond = overage ? `${overage.enabled} ${overage.limit}` : "none";
  if (refill === null) return beyond;
  const { every, refillCredit, refillPolicy, carryover } = refill;
  const rolled = carryover ? `${carryover.enabled} ${carryover.max}` : "";
  return `${beyond}/${every} ${refillCredit} ${refillPolicy}/${rolled}`;
}
