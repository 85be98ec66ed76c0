import type { Db } from "mongodb";
import type { DrainState } from "../journal/drain-state.ts";
import { QUEUES } from "../journal/queue.ts";
import { countUnreadable, journalLag, journalSize } from "../journal/waiting-events.ts";
import { databaseTime } from "../mongo/database-time.ts";
import { OPEN_COUNT_MIN } from "../segments/plan-merges.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const CHECK = "journal";
/** A node that is there has been seen within a second. */
const NODE_SEEN_MS = 5_000;
/** Draining takes a second; a node that has died is followed within 10. */
const LAG_GOOD_SECONDS = 30;
const LAG_MAX_SECONDS = 300;
const BYTES_GOOD = 128 * 1024 * 1024;
/** An hour is compacted a minute after its end; so long after it, it should long be. */
const COMPACTED_AFTER_MS = 3 * 3_600_000;
/** Segments of an hour that are left: of each size, fewer than are merged. */
const SEGMENTS_GOOD = 6 * OPEN_COUNT_MIN;
const SCAN_MAX_MS = 5_000;

/** Whether events get from the journal into the analytics. */
export async function checkJournal(db: Db): Promise<Finding[]> {
  const nowMs = await databaseTime(db, 0);
  const isServed = await hasNodes(db, nowMs);
  return [
    await checkBacklog(db, isServed),
    ...(isServed ? [await checkLease(db, nowMs)] : []),
    ...(await checkUnreadable(db)),
    await checkSegments(db, nowMs),
  ];
}

async function hasNodes(db: Db, nowMs: number): Promise<boolean> {
  // A handful of documents.
  const seenAt = { $gt: new Date(nowMs - NODE_SEEN_MS) };
  return (await db.collection("nodes").findOne({ seenAt }, { projection: { _id: 1 } })) !== null;
}

async function checkBacklog(db: Db, isServed: boolean): Promise<Finding> {
  const [bytes, lagSeconds] = [await journalSize(db), await journalLag(db)];
  const message = `${(bytes / 1e6).toFixed(1)} MB wait, the oldest for ${Math.round(lagSeconds)} s`;
  if (lagSeconds <= LAG_GOOD_SECONDS && bytes <= BYTES_GOOD) return ok(CHECK, bytes === 0 ? "nothing waits" : message);
  if (!isServed) return warning(CHECK, `${message}, and no service runs`, "Start one: it drains the journal.");
  const remedy = "Look for `events wait in the journal` in the logs of all nodes, and at the load of the database.";
  return lagSeconds > LAG_MAX_SECONDS ? problem(CHECK, message, remedy) : warning(CHECK, message, remedy);
}

async function checkLease(db: Db, nowMs: number): Promise<Finding> {
  const check = "drainer";
  const _id = { $in: QUEUES.map(({ state }) => state) };
  const states = await db.collection<DrainState>("settings").find({ _id }).toArray();
  // There is one for each queue.
  const isMissing = states.length < QUEUES.length;
  const sinceMs = Math.max(...states.map(({ until }) => nowMs - until.getTime()));
  if (!isMissing && sinceMs <= NODE_SEEN_MS) return ok(check, "nodes hold the leases");
  const since = isMissing ? "ever" : `${Math.round(sinceMs / 1_000)} s`;
  const remedy = "Look for `events wait in the journal` in the logs of all nodes, and restart one of them.";
  return problem(check, `services run, but none has drained the journal for ${since}`, remedy);
}

async function checkUnreadable(db: Db): Promise<Finding[]> {
  const count = await countUnreadable(db);
  if (count === 0) return [];
  const remedy = "Keep them: a fixed version may read them. Report it with the log line `was laid aside`.";
  return [warning(CHECK, `${count} entries could not be read, and their events are not in the analytics`, remedy)];
}

async function checkSegments(db: Db, nowMs: number): Promise<Finding> {
  const check = "segments";
  const hour = { $lt: new Date(nowMs - COMPACTED_AFTER_MS) };
  const _id = { projectId: "$projectId", source: "$source", hour: "$hour" };
  // By the index alone, and for a bounded time.
  const [found] = await db
    .collection("segments")
    .aggregate<{ hours: number }>(
      [
        { $match: { projectId: { $gte: "" }, hour } },
        { $group: { _id, count: { $sum: 1 } } },
        { $match: { count: { $gt: SEGMENTS_GOOD } } },
        { $count: "hours" },
      ],
      { hint: "series", maxTimeMS: SCAN_MAX_MS },
    )
    .toArray();
  if (found === undefined) return ok(check, "past hours are compacted");
  const remedy = "Leave a service running: whoever drains the journal merges them. Until then, questions take longer.";
  return warning(check, `${found.hours} past hours are not compacted`, remedy);
}
