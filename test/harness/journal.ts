import { setTimeout as sleep } from "node:timers/promises";
import { type Db, MongoClient } from "mongodb";
import { expect } from "vitest";
import { type ActivityEvent, writeRows } from "../../src/journal/activity-event.ts";
import { piecesOf } from "../../src/journal/drain-batch.ts";
import type { DrainState } from "../../src/journal/drain-state.ts";
import { createDrainStore } from "../../src/journal/drain-store.ts";
import { Drainer, type Step } from "../../src/journal/drainer.ts";
import type { JournalEntry } from "../../src/journal/journal-entry.ts";
import { prepareSchema, prepareTimeSeries } from "../../src/mongo/schema.ts";
import { SessionPool } from "../../src/mongo/session-pool.ts";
import { TIME_SERIES } from "../../src/schema.ts";
import { Compaction } from "../../src/segments/compaction.ts";
import { unpackSegment } from "../../src/segments/packed-segment.ts";
import { createSegmentStore, type SegmentId, segmentIndexes } from "../../src/segments/store.ts";
import { copyDatabase } from "./copy-database.ts";
import { freshDatabaseUri } from "./service.ts";

const STEPS_MAX = 200;
const HOUR_MS = 3_600_000;

/** When the first event of an entry happened: within what is kept, or the server removes the events while they are counted. */
export const JOURNALED_MS = Math.floor(Date.now() / HOUR_MS - 2) * HOUR_MS;

/** A database with a journal, and whoever drains it. */
export interface TestJournal {
  uri: string;
  db: Db;
  /** Another drainer, with a connection of its own. */
  drainer(monotonicMs?: () => number): Promise<Drainer>;
  /** The same, with what merges the segments that it makes. */
  compacting(): Promise<{ drainer: Drainer; compaction: Compaction }>;
  /** Writes an entry with so many new events. */
  write(count: number): Promise<void>;
  /** Inserts some events of the planned batch, as a process does that ends before the others. */
  insertSome(from: number, to: number): Promise<void>;
  /** That each event that was written is in key_activity and in a segment once, and nothing else is. */
  expectDrained(): Promise<void>;
  /** A backup of it, as it is now, restored as another database of the same server. */
  restore(): Promise<TestJournal>;
  /** The lease has ended, as if its holder had been silent for long. */
  expireLease(): Promise<void>;
  /** The intention is older than the server's memory of sessions is sure to be. */
  age(): Promise<void>;
  /** The server forgets the session, as it does after 30 minutes without use. */
  forgetSession(): Promise<void>;
  unreadable: string[];
  close(): Promise<void>;
}

export function openJournal(): Promise<TestJournal> {
  return openAt(freshDatabaseUri(), []);
}

