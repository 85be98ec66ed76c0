import { runTransaction } from "../mongo/run-transaction.ts";
import type { SessionPool } from "../mongo/session-pool.ts";
import { DaySums } from "./day-sums.ts";
import { mergeSegments } from "./merge-segments.ts";
import { packSegment, unpackSegment } from "./packed-segment.ts";
import { type Mergeable, OPEN_COUNT_MIN, planMerges } from "./plan-merges.ts";
import { HOUR_MS } from "./segment.ts";
import {
  type ListedSegment,
  type SegmentId,
  type SegmentStore,
  SegmentsGone,
  type Series,
  STORED_SIZE_MAX,
  toStored,
} from "./store.ts";

export interface CompactionOptions {
  store: SegmentStore;
  sessions: SessionPool;
  /** About what time it is: when an hour is over, its last few segments are merged. */
  nowMs: () => number;
}

/** An hour of a series, and how many segments it has got since it was last looked at. */
interface Hour extends Series {
  hourMs: number;
  added: number;
}

/** Most events of an hour have arrived so long after its end. */
const LATE_MS = 60_000;

/**
 * Merges the segments of an hour, which are added in small pieces, into few. Whoever drains does it; should two do it at once,
 * one of them finds the segments gone and leaves it.
 */
export class Compaction {
  readonly #options: CompactionOptions;
  /** Hours that may have something to merge, those that were looked at least lately first. */
  readonly #hours = new Map<string, Hour>();
  readonly #days: DaySums;
  #isTurnOfDays = false;
  #isUnderWay = false;

  constructor(options: CompactionOptions) {
    this.#options = options;
    this.#days = new DaySums(options);
  }

  /** Takes segments that were added. */
  add(segments: readonly ListedSegment[]): void {
    for (const { projectId, source, hour } of segments) this.#note({ projectId, source, hourMs: hour.getTime() }, 1);
  }

  /** Looks for all hours that others may have left with many segments, and days without a sum: of one project after the other. */
  async survey(): Promise<void> {
    const { store } = this.#options;
    for (const projectId of await store.listProjects()) {
      for (const { source, hour, count } of await store.listHours(projectId)) {
        const hourMs = hour.getTime();
        if (count > 1) this.#note({ projectId, source, hourMs }, OPEN_COUNT_MIN);
        else this.#days.note({ projectId, source }, hourMs);
      }
    }
  }

  /**
   * Merges what there is to merge in one hour, or adds up a day. @returns false when there was nothing to do, or another call is
   * at it
   */
  async step(): Promise<boolean> {
    if (this.#isUnderWay) return false;
    this.#isUnderWay = true;
    // In turns: of many busy projects, some hour is always due.
    this.#isTurnOfDays = !this.#isTurnOfDays;
    try {
      if (this.#isTurnOfDays && (await this.#days.step())) return true;
      return (await this.#mergeNext()) || (await this.#days.step());
    } finally {
      this.#isUnderWay = false;
    }
  }

  async #mergeNext(): Promise<boolean> {
    const due = this.#nextDue();
    if (due === undefined) return false;
    const [key, hour] = due;
    const isOver = this.#isOver(hour);
    this.#hours.delete(key);
    // Its end brings it up again; until then, the others come first.
    if (!isOver) this.#hours.set(key, { ...hour, added: 0 });
    const { hourMs } = hour;
    const segments = await this.#options.store.list(hour, hourMs, hourMs + HOUR_MS);
    const mergeable = segments.map(({ _id, size }) => ({ id: _id, size }));
    for (const group of planMerges(mergeable, isOver)) await this.#merge(hour, group);
    return true;
  }

  #note({ projectId, source, hourMs }: Omit<Hour, "added">, added: number): void {
    const key = `${projectId} ${source} ${hourMs}`;
    const known = this.#hours.get(key);
    if (known !== undefined) known.added += added;
    else this.#hours.set(key, { projectId, source, hourMs, added });
    this.#days.note({ projectId, source }, hourMs);
  }

  #nextDue(): [string, Hour] | undefined {
    for (const [key, hour] of this.#hours) {
      if (hour.added >= OPEN_COUNT_MIN || this.#isOver(hour)) return [key, hour];
    }
    return undefined;
  }

  #isOver({ hourMs }: Hour): boolean {
    return this.#options.nowMs() > hourMs + HOUR_MS + LATE_MS;
  }

  async #merge({ projectId, source }: Hour, group: readonly Mergeable<SegmentId>[]): Promise<void> {
    const { store, sessions } = this.#options;
    const ids = group.map(({ id }) => id);
    const packed = await store.read(ids, ["offsets", "latencies", "weights", "values", "codes"]);
    if (packed.length < ids.length) return;
    const merged = toStored({ projectId, source }, packSegment(mergeSegments(packed.map(unpackSegment))));
    // More values take wider codes.
    if (merged.size > STORED_SIZE_MAX) return;
    try {
      await runTransaction(sessions, (session) => store.replace(ids, merged, session));
      this.#days.note({ projectId, source }, merged.hour.getTime());
    } catch (error) {
      if (!(error instanceof SegmentsGone)) throw error;
    }
  }
}
