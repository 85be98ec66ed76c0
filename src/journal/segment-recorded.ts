import type { Db } from "mongodb";
import { SOURCES } from "../segments/segment.ts";
import type { StoredSegment } from "../segments/store.ts";
import { type EventDocument, piecesOf, withoutPresent } from "./drain-batch.ts";
import type { DrainState } from "./drain-state.ts";
import { createDrainStore } from "./drain-store.ts";
import { QUEUES } from "./queue.ts";
import { segmentsOf } from "./segments-of.ts";

/** Events of which segments are made at once. */
const BATCH_EVENTS = 50_000;

/**
 * Makes segments of all events that are in the time-series, from the beginning: to be run while nobody drains. Those of a batch
 * that a drainer was at get theirs when the batch is completed.
 */
export async function segmentRecorded(db: Db): Promise<void> {
  await Promise.all(["segments", "segment_days"].map((collection) => db.collection(collection).deleteMany({})));
  const underWay = await eventsUnderWay(db);
  for (const source of SOURCES) {
    const addSegments = async (documents: EventDocument[]) => {
      const piece = { collection: source, documents, statements: documents.map((_document, index) => index) };
      const segments = segmentsOf(source, withoutPresent(piece, underWay).documents);
      if (segments.length > 0) await db.collection<StoredSegment>("segments").insertMany(segments);
    };
    let batch: EventDocument[] = [];
    for await (const document of db.collection<EventDocument>(source).find()) {
      if (batch.push(document) < BATCH_EVENTS) continue;
      await addSegments(batch);
      batch = [];
    }
    await addSegments(batch);
  }
}

async function eventsUnderWay(db: Db): Promise<EventDocument[]> {
  const events = QUEUES.map(async (queue) => {
    const state = await db.collection<DrainState>("settings").findOne({ _id: queue.state });
    const entries = await createDrainStore(db, queue).findEntries(state?.intention?.entryIds ?? []);
    return piecesOf(entries).flatMap(({ documents }) => documents);
  });
  return (await Promise.all(events)).flat();
}
