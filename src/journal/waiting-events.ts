import type { Db, Document } from "mongodb";
import { drainable, INGESTED, JOURNAL, QUEUES, type Queue } from "./queue.ts";

/** Whether events of a project wait to be drained, of whichever kind. */
export async function hasJournaled(db: Db, projectId: string): Promise<boolean> {
  const only = { projection: { _id: 1 } };
  // A scan: it is mostly empty. Ids have nothing in them that a pattern or JSON would take for something else.
  const entry = await db.collection(JOURNAL.collection).findOne({ events: { $regex: projectId } }, only);
  if (entry !== null) return true;
  // Served by the index waiting alone.
  const ofProject = { ...INGESTED.present, projectId };
  return (await db.collection(INGESTED.collection).findOne(ofProject, { ...only, hint: "waiting" })) !== null;
}

/** How many seconds ago the oldest entry that waits to be drained was written, by the database's clock; 0: there is none. */
export async function journalLag(db: Db): Promise<number> {
  const ages = await Promise.all(QUEUES.map((queue) => oldestAge(db, queue)));
  // The times of entries are those of nodes, which may be ahead.
  return Math.max(0, ...ages) / 1_000;
}

/** Served as its queue says: nothing else serves its kinds. */
async function oldestAge(db: Db, queue: Queue): Promise<number> {
  const { collection, order, writtenAt } = queue;
  const ageMs = { $subtract: ["$$NOW", `$${writtenAt}`] };
  const first: Document[] = [{ $limit: 1 }, { $project: { ageMs } }];
  const sorted = order.sort === undefined ? first : [{ $sort: order.sort }, ...first];
  const [oldest] = await db
    .collection(collection)
    .aggregate<{ ageMs: number }>([{ $match: drainable(queue) }, ...sorted])
    .toArray();
  return oldest?.ageMs ?? 0;
}

/** Bytes of the entries that wait to be drained. */
export async function journalSize(db: Db): Promise<number> {
  const [[journal], [ingested]] = await Promise.all([
    // The storage engine counts them.
    db
      .collection(JOURNAL.collection)
      .aggregate([{ $collStats: { storageStats: {} } }])
      .toArray(),
    // By the index waiting alone.
    db
      .collection(INGESTED.collection)
      .aggregate([{ $match: INGESTED.present }, { $group: { _id: null, bytes: { $sum: "$size" } } }])
      .toArray(),
  ]);
  return (journal?.storageStats.size ?? 0) + (ingested?.bytes ?? 0);
}

/** How many entries were laid aside, because nobody could read them. */
export async function countUnreadable(db: Db): Promise<number> {
  // A walk through the journal, which is mostly empty, and the index waiting alone.
  const counts = QUEUES.map(({ collection }) => db.collection(collection).countDocuments({ kind: "unreadable" }));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
