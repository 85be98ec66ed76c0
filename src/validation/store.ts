import { setTimeout as sleep } from "node:timers/promises";
import type { ClientSession, Db, Document } from "mongodb";
import type { Consumer } from "../consumer/consumer.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import type { Key } from "../key/key.ts";
import { databaseNow } from "../mongo/database-time.ts";
import { runNumbered } from "../mongo/numbered-command.ts";
import { NumberedSessions } from "../mongo/numbered-sessions.ts";
import type { CollectionIndexes } from "../mongo/schema.ts";
import { writeCommand } from "../mongo/write-command.ts";
import type { UpdateStatement } from "./charge-updates.ts";
import { REMEMBERED_MS, type RememberedVerdict } from "./idempotency.ts";
import type { ConsumerAt } from "./verdict.ts";

export const verdictIndexes: CollectionIndexes = {
  collection: "verdicts",
  // Only clears up: how long a verdict counts is decided when it is read.
  indexes: [{ name: "expiry", key: { at: 1 }, expireAfterSeconds: REMEMBERED_MS / 1_000 }],
};

/** A key with its consumer, both as of one moment. */
export interface StoredKey {
  key: Key;
  consumer: Consumer;
}

const RETRY_MS = 100;

export interface ValidationStore {
  /** Keys that have or had a value with one of these HMACs, in whichever project, with their consumers. */
  findKeys(hashes: readonly Buffer[]): Promise<StoredKey[]>;
  /** Consumers by their ids, within a transaction; those that are not there any more are missing. */
  readConsumers(consumerIds: readonly string[], session: ClientSession): Promise<Map<string, ConsumerAt>>;
  /**
   * The same, as they are once their stamps have moved by a step: until the end of the transaction nobody else can write them.
   * Fails at once when somebody else holds one.
   */
  holdConsumers(consumerIds: readonly string[], step: number, session: ClientSession): Promise<Map<string, ConsumerAt>>;
  /** Verdicts that were given before, within a transaction. */
  readVerdicts(ids: readonly string[], session: ClientSession): Promise<Map<string, RememberedVerdict>>;
  /** @returns how many consumers the statements matched */
  charge(statements: readonly UpdateStatement[], session: ClientSession): Promise<number>;
  /** Throws when another call was first to remember a verdict under one of the ids. */
  remember(verdicts: readonly RememberedVerdict[], session: ClientSession): Promise<void>;
  /** Resolves once the primary knows everything that a majority had when it was asked, or the signal is aborted. */
  reachMajority(signal: AbortSignal): Promise<void>;
  /** Writes an entry of the journal within a transaction. */
  journal(entry: JournalEntry, session: ClientSession): Promise<void>;
  /** The same outside of one, acknowledged by a majority: when it is repeated, it applies once. */
  prepareJournal(entry: JournalEntry): () => Promise<void>;
}

export function createValidationStore(db: Db, clockOffsetMs: number): ValidationStore {
  const consumers = db.collection<Consumer>("consumers");
  const verdicts = db.collection<RememberedVerdict>("verdicts");
  const keys = db.collection<Key>("keys");
  const now = databaseNow(clockOffsetMs);
  /** In which entries of the journal are written. */
  const sessions = new NumberedSessions();

  const write = (command: Document, session: ClientSession) => writeCommand(db, command, session);

  async function readConsumers(
    consumerIds: readonly string[],
    session: ClientSession,
  ): Promise<Map<string, ConsumerAt>> {
    // Those that the transaction then writes, nobody else can change before its commit without making it fail; the others are
    // as they were at this moment. Served by _id.
    const found = await consumers
      .aggregate<Consumer & { now: number }>([{ $match: { _id: { $in: [...consumerIds] } } }, { $set: { now } }], {
        session,
        batchSize: consumerIds.length + 1,
      })
      .toArray();
    return new Map(found.map(({ now: nowMs, ...consumer }) => [consumer._id, { consumer, nowMs }]));
  }

  return {
    findKeys(hashes) {
      const values = [...hashes];
      // One snapshot of what a majority has: a key is never paired with a revision of its consumer that is not its own.
      // Served by the indexes hash and previous_hash, and by _id of the consumers.
      return keys
        .aggregate<StoredKey>(
          [
            { $match: { $or: [{ hash: { $in: values } }, { "previous.hash": { $in: values } }] } },
            { $lookup: { from: "consumers", localField: "consumerId", foreignField: "_id", as: "consumer" } },
            { $unwind: "$consumer" },
            { $project: { _id: 0, consumer: 1, key: "$$ROOT" } },
            { $unset: ["key.consumer", "key.metadata", "key.ciphertext"] },
          ],
          { readConcern: { level: "snapshot" }, batchSize: values.length + 1 },
        )
        .toArray();
    },
    readConsumers,
    async holdConsumers(consumerIds, step, session) {
      const $inc = { stamp: step };
      const [only] = consumerIds;
      if (consumerIds.length === 1) {
        // Held and read by one command: how long it is held decides how many batches a second it takes. Served by _id.
        const held = { query: { _id: only }, update: { $inc }, new: true, fields: { _id: 0, consumer: "$$ROOT", now } };
        const { value } = await db.command({ findAndModify: "consumers", ...held }, { session });
        return new Map(value === null ? [] : [[value.consumer._id, { consumer: value.consumer, nowMs: value.now }]]);
      }
      // A consumer that another transaction has written, which is not at its end, makes it fail at once. Served by _id.
      await write(
        { update: "consumers", updates: [{ q: { _id: { $in: [...consumerIds] } }, u: { $inc }, multi: true }] },
        session,
      );
      return readConsumers(consumerIds, session);
    },
    async readVerdicts(ids, session) {
      // Served by _id.
      const found = await verdicts.find({ _id: { $in: [...ids] } }, { session, batchSize: ids.length + 1 }).toArray();
      return new Map(found.map((verdict) => [verdict._id, verdict]));
    },
    charge: (updates, session) => write({ update: "consumers", updates }, session),
    async remember(given, session) {
      const updates = given.map((verdict) => ({
        // Takes the place of a verdict that no longer counts; one that does makes the insert fail, and with it the whole
        // transaction. Served by _id.
        q: { _id: verdict._id, at: { $lte: new Date(verdict.at.getTime() - REMEMBERED_MS) } },
        u: verdict,
        upsert: true,
      }));
      await write({ update: "verdicts", updates }, session);
    },
    async reachMajority(signal) {
      while (!signal.aborted) {
        try {
          // A write of its own term that a majority has. Served by _id.
          await db
            .collection<{ _id: string }>("settings")
            .updateOne({ _id: "primary" }, { $inc: { changes: 1 } }, { upsert: true });
          return;
        } catch {
          await sleep(RETRY_MS, undefined, { ref: false });
        }
      }
    },
    async journal(entry, session) {
      await write({ insert: "journal", documents: [entry] }, session);
    },
    prepareJournal: (entry) =>
      sessions.prepare(async (session, number) => {
        await runNumbered(db, { insert: "journal", documents: [entry] }, session, number);
      }),
  };
}
