import { type ClientSession, type Collection, type Db, MongoServerError, ObjectId } from "mongodb";
import type { CollectionIndexes, ExpiringCollection } from "../mongo/schema.ts";
import type { PackedDay } from "./day-summary.ts";
import type { PackedSegment, PartlyRead } from "./packed-segment.ts";
import { DAY_MS, DIMENSIONS, type Dimension, HOUR_MS, type Source } from "./segment.ts";

/** A segment belongs to a dataset of a project. */
export interface Series {
  projectId: string;
  source: Source;
}

export type SegmentId = ObjectId;

/** A segment as the collection keeps it. Nobody changes one: several are replaced by one of all their events. */
export interface StoredSegment extends Series, PackedSegment {
  _id: SegmentId;
  /** About how many bytes it takes. */
  size: number;
}

/** What the index knows of a segment. */
export interface ListedSegment extends Series {
  _id: SegmentId;
  hour: Date;
  size: number;
}

/** An hour of a project, and how many segments it has. */
export interface CountedHour extends Pick<Series, "source"> {
  hour: Date;
  count: number;
}

export const segmentIndexes: CollectionIndexes = {
  collection: "segments",
  // Has all that a list of segments tells: nobody has to read them for it.
  indexes: [{ name: "series", key: { projectId: 1, source: 1, hour: 1, size: 1, _id: 1 } }],
};

/** Days are found by their _id. */
export const segmentDayIndexes: CollectionIndexes = { collection: "segment_days", indexes: [] };

/** As long as one of its events may be asked for. */
export const segmentExpiry: readonly ExpiringCollection[] = [
  { collection: "segments", field: "hour", spanSeconds: HOUR_MS / 1_000 },
  { collection: "segment_days", field: "day", spanSeconds: DAY_MS / 1_000 },
];

/** A segment that is to be replaced was replaced by somebody else. */
export class SegmentsGone extends Error {}

/** Bytes of values and numbers that fit into a document, of which MongoDB takes 16 MB. */
export const STORED_SIZE_MAX = 15_000_000;

const LISTED = { _id: 1, projectId: 1, source: 1, hour: 1, size: 1 } as const;

/** A segment with the fields that the collection adds. */
export function toStored(series: Series, packed: PackedSegment): StoredSegment {
  const { codes, values, offsets, latencies, weights, summary } = packed;
  // In bytes, not characters, of which some take three.
  const ofDimensions = DIMENSIONS.reduce(
    (sum, dimension) => sum + codes[dimension].length + Buffer.byteLength(values[dimension]),
    0,
  );
  const counted =
    summary === null ? 0 : DIMENSIONS.reduce((sum, dimension) => sum + summary.counts[dimension].length, 0);
  const size = ofDimensions + counted + offsets.length + latencies.length + (weights?.length ?? 0);
  return { _id: new ObjectId(), ...series, size, ...packed };
}

/** About how many bytes the sum of a day takes. */
export function sizeOfDay({ values, counts, buckets }: PackedDay): number {
  const size = (dimension: Dimension) => Buffer.byteLength(values[dimension]) + counts[dimension].length;
  return DIMENSIONS.reduce((sum, dimension) => sum + size(dimension), buckets.length);
}

/** The measures of a day, added up of segments: who reads a day must know that they are all there still. */
export interface StoredDay extends Series, PackedDay {
  /** `<project>:<source>:<begin of the day>`. */
  _id: string;
  day: Date;
  /** Another one for each time that it was added up. */
  version: ObjectId;
  /** The segments that it was added up of. */
  covers: SegmentId[];
}

/** What was read of a day: without what was not asked for. */
export type ReadDay = Pick<StoredDay, "_id" | "day" | "version"> & Partial<StoredDay>;

export type DayField = keyof PackedDay | "covers" | `${"counts" | "values"}.${string}`;

export type SegmentStore = ReturnType<typeof createSegmentStore>;

/** What may be read of a segment besides when it is and how many rows it has; `codes.endpoint` and so on. */
export type SegmentField =
  | `${"codes" | "values" | "summary.counts"}.${string}`
  | keyof PackedSegment
  | `summary.${string}`;

