import { toSegmentEvent } from "../journal/segments-of.ts";
import { RecentMap } from "../lib/recent-map.ts";
import { splitBySize } from "../lib/split-by-size.ts";
import { buildSegment } from "../segments/build-segment.ts";
import type { PackedDay } from "../segments/day-summary.ts";
import { unpackSegment } from "../segments/packed-segment.ts";
import { DAY_MS, HOUR_MS, hourOf } from "../segments/segment.ts";
import { type Filter, rowsBetween, selectRows } from "../segments/select-rows.ts";
import type { ListedSegment, ReadDay, ReadSegment, SegmentField, SegmentId } from "../segments/store.ts";
import { uncoveredBy } from "../segments/uncovered-by.ts";
import type { Measuring } from "./measures.ts";
import { columnsOf, filterKeyOf, filterOf, READ_BYTES, type Selection } from "./question.ts";
import type { AnalyticsStore, Snapshot } from "./store.ts";

/** Bytes of values of segments that are kept, more or less. */
const KEPT_BYTES = 128_000_000;

/** A measurement that goes on. */
interface Measurement<Value> {
  selection: Selection;
  filter: Filter;
  /** None: all events pass. */
  filterColumns: readonly SegmentField[];
  measuring: Measuring<Value>;
  /** What tells its values of segments from those of others. */
  key: string;
  sum: Value;
}

/**
 * Measures events without reading them: segments never change, so what was measured of one is kept, in the segment itself for
 * all its events, in memory for those that a filter lets pass. Only the hours at the ends of a stretch of time are measured anew.
 */
export class Measurer {
  readonly #store: Pick<AnalyticsStore, "inSnapshot">;
  readonly #kept = new RecentMap<string, { value: unknown; bytes: number }>(KEPT_BYTES, ({ bytes }) => bytes);

  constructor(store: Pick<AnalyticsStore, "inSnapshot">) {
    this.#store = store;
  }

