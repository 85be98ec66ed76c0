import type { Db } from "mongodb";
import { segmentsOf } from "../src/journal/segments-of.ts";
import { type TrafficDocument, toTrafficDocument } from "../src/journal/traffic-document.ts";
import { forEachConcurrently } from "../src/lib/for-each-concurrently.ts";
import { createProgressBar } from "../src/lib/progress-bar.ts";
import { hourOf } from "../src/segments/segment.ts";
import type { StoredSegment } from "../src/segments/store.ts";
import { createTraffic, timeOf } from "./analytics-events.ts";

const INSERT_EVENTS = 4_000;
const HOURS_UNDER_WAY = 2;
/** The share of an hour's events that its second segment has: so few that the two are not merged. */
const LATE_SHARE = 1 / 32;

/**
 * Gives a project events, and segments as merging them leaves them, without the detour over the journal: two for each hour,
 * where events that arrived in time leave one or two. A service that starts adds up the days.
 */
export async function fillTraffic(
  db: Db,
  projectId: string,
  count: number,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  signal: AbortSignal,
): Promise<void> {
  // Nothing rests on it, should the database be lost.
  const writeConcern = { w: 1 };
  const series = db.collection<TrafficDocument>("api_traffic", { writeConcern });
  const segments = db.collection<StoredSegment>("segments", { writeConcern });
  const traffic = createTraffic(projectId);
  const bar = createProgressBar(process.stdout, count);
  let filled = 0;
  const eventOf = (number: number) => toTrafficDocument(traffic(number, timeOf(number, count, fromMs, untilMs)));
  await forEachConcurrently(hours(count, eventOf), HOURS_UNDER_WAY, signal, async (events) => {
    for (let first = 0; first < events.length; first += INSERT_EVENTS) {
      await series.insertMany(events.slice(first, first + INSERT_EVENTS), { ordered: false });
    }
    const late = Math.ceil(events.length * LATE_SHARE);
    const parts = [events.slice(late), events.slice(0, late)].filter(({ length }) => length > 0);
    await segments.insertMany(parts.flatMap((part) => segmentsOf("api_traffic", part)));
    filled += events.length;
    bar.update(filled);
  });
  bar.end();
  // What is measured next is not to pay for writing this out.
  await db.client.db("admin").command({ fsync: 1 });
}

/** Events in the order of their time, an hour at a time. */
function* hours(count: number, eventOf: (number: number) => TrafficDocument): Generator<TrafficDocument[]> {
  let events: TrafficDocument[] = [];
  for (let number = 0; number < count; number++) {
    const event = eventOf(number);
    const [first] = events;
    if (first !== undefined && hourOf(first.at.getTime()) !== hourOf(event.at.getTime())) {
      yield events;
      events = [];
    }
    events.push(event);
  }
  if (events.length > 0) yield events;
}