export function createSegmentStore(db: Db) {
  const segments: Collection<StoredSegment> = db.collection<StoredSegment>("segments");
  const days = db.collection<StoredDay>("segment_days");
  return {
    /** The segments of a series that have hours between two times. Served by the index series alone. */
    list(
      { projectId, source }: Series,
      fromMs: number,
      untilMs: number,
      session?: ClientSession,
    ): Promise<ListedSegment[]> {
      const hour = { $gt: new Date(fromMs - HOUR_MS), $lt: new Date(untilMs) };
      return segments
        .find<ListedSegment>({ projectId, source, hour }, { projection: LISTED, hint: "series", ...within(session) })
        .toArray();
    },

    /** The projects that have segments. Served by the index series, which is skipped through. */
    listProjects: (): Promise<string[]> => segments.distinct("projectId"),

    /** All hours of a project, and how many segments they have. Served by the index series alone. */
    listHours(projectId: string): Promise<CountedHour[]> {
      const _id = { source: "$source", hour: "$hour" };
      return segments
        .aggregate<CountedHour>(
          [
            { $match: { projectId } },
            { $group: { _id, count: { $sum: 1 } } },
            { $replaceWith: { $mergeObjects: ["$_id", { count: "$count" }] } },
          ],
          { hint: "series" },
        )
        .toArray();
    },

    /** Fields of the days that lie between two times as a whole. Served by _id. */
    readDays(
      series: Series,
      { fromMs, untilMs }: { fromMs: number; untilMs: number },
      fields: readonly DayField[],
      session?: ClientSession,
    ): Promise<ReadDay[]> {
      const _id = { $gte: dayId(series, fromMs), $lte: dayId(series, untilMs - DAY_MS) };
      const projection = Object.fromEntries([...fields, "day", "version"].map((field) => [field, 1]));
      return days.find<ReadDay>({ _id }, { projection, promoteBuffers: true, ...within(session) }).toArray();
    },

    /** Puts the measures of a day in the place of earlier ones. Served by _id. */
    async writeDay(series: Series, dayMs: number, covers: readonly SegmentId[], packed: PackedDay): Promise<void> {
      const day = { ...series, day: new Date(dayMs), version: new ObjectId(), covers: [...covers], ...packed };
      await days.replaceOne({ _id: dayId(series, dayMs) }, day, { upsert: true });
    },

    /** Fields of segments, in no particular order. Those that are gone are missing. Served by _id. */
    read(ids: readonly SegmentId[], fields: readonly SegmentField[], session?: ClientSession): Promise<ReadSegment[]> {
      const projection = Object.fromEntries([...fields, "hour", "rows"].map((field) => [field, 1]));
      const options = { projection, promoteBuffers: true, ...within(session) };
      return segments.find<ReadSegment>({ _id: { $in: [...ids] } }, options).toArray();
    },

    /**
     * Puts a segment in the place of others that have the same events together, within a transaction. Served by _id.
     * Throws SegmentsGone when somebody else was first.
     */
    async replace(ids: readonly SegmentId[], merged: StoredSegment, session: ClientSession): Promise<void> {
      const { deletedCount } = await segments.deleteMany({ _id: { $in: [...ids] } }, { session });
      if (deletedCount !== ids.length) throw new SegmentsGone();
      await segments.insertOne(merged, { session });
    },
  };
}

export type ReadSegment = { _id: SegmentId } & PartlyRead;

/** In the order of the days: their times have as many digits until the year 2286. */
function dayId({ projectId, source }: Series, dayMs: number): string {
  return `${projectId}:${source}:${String(Math.max(0, dayMs)).padStart(13, "0")}`;
}

function within(session: ClientSession | undefined): { session?: ClientSession } {
  return session === undefined ? {} : { session };
}

const SNAPSHOT_GONE_CODES = new Set([239, 246]);

/** Whether the database has forgotten what a snapshot saw: then it is to be asked again, in a new one. */
export function isSnapshotGone(error: unknown): boolean {
  return error instanceof MongoServerError && SNAPSHOT_GONE_CODES.has(Number(error.code));
}
