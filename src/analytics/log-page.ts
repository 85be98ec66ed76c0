import type { EventDocument } from "../journal/drain-batch.ts";
import { splitBySize } from "../lib/split-by-size.ts";
import { unpackSegment } from "../segments/packed-segment.ts";
import { consumerValue, type Dimension, HOUR_MS } from "../segments/segment.ts";
import { type Filter, rowsBetween, selectRows } from "../segments/select-rows.ts";
import type { ListedSegment, ReadSegment } from "../segments/store.ts";
import { columnsOf, filterOf, READ_BYTES, type Selection } from "./question.ts";
import type { AnalyticsStore, Snapshot } from "./store.ts";

/** The place of an event in the order of the log: the newest first, those of one millisecond by their request ids. */
export interface Position {
  atMs: number;
  requestId: string;
  /** How many events of the same millisecond and request id come before, itself included. */
  count: number;
}

export interface LogQuery {
  selection: Selection;
  /** Where to go on; undefined: at the newest. */
  after: Position | undefined;
  size: number;
}

export interface LogPage {
  events: EventDocument[];
  /** Where the next page goes on; undefined: this is the last. */
  next: Position | undefined;
}

/** Moments that lie further apart are asked for on their own: a time-series keeps the events of an hour together. */
const GAP_MAX_MS = HOUR_MS;

/** The events of a page, found without a look at those that a filter leaves out. */
export async function readLogPage(
  store: Pick<AnalyticsStore, "inSnapshot" | "findEvents">,
  { selection, after, size }: LogQuery,
): Promise<LogPage> {
  const filter = filterOf(selection);
  const untilMs = after === undefined ? selection.untilMs : after.atMs + 1;
  const range = { ...selection, untilMs };
  const { found, journaled } = await store.inSnapshot(selection, async (snapshot) => ({
    found: await newestMoments(snapshot, range, filter, size, after?.atMs),
    journaled: await snapshot.journaled(),
  }));
  const { moments, isCut } = found;
  const isWanted = (event: EventDocument) =>
    event.at.getTime() >= selection.fromMs && event.at.getTime() < untilMs && passes(filter, event);
  const drained = await Promise.all(clusters(moments).map((cluster) => store.findEvents(selection, cluster)));
  const events = merge(drained.flat(), journaled).filter(isWanted).sort(compareEvents);
  // What is older than the oldest moment was not looked for in the segments.
  const oldestMs = isCut ? (moments.at(-1) ?? 0) : selection.fromMs;
  return pageOf(
    events.filter(({ at }) => at.getTime() >= oldestMs),
    after,
    size,
  );
}

/** Of events in order, those after a position, as many as a page has. */
function pageOf(events: readonly EventDocument[], after: Position | undefined, size: number): LogPage {
  const start =
    after === undefined ? 0 : events.findIndex((_event, index) => isAfter(positionAt(events, index), after));
  if (start === -1) return { events: [], next: undefined };
  const page = events.slice(start, start + size);
  const hasMore = start + size < events.length;
  return { events: page, next: hasMore ? positionAt(events, start + page.length - 1) : undefined };
}

function positionAt(events: readonly EventDocument[], index: number): Position {
  const event = events[index];
  if (event === undefined) throw new RangeError("no event there");
  let count = 1;
  while (count <= index && isSamePlace(events[index - count], event)) count++;
  return { atMs: event.at.getTime(), requestId: event.requestId, count };
}

function isSamePlace(one: EventDocument | undefined, other: EventDocument): boolean {
  return one?.requestId === other.requestId && one.at.getTime() === other.at.getTime();
}

function isAfter(one: Position, other: Position): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs;
  if (one.requestId !== other.requestId) return one.requestId > other.requestId;
  return one.count > other.count;
}

function compareEvents(one: EventDocument, other: EventDocument): number {
  const byTime = other.at.getTime() - one.at.getTime();
  if (byTime !== 0) return byTime;
  if (one.requestId !== other.requestId) return one.requestId < other.requestId ? -1 : 1;
  // Any order will do that is always the same.
  return contentOf(one) < contentOf(other) ? -1 : 1;
}

