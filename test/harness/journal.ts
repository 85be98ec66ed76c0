import { setTimeout as sleep } from "node:timers/promises";
import { type Db, MongoClient } from "mongodb";
import { expect } from "vitest";
import { ingestedIndexes, toIngested } from "../../src/ingest/store.ts";
import { type ActivityEvent, writeRows } from "../../src/journal/activity-event.ts";
import { piecesOf } from "../../src/journal/drain-batch.ts";
import type { DrainState } from "../../src/journal/drain-state.ts";
import { createDrainStore } from "../../src/journal/drain-store.ts";
import { Drainer, type Step } from "../../src/journal/drainer.ts";
import type { IngestedEntry } from "../../src/journal/ingested-entry.ts";
import type { JournalEntry } from "../../src/journal/journal-entry.ts";
import { drainable, INGESTED, JOURNAL, journalIndexes, type Queue } from "../../src/journal/queue.ts";
import { writeTrafficRow } from "../../src/journal/traffic-event.ts";
import { prepareSchema, prepareTimeSeries } from "../../src/mongo/schema.ts";
import { SessionPool } from "../../src/mongo/session-pool.ts";
import { TIME_SERIES } from "../../src/schema.ts";
import { Compaction } from "../../src/segments/compaction.ts";
import { unpackSegment } from "../../src/segments/packed-segment.ts";
import { createSegmentStore, type SegmentId, segmentIndexes } from "../../src/segments/store.ts";
import { copyDatabase } from "./copy-database.ts";
import { freshDatabaseUri } from "./service.ts";
import { TRAFFIC } from "./traffic.ts";

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
  /** Removes an entry with its events, as nobody should who is not a drainer; 0: the first that was written. */
  remove(place: number): Promise<void>;
  /** Inserts some events of the planned batch, as a process does that ends before the others. */
  insertSome(from: number, to: number): Promise<void>;
  /** That each event that was written is in its time-series and in a segment once, and nothing else is. */
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

/** @param queue where its entries wait */
export function openJournal(queue = JOURNAL): Promise<TestJournal> {
  return openAt(queue, freshDatabaseUri(), []);
}

/** @param written ids of the events that were written to it before */
async function openAt(queue: Queue, uri: string, written: string[]): Promise<TestJournal> {
  const clients = [await MongoClient.connect(uri)];
  const db = (clients[0] as MongoClient).db();
  await prepareTimeSeries(db, TIME_SERIES, 30);
  await prepareSchema(db, [], [segmentIndexes, journalIndexes, ingestedIndexes]);
  const entries = db.collection<JournalEntry>(queue.collection);
  const series = db.collection(queue === JOURNAL ? "key_activity" : "api_traffic");
  const _id = queue.state;
  const states = db.collection<DrainState>("settings");
  const unreadable: string[] = [];
  let sequence = written.length;
  const entryIds: [name: string, ids: string[]][] = [];
  const open = async (monotonicMs: () => number) => {
    const client = await MongoClient.connect(uri, { writeConcern: { w: "majority" } });
    clients.push(client);
    const store = createSegmentStore(client.db());
    const compaction = new Compaction({ store, sessions: new SessionPool(client), nowMs: () => Date.now() });
    const drainer = new Drainer({
      ...{ store: createDrainStore(client.db(), queue), holder: `drainer ${clients.length}`, monotonicMs },
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
      const name = `node:${String(++sequence).padStart(12, "0")}`;
      entryIds.push([name, ids]);
      await entries.insertOne(
        queue === JOURNAL ? journalEntry(name, ids.map(journalEvent)) : ingestedEntry(name, ids, sequence),
      );
    },
    async remove(place) {
      const [name, ids] = entryIds[place] ?? ["", []];
      await entries.deleteOne({ _id: name });
      written.splice(written.indexOf(ids[0] ?? ""), ids.length);
    },
    async insertSome(from, to) {
      const store = createDrainStore(db, queue);
      const state = await states.findOne({ _id });
      const [piece] = piecesOf(await store.findEntries(state?.intention?.entryIds ?? []));
      if (state?.intention === undefined || state.intention === null || piece === undefined)
        throw new Error("no batch");
      const { collection, documents, statements } = piece;
      const some = { collection, documents: documents.slice(from, to), statements: statements.slice(from, to) };
      await store.insert(state.session, state.intention.txnNumber, some);
    },
    async expectDrained() {
      const found = await series.find({}).toArray();
      expect(found.map(({ requestId }) => requestId).sort()).toEqual([...written].sort());
      expect(await entries.countDocuments(drainable(queue))).toBe(0);
      // The ids of what was drained stay.
      const ids = queue === JOURNAL ? [] : await db.collection("ingested").distinct("requestIds");
      if (queue === INGESTED) expect(ids.sort()).toEqual([...written].sort());
      expect(await segmentedTimes(db)).toEqual(found.map(({ at }) => at.getTime()).sort());
    },
    async restore() {
      const copy = freshDatabaseUri();
      await copyDatabase(db, db.client.db(new URL(copy).pathname.slice(1)));
      return openAt(queue, copy, [...written]);
    },
    async expireLease() {
      await states.updateOne({ _id }, { $set: { until: new Date(0) } });
    },
    async age() {
      await states.updateOne({ _id, intention: { $ne: null } }, [
        { $set: { "intention.at": { $subtract: ["$$NOW", 21 * 60_000] } } },
      ]);
    },
    async forgetSession() {
      const session = (await states.findOne({ _id }))?.session;
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

/** Events of traffic of a project, as /ingest records them, at times that no others have. */
export function ingestedEntry(_id: string, requestIds: readonly string[], sequence: number): IngestedEntry {
  const projectId = `project_${sequence % 3}`;
  const at = (index: number) => JOURNALED_MS + sequence * 1_000 + index;
  const rows = requestIds.map((requestId, index) =>
    writeTrafficRow({ ...TRAFFIC, requestId, projectId, at: at(index) }),
  );
  const entry = { _id, kind: "traffic" as const, at: new Date(), count: rows.length, events: `[${rows.join()}]` };
  return toIngested(entry, { projectId, requestIds, nowMs: Date.now() });
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