  /** Exactly what a look at each event would give. */
  measure<Value>(selection: Selection, measuring: Measuring<Value>): Promise<Value> {
    return this.#store.inSnapshot(selection, async (snapshot) => {
      const filter = filterOf(selection);
      const filterColumns = columnsOf(filter);
      const key = `${measuring.key} ${filterKeyOf(selection)}`;
      const measurement = { selection, filter, filterColumns, measuring, key, sum: measuring.none() };
      await this.#measureSegments(snapshot, measurement);
      await this.#measureJournal(snapshot, measurement);
      return measurement.sum;
    });
  }

  async #measureSegments<Value>(snapshot: Snapshot, measurement: Measurement<Value>): Promise<void> {
    const { fromMs, untilMs } = measurement.selection;
    const listed = await snapshot.list(fromMs, untilMs);
    const isWhole = ({ hour }: ListedSegment) => hour.getTime() >= fromMs && hour.getTime() + HOUR_MS <= untilMs;
    const hasFilter = measurement.filterColumns.length > 0;
    const whole = listed.filter(isWhole);
    const rest = hasFilter ? whole : await this.#addDays(snapshot, measurement, whole);
    const unknown = rest.filter(({ _id }) => !this.#addKept(measurement, _id));
    const measured = hasFilter ? unknown : await this.#addSummaries(snapshot, measurement, unknown);
    await this.#addRows(snapshot, measurement, measured, true);
    const partial = listed.filter((segment) => !isWhole(segment));
    await this.#addRows(snapshot, measurement, partial, false);
  }

  #addKept<Value>({ key, measuring, sum }: Measurement<Value>, id: SegmentId): boolean {
    const kept = this.#kept.get(`${id.toHexString()} ${key}`);
    // What #keep has put there, under the key of the same measuring.
    if (kept !== undefined) measuring.add(sum, kept.value as Value);
    return kept !== undefined;
  }

  #keep<Value>({ key, measuring, sum }: Measurement<Value>, id: SegmentId, value: Value): void {
    measuring.add(sum, value);
    this.#kept.set(`${id.toHexString()} ${key}`, { value, bytes: measuring.weigh(value) });
  }

  /** @returns those that are in no day's sum */
  async #addDays<Value>(
    snapshot: Snapshot,
    measurement: Measurement<Value>,
    segments: readonly ListedSegment[],
  ): Promise<readonly ListedSegment[]> {
    const { measuring, selection } = measurement;
    if (measuring.day === undefined) return segments;
    const known = await snapshot.readDays(selection, ["covers"]);
    const ofDays = Map.groupBy(segments, ({ hour }) => Math.floor(hour.getTime() / DAY_MS));
    const usable = known.filter((day) => {
      const all = ofDays.get(day.day.getTime() / DAY_MS) ?? [];
      const uncovered = uncoveredBy(day, all);
      if (uncovered === undefined) return false;
      ofDays.set(day.day.getTime() / DAY_MS, uncovered);
      return true;
    });
    const unknown = usable.filter(({ version }) => !this.#addKept(measurement, version));
    if (unknown.length > 0) {
      // As of the same moment: it has the same versions.
      const read = await snapshot.readDays(selection, measuring.day);
      const wanted = new Set(unknown.map(({ version }) => version.toHexString()));
      for (const day of read) {
        // It has what the measure has asked for.
        if (wanted.has(day.version.toHexString()))
          this.#keep(measurement, day.version, measuring.ofDay(day as ReadDay & PackedDay));
      }
    }
    return [...ofDays.values()].flat();
  }

  /** @returns those that have no summary */
  async #addSummaries<Value>(
    snapshot: Snapshot,
    measurement: Measurement<Value>,
    segments: readonly ListedSegment[],
  ): Promise<ListedSegment[]> {
    const { measuring } = measurement;
    const ids = segments.map(({ _id }) => _id);
    const read = ids.length === 0 ? [] : await snapshot.read(ids, measuring.summary);
    const without = new Set<string>();
    for (const segment of read) {
      const { _id, summary } = segment;
      if (summary) this.#keep(measurement, _id, measuring.ofSummary(summary, segment));
      else without.add(_id.toHexString());
    }
    return segments.filter(({ _id }) => without.has(_id.toHexString()));
  }

  /** @param isWhole whether all rows are of the stretch of time */
  async #addRows<Value>(
    snapshot: Snapshot,
    measurement: Measurement<Value>,
    segments: readonly ListedSegment[],
    isWhole: boolean,
  ): Promise<void> {
    const { measuring, filterColumns, sum } = measurement;
    const fields = [...new Set([...measuring.columns, ...filterColumns, ...(isWhole ? [] : ["offsets" as const])])];
    for (const group of splitBySize(segments, ({ size }) => size, READ_BYTES)) {
      const read = await snapshot.read(
        group.map(({ _id }) => _id),
        fields,
      );
      for (const segment of read) {
        const value = measureSegment(measurement, segment, isWhole);
        if (isWhole) this.#keep(measurement, segment._id, value);
        else measuring.add(sum, value);
      }
    }
  }

  async #measureJournal<Value>(snapshot: Snapshot, { selection, filter, measuring, sum }: Measurement<Value>) {
    const { fromMs, untilMs } = selection;
    const events = (await snapshot.journaled()).map(toSegmentEvent);
    const within = events.filter(({ at }) => at >= fromMs && at < untilMs);
    for (const group of Map.groupBy(within, ({ at }) => hourOf(at)).values()) {
      const segment = buildSegment(group);
      const rows = selectRows(segment, { first: 0, end: group.length }, filter);
      if (rows !== undefined) measuring.add(sum, measuring.ofRows(segment, rows));
    }
  }
}

function measureSegment<Value>(
  { selection, filter, measuring }: Measurement<Value>,
  read: ReadSegment,
  isWhole: boolean,
): Value {
  const segment = unpackSegment(read);
  const range = isWhole ? { first: 0, end: read.rows } : rowsBetween(segment, selection.fromMs, selection.untilMs);
  const rows = selectRows(segment, range, filter);
  return rows === undefined ? measuring.none() : measuring.ofRows(segment, rows);
}