/** @param written ids of the events that were written to it before */
async function openAt(uri: string, written: string[]): Promise<TestJournal> {
  const clients = [await MongoClient.connect(uri)];
  const db = (clients[0] as MongoClient).db();
  await prepareTimeSeries(db, TIME_SERIES, 30);
  await prepareSchema(db, [], [segmentIndexes]);
  const states = db.collection<DrainState>("settings");
  const unreadable: string[] = [];
  let sequence = written.length;
  const open = async (monotonicMs: () => number) => {
    const client = await MongoClient.connect(uri, { writeConcern: { w: "majority" } });
    clients.push(client);
    const store = createSegmentStore(client.db());
    const compaction = new Compaction({ store, sessions: new SessionPool(client), nowMs: () => Date.now() });
    const drainer = new Drainer({
      ...{ store: createDrainStore(client.db()), holder: `drainer ${clients.length}`, monotonicMs },
      onUnreadable: (_error: unknown, entryId: string) => unreadable.push(entryId),
      onSegments: (segments) => compaction.add(segments),
    });
    return { drainer, compaction };
  };
  return {
    uri,
    db,
    unreadable,
    async drainer(monotonicMs = () => performance.now()) {
      return (await open(monotonicMs)).drainer;
    },
    compacting: () => open(() => performance.now()),
    async write(count) {
      const ids = Array.from({ length: count }, (_, index) => `req_${written.length + index}`);
      written.push(...ids);
      const entries = db.collection<JournalEntry>("journal");
      await entries.insertOne(journalEntry(`node:${String(++sequence).padStart(12, "0")}`, ids.map(journalEvent)));
    },
    async insertSome(from, to) {
      const store = createDrainStore(db);
      const state = await states.findOne({ _id: "journalDrain" });
      const [piece] = piecesOf(await store.findEntries(state?.intention?.entryIds ?? []));
      if (state?.intention === undefined || state.intention === null || piece === undefined)
        throw new Error("no batch");
      const { collection, documents, statements } = piece;
      const some = { collection, documents: documents.slice(from, to), statements: statements.slice(from, to) };
      await store.insert(state.session, state.intention.txnNumber, some);
    },
    async expectDrained() {
      const found = await db.collection("key_activity").find({}).toArray();
      expect(found.map(({ requestId }) => requestId).sort()).toEqual([...written].sort());
      expect(await db.collection("journal").countDocuments({ kind: "activity" })).toBe(0);
      expect(await segmentedTimes(db)).toEqual(found.map(({ at }) => at.getTime()).sort());
    },
    async restore() {
      const copy = freshDatabaseUri();
      await copyDatabase(db, db.client.db(new URL(copy).pathname.slice(1)));
      return openAt(copy, [...written]);
    },
    async expireLease() {
      await states.updateOne({ _id: "journalDrain" }, { $set: { until: new Date(0) } });
    },
    async age() {
      await states.updateOne({ intention: { $ne: null } }, [
        { $set: { "intention.at": { $subtract: ["$$NOW", 21 * 60_000] } } },
      ]);
    },
    async forgetSession() {
      const session = (await states.findOne({ _id: "journalDrain" }))?.session;
      const transactions = db.client.db("config").collection("transactions");
      const ofSession = { "_id.id": session };
      // The server takes this write only without a session of its own, which the driver leaves out of unacknowledged ones.
      await transactions.deleteMany(ofSession, { writeConcern: { w: 0 } });
      while ((await transactions.countDocuments(ofSession)) > 0) await sleep(5);
    },
    async close() {
      await db.dropDatabase();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

/** When the events happened that are in segments. */
async function segmentedTimes(db: Db): Promise<number[]> {
  const ids = await db.collection<{ _id: SegmentId }>("segments").distinct("_id");
  const read = await createSegmentStore(db).read(ids, ["offsets"]);
  return read
    .map(unpackSegment)
    .flatMap(({ hourMs, offsets }) => [...offsets].map((offset) => hourMs + offset))
    .sort();
}

export function journalEntry(_id: string, events: ActivityEvent[]): JournalEntry {
  return { _id, kind: "activity", at: new Date(), count: events.length, events: writeRows(events) };
}

/** Events of several projects, within a few minutes. */
export function journalEvent(requestId: string, index = 0): ActivityEvent {
  return {
    ...{ requestId, at: JOURNALED_MS + index * 100, code: "VALID", creditsCharged: 1, creditsRemaining: 9 },
    ...{ latencyMs: 0.5, count: 1, projectId: `project_${index % 3}`, keyId: "key_1", apiKey: "ks_…abcdef" },
    ...{ consumerId: "consumer_1", consumerName: "Zoë", apiId: "", apiName: "", endpoint: "/v1", method: "GET" },
    ...{ clientIp: "192.0.2.1", userAgent: "curl", country: "", region: "" },
  };
}

/** Steps until one says what is waited for. */
export async function stepUntil(drainer: Drainer, wanted: Step): Promise<void> {
  for (let count = 0; count < STEPS_MAX; count++) if ((await drainer.step()) === wanted) return;
  throw new Error(`no step was ${wanted}`);
}
