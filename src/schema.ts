import type { Db } from "mongodb";
import { callLimitIndexes } from "./analytics/store.ts";
import { apiIndexes } from "./api/store.ts";
import { auditIndexes, consumerChangeIndexes } from "./audit/store.ts";
import { STAMP_START_MAX } from "./consumer/consumer.ts";
import { consumerIndexes } from "./consumer/store.ts";
import { ingestedIndexes } from "./ingest/store.ts";
import { activitySeries, trafficSeries } from "./journal/drain-store.ts";
import { INGESTED, journalIndexes } from "./journal/queue.ts";
import { segmentRecorded } from "./journal/segment-recorded.ts";
import { keyIndexes } from "./key/store.ts";
import { isMissing } from "./mongo/classify-error.ts";
import { nodeIndexes } from "./mongo/node-registry.ts";
import type { CollectionIndexes, Migration, TimeSeries } from "./mongo/schema.ts";
import { planIndexes } from "./plan/store.ts";
import { type OwnedCollection, projectIndexes } from "./project/store.ts";
import { segmentDayIndexes, segmentIndexes } from "./segments/store.ts";
import { verdictIndexes } from "./validation/store.ts";
import { webhookIndexes } from "./webhook/store.ts";

/** The indexes of all rooms. */
export const INDEXES: readonly CollectionIndexes[] = [
  ...[consumerIndexes, keyIndexes, apiIndexes, planIndexes, verdictIndexes, auditIndexes],
  ...[consumerChangeIndexes, nodeIndexes, ingestedIndexes],
  ...[segmentIndexes, segmentDayIndexes, callLimitIndexes],
  journalIndexes,
  ...projectIndexes,
  ...webhookIndexes,
];

/** The time-series of all rooms. */
export const TIME_SERIES: readonly TimeSeries[] = [activitySeries, trafficSeries];

/** Every collection whose documents belong to projects: what a deleted project leaves behind is removed from them. */
export const OWNED: readonly OwnedCollection[] = [
  ...["consumers", "keys", "apis", "plans", "audit", "credentials", "segments", "webhook_deliveries"].map(
    (collection): OwnedCollection => ({ collection, owner: "projectId" }),
  ),
  // What waits to be drained is in a batch with events of other projects.
  { collection: "ingested", owner: "projectId", isKept: INGESTED.present },
  { collection: "verdicts", owner: "_id" },
  { collection: "analytics_calls", owner: "_id" },
  { collection: "segment_days", owner: "_id" },
  { collection: "webhook_secrets", owner: "_id" },
  ...TIME_SERIES.map(({ collection }): OwnedCollection => ({ collection, owner: "meta" })),
];

/** Changes of the schema since the first version, in their order. */
export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    title: "consumers count their keys, keys and credentials remember values that were rotated away",
    async run(db) {
      // Only documents without the fields, so that a second run changes nothing. A scan: it runs once.
      const consumers = db.collection("consumers");
      const fields = { planRevision: null, chargeSlot: 0, keyCount: 0 };
      await consumers.updateMany({ planRevision: { $exists: false } }, { $set: fields });
      await db
        .collection("keys")
        .updateMany({ previous: { $exists: false } }, { $set: { previous: [], isImported: false } });
      const counted = db
        .collection("keys")
        .aggregate([
          { $group: { _id: "$consumerId", keyCount: { $sum: 1 } } },
          { $merge: { into: "consumers", on: "_id", whenMatched: "merge", whenNotMatched: "discard" } },
        ]);
      await counted.toArray();
      await db.collection("credentials").updateMany({ previous: { $exists: false } }, { $set: { previous: [] } });
      const living = { deletedAt: null, revision: 1 };
      await db.collection("projects").updateMany({ revision: { $exists: false } }, { $set: living });
      for (const collection of ["consumers", "apis", "credentials"]) await dropIndex(db, collection, "project_created");
    },
  },
  {
    number: 2,
    title: "consumers have a stamp that every write moves",
    async run(db) {
      // Only documents without one, so that a second run changes nothing. A scan: it runs once.
      const stamp = { $floor: { $multiply: [{ $rand: {} }, STAMP_START_MAX] } };
      await db.collection("consumers").updateMany({ stamp: { $exists: false } }, [{ $set: { stamp } }]);
    },
  },
  {
    number: 3,
    title: "the analytics of events that were recorded before are answered from segments too",
    run: segmentRecorded,
  },
  {
    number: 4,
    title: "consumers remember whether the threshold of their credits was told",
    async run(db) {
      // Only documents without it, so that a second run changes nothing. A scan: it runs once.
      const filter = { thresholdTold: { $exists: false } };
      await db.collection("consumers").updateMany(filter, { $set: { thresholdTold: false } });
    },
  },
  {
    number: 5,
    title: "events of traffic wait where earlier versions do not look for them",
    // Nothing changes of what is stored: it only keeps earlier versions from being started again, which would not drain them.
    run: async () => undefined,
  },
];

/** Drops an index that no query uses any more, if it is there. */
async function dropIndex(db: Db, collection: string, name: string): Promise<void> {
  try {
    await db.collection(collection).dropIndex(name);
  } catch (error) {
    // Another node has dropped it, or is just making the collections of a new database.
    if (!isMissing(error)) throw error;
  }
}