/** Everything that a list shows of an event. */
function contentOf(event: EventDocument): string {
  const { requestBody, responseBody, requestHeaders, responseHeaders, ...listed } = event as EventDocument &
    Record<string, unknown>;
  return JSON.stringify(Object.entries(listed).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Events of the time-series and of the journal: an entry of the journal is removed after its events were inserted. */
function merge(drained: readonly EventDocument[], journaled: readonly EventDocument[]): EventDocument[] {
  const counts = new Map<string, number>();
  for (const content of drained.map(contentOf)) counts.set(content, (counts.get(content) ?? 0) + 1);
  const missing = journaled.filter((event) => {
    const content = contentOf(event);
    const count = counts.get(content) ?? 0;
    counts.set(content, count - 1);
    // Below 0: more that are alike than were drained.
    return count <= 0;
  });
  return [...drained, ...missing];
}

/** Whether a filter lets an event pass. */
export function passes(filter: Filter, event: EventDocument): boolean {
  const { endpoint = "", method = "", clientIp = "", apiId = "", consumerId = "", consumerName = "" } = event;
  const values: Record<Dimension, string> = {
    ...{ endpoint, method, clientIp, apiId, statusCode: String(event.statusCode) },
    consumer: consumerValue(consumerId, consumerName),
  };
  return Object.entries(values).every(([dimension, value]) => filter[dimension as Dimension]?.(value) ?? true);
}

/**
 * The times of the newest events in segments that a filter lets pass, newest first: one more than a page has, if there are so many,
 * besides those of the millisecond in which the last page ended.
 */
async function newestMoments(
  snapshot: Snapshot,
  { fromMs, untilMs }: Selection,
  filter: Filter,
  size: number,
  lastMs: number | undefined,
): Promise<{ moments: number[]; isCut: boolean }> {
  const listed = await snapshot.list(fromMs, untilMs);
  const hours = [...Map.groupBy(listed, ({ hour }) => hour.getTime())].sort(([one], [other]) => other - one);
  const columns = columnsOf(filter);
  const moments: number[] = [];
  const countBefore = () => moments.filter((atMs) => atMs !== lastMs).length;
  for (const ahead of inGroups(hours.map(([, segments]) => segments))) {
    for (const group of splitBySize(ahead.flat(), ({ size }: ListedSegment) => size, READ_BYTES)) {
      const ids = group.map(({ _id }) => _id);
      const read = await snapshot.read(ids, ["offsets", ...columns]);
      for (const segment of read) moments.push(...newestOf(segment, { fromMs, untilMs }, filter, size + 1, lastMs));
    }
    if (countBefore() > size) break;
  }
  moments.sort((one, other) => other - one);
  const enough = moments.length - countBefore() + size + 1;
  return { moments: moments.slice(0, enough), isCut: countBefore() > size };
}

/** Few hours at first, which mostly do, then more and more. */
function* inGroups<Item>(items: readonly Item[]): Generator<Item[]> {
  let [start, count] = [0, 1];
  while (start < items.length) {
    yield items.slice(start, start + count);
    start += count;
    count = Math.min(count * 2, 32);
  }
}

/** The times of the newest rows of a segment, so many, and all of the last millisecond. */
function newestOf(
  read: ReadSegment,
  { fromMs, untilMs }: Pick<Selection, "fromMs" | "untilMs">,
  filter: Filter,
  count: number,
  lastMs: number | undefined,
): number[] {
  const segment = unpackSegment(read);
  const rows = selectRows(segment, rowsBetween(segment, fromMs, untilMs), filter);
  const moments: number[] = [];
  if (rows === undefined) return moments;
  let left = count;
  for (let row = rows.end - 1; row >= rows.first && left > 0; row--) {
    if (rows.passes !== undefined && rows.passes[row] === 0) continue;
    const atMs = segment.hourMs + (segment.offsets[row] ?? 0);
    moments.push(atMs);
    if (atMs !== lastMs) left--;
  }
  return moments;
}

/** Moments, newest first, in stretches of time without large gaps. */
function clusters(moments: readonly number[]): { fromMs: number; untilMs: number; atMs: number[] }[] {
  const found: { fromMs: number; untilMs: number; atMs: number[] }[] = [];
  for (const atMs of new Set(moments)) {
    const last = found.at(-1);
    if (last === undefined || last.fromMs - atMs > GAP_MAX_MS)
      found.push({ fromMs: atMs, untilMs: atMs + 1, atMs: [atMs] });
    else {
      last.fromMs = atMs;
      last.atMs.push(atMs);
    }
  }
  return found;
}
