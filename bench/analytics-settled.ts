import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";
import { DAY_MS } from "../src/segments/segment.ts";
import { createSegmentStore } from "../src/segments/store.ts";
import { uncoveredBy } from "../src/segments/uncovered-by.ts";

/** A sum may lack so many segments of its day. */
const UNCOVERED_MAX = 8;
const POLL_MS = 1_000;
/** Longer than the service waits before it looks at a day again. */
const STILL_MS = 6_000;
const WAIT_MAX_MS = 600_000;

/**
 * Waits until the service has merged the segments of a project and added up its days, all that are over.
 *
 * @returns how many segments and sums of days there are
 */
export async function settled(
  db: Db,
  projectId: string,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  signal: AbortSignal,
): Promise<{ segments: number; days: number }> {
  const store = createSegmentStore(db);
  const series = { projectId, source: "api_traffic" as const };
  const today = Math.floor(Date.now() / DAY_MS);
  let before = "";
  let stillSinceMs = performance.now();
  for (const endMs = performance.now() + WAIT_MAX_MS; performance.now() < endMs; await sleep(POLL_MS)) {
    signal.throwIfAborted();
    const segments = await store.list(series, fromMs - DAY_MS, untilMs + DAY_MS);
    const stored = await store.readDays(series, { fromMs: fromMs - DAY_MS, untilMs: untilMs + DAY_MS }, ["covers"]);
    const days = new Map(stored.map((day) => [day.day.getTime() / DAY_MS, day]));
    const seen = JSON.stringify([segments, stored.map(({ version }) => version)]);
    if (seen !== before) stillSinceMs = performance.now();
    before = seen;
    const isSummed = [...Map.groupBy(segments, ({ hour }) => Math.floor(hour.getTime() / DAY_MS))].every(
      ([day, all]) => {
        const sum = days.get(day);
        return day >= today || (sum !== undefined && (uncoveredBy(sum, all) ?? all).length <= UNCOVERED_MAX);
      },
    );
    if (isSummed && performance.now() - stillSinceMs > STILL_MS)
      return { segments: segments.length, days: stored.length };
  }
  throw new Error("the segments of the events are not merged and added up");
}
