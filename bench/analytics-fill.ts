import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";
import type { JournalEntry } from "../src/journal/journal-entry.ts";
import { writeTrafficRow } from "../src/journal/traffic-event.ts";
import { createProgressBar } from "../src/lib/progress-bar.ts";
import { createTraffic, timeOf } from "./analytics-events.ts";

const ENTRY_EVENTS = 1_000;
/** Entries that wait for the service to drain them. */
const WAITING_MAX = 40;
const POLL_MS = 20;

/** Gives a project events in the order of their time, by way of the journal, which the service drains. */
export async function fillTraffic(
  db: Db,
  projectId: string,
  count: number,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  signal: AbortSignal,
): Promise<void> {
  const journal = db.collection<JournalEntry>("journal");
  const traffic = createTraffic(projectId);
  const bar = createProgressBar(process.stdout, count);
  let waiting = 0;
  for (let first = 0; first < count; first += ENTRY_EVENTS) {
    const numbers = Array.from({ length: Math.min(ENTRY_EVENTS, count - first) }, (_, index) => first + index);
    const rows = numbers.map((number) => writeTrafficRow(traffic(number, timeOf(number, count, fromMs, untilMs))));
    const _id = `bench-${projectId}:${String(first).padStart(12, "0")}`;
    const entry: JournalEntry = {
      _id,
      kind: "traffic",
      at: new Date(),
      count: rows.length,
      events: `[${rows.join()}]`,
    };
    signal.throwIfAborted();
    await journal.insertOne(entry);
    bar.update(first + rows.length);
    while (++waiting >= WAITING_MAX) {
      waiting = await journal.estimatedDocumentCount();
      if (waiting >= WAITING_MAX) await sleep(POLL_MS);
    }
  }
  while ((await journal.estimatedDocumentCount()) > 0) {
    signal.throwIfAborted();
    await sleep(POLL_MS);
  }
  bar.end();
}
