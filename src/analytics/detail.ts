import type { ActivityDocument } from "../journal/activity-document.ts";
import type { EventDocument } from "../journal/drain-batch.ts";
import type { TrafficDocument } from "../journal/traffic-document.ts";
import { MINUTE_MS, SOURCES, type Source } from "../segments/segment.ts";
import type { Series } from "../segments/store.ts";
import type { AnalyticsStore } from "./store.ts";

export interface DetailQuery {
  projectId: string;
  requestId: string;
  /** The slice of time that the event is sought in. */
  fromMs: number;
  untilMs: number;
  /** Events before that are not shown, whether they are gone already or not. */
  keptFromMs: number;
  /** undefined: both are searched. */
  source: Source | undefined;
}

/** What is recorded of a request. */
export interface Detail {
  api_traffic: TrafficDocument | undefined;
  key_activity: ActivityDocument | undefined;
}

/** A call is recorded after it was validated, and both with clocks of their own: the one is sought so far around the other. */
const PARTNER_MS = 10 * MINUTE_MS;
/** Where it mostly is, which saves a look at all that happened within the minutes. */
const CLOSE_MS = 2_000;

/** Finds the validation and the call of a request, by the time of either. */
export async function readDetail(
  store: Pick<AnalyticsStore, "inSnapshot" | "findRequest">,
  { projectId, requestId, fromMs, untilMs, keptFromMs, source }: DetailQuery,
): Promise<Detail> {
  const find = (of: Source, fromMs: number, untilMs: number) => {
    const atMs = (fromMs + untilMs) / 2;
    const range = { fromMs: Math.max(fromMs, keptFromMs), untilMs };
    return findRequest(store, { projectId, source: of }, requestId, range).then((events) => closest(events, atMs));
  };
  const searched = source === undefined ? SOURCES : [source];
  const found = await Promise.all(searched.map(async (of) => [of, await find(of, fromMs, untilMs)] as const));
  const detail = Object.fromEntries(found) as Partial<Record<Source, EventDocument>>;
  const known = found.find(([, event]) => event !== undefined)?.[1];
  const missing = searched.find((of) => detail[of] === undefined);
  if (known === undefined || missing === undefined) return toDetail(detail);
  const atMs = known.at.getTime();
  const around = (ms: number) => find(missing, atMs - ms, atMs + ms + 1);
  return toDetail({ ...detail, [missing]: (await around(CLOSE_MS)) ?? (await around(PARTNER_MS)) });
}

function toDetail({ api_traffic, key_activity }: Partial<Record<Source, EventDocument>>): Detail {
  // Verdicts, and they alone, have a code.
  return {
    api_traffic: api_traffic !== undefined && !("code" in api_traffic) ? api_traffic : undefined,
    key_activity: key_activity !== undefined && "code" in key_activity ? key_activity : undefined,
  };
}

/** The journal first: an entry is removed only after its events were inserted. */
async function findRequest(
  store: Pick<AnalyticsStore, "inSnapshot" | "findRequest">,
  series: Series,
  requestId: string,
  range: { fromMs: number; untilMs: number },
): Promise<EventDocument[]> {
  const journaled = await store.inSnapshot(series, (snapshot) => snapshot.journaled());
  const drained = await store.findRequest(series, requestId, range);
  const isWanted = ({ at, requestId: id }: EventDocument) =>
    id === requestId && at.getTime() >= range.fromMs && at.getTime() < range.untilMs;
  return [...drained, ...journaled.filter(isWanted)];
}

function closest(events: readonly EventDocument[], atMs: number): EventDocument | undefined {
  const distance = ({ at }: EventDocument) => Math.abs(at.getTime() - atMs);
  return events.reduce<EventDocument | undefined>(
    (best, event) => (best === undefined || distance(event) < distance(best) ? event : best),
    undefined,
  );
}
