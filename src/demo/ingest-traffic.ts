import { forEachConcurrently } from "../lib/for-each-concurrently.ts";
import type { ServiceClient } from "./service-client.ts";
import type { TrafficEvent } from "./traffic-event.ts";

/** What became of the events. */
export interface IngestOutcome {
  accepted: number;
  /** Events that had been recorded before. */
  duplicates: number;
  rejected: { requestId: string; message: string }[];
}

interface IngestAnswer {
  accepted: number;
  duplicates: number;
  rejected: { index: number; message: string }[];
}

/** As many as /ingest takes at once. */
const BATCH_SIZE = 1_000;
const CONCURRENCY = 4;

/** Sends events to /ingest in batches, several at a time. */
export async function ingestTraffic(
  client: Pick<ServiceClient, "post">,
  events: readonly TrafficEvent[],
  signal: AbortSignal,
): Promise<IngestOutcome> {
  const outcome: IngestOutcome = { accepted: 0, duplicates: 0, rejected: [] };
  const begins = Array.from({ length: Math.ceil(events.length / BATCH_SIZE) }, (_, batch) => batch * BATCH_SIZE);
  await forEachConcurrently(begins, CONCURRENCY, signal, async (begin) => {
    const batch = events.slice(begin, begin + BATCH_SIZE);
    const { accepted, duplicates, rejected } = await client.post<IngestAnswer>("/ingest", { events: batch });
    outcome.accepted += accepted;
    outcome.duplicates += duplicates;
    for (const { index, message } of rejected) {
      outcome.rejected.push({ requestId: batch[index]?.requestId ?? `event ${index}`, message });
    }
  });
  return outcome;
}
