import { splitBySize } from "../lib/split-by-size.ts";
import { DaySummary } from "./day-summary.ts";
import { DAY_MS } from "./segment.ts";
import { type SegmentStore, type Series, STORED_SIZE_MAX, sizeOfDay } from "./store.ts";
import { uncoveredBy } from "./uncovered-by.ts";

export interface DaySumsOptions {
  store: Pick<SegmentStore, "list" | "read" | "readDays" | "writeDay">;
  /** About what time it is: a day is added up when it is over. */
  nowMs: () => number;
}

/** A day of a series that may have to be added up, and from when on that is worth it. */
interface Day extends Series {
  dayMs: number;
  dueMs: number;
}

/** Days that get more and more late events are not added up all the time. */
const PAUSE_MS = 5_000;
/** Most events of a day have arrived so long after its end. */
const LATE_MS = 60_000;
/** So many segments that are not in a day's sum cost a reader little. */
const UNCOVERED_MAX = 8;
/** Bytes of segments that are read at once, more or less. */
const READ_BYTES = 16_000_000;

/**
 * Adds up the segments of days that are over. A sum names the segments that it was made of, so it needs no care when others
 * are added or merged: a reader sees what is missing, and that it cannot be used any more.
 */
export class DaySums {
  readonly #options: DaySumsOptions;
  readonly #days = new Map<string, Day>();

  constructor(options: DaySumsOptions) {
    this.#options = options;
  }

  /** Takes note of a day whose segments have changed, by any time in it. */
  note({ projectId, source }: Series, atMs: number): void {
    const dayMs = Math.floor(atMs / DAY_MS) * DAY_MS;
    const key = `${projectId} ${source} ${dayMs}`;
    const dueMs = Math.max(this.#options.nowMs() + PAUSE_MS, dayMs + DAY_MS + LATE_MS);
    if (!this.#days.has(key)) this.#days.set(key, { projectId, source, dayMs, dueMs });
  }

  /** Adds up one day that is due. @returns false when there was none */
  async step(): Promise<boolean> {
    const nowMs = this.#options.nowMs();
    for (const [key, day] of this.#days) {
      if (day.dueMs > nowMs) continue;
      this.#days.delete(key);
      await this.#addUp(day);
      return true;
    }
    return false;
  }

  /** Adds up a day, unless what is stored of it is nearly all. */
  async #addUp(series: Day): Promise<void> {
    const { store } = this.#options;
    const range = { fromMs: series.dayMs, untilMs: series.dayMs + DAY_MS };
    const listed = await store.list(series, range.fromMs, range.untilMs);
    // Its project was deleted, or it has expired.
    if (listed.length === 0) return;
    const [stored] = await store.readDays(series, range, ["covers"]);
    if (stored !== undefined && (uncoveredBy(stored, listed) ?? listed).length <= UNCOVERED_MAX) return;
    const summary = new DaySummary(series.dayMs);
    for (const group of splitBySize(listed, ({ size }) => size, READ_BYTES)) {
      const ids = group.map(({ _id }) => _id);
      const read = await store.read(ids, ["summary", "values"]);
      const small = read.filter(({ summary }) => !summary).map(({ _id }) => _id);
      const whole = small.length === 0 ? [] : await store.read(small, ["values", "codes", "latencies", "weights"]);
      // One that was merged meanwhile is looked at again with what it became part of, which has brought the day up again.
      if (read.length < ids.length || whole.length < small.length) return;
      for (const segment of [...read.filter(({ summary }) => summary), ...whole]) summary.add(segment);
    }
    const packed = summary.pack();
    // Of millions of values, or long ones: such a day is answered from its segments.
    if (sizeOfDay(packed) > STORED_SIZE_MAX) return;
    const covers = listed.map(({ _id }) => _id);
    const { projectId, source } = series;
    await store.writeDay({ projectId, source }, series.dayMs, covers, packed);
  }
}
