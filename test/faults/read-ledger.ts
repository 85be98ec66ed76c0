import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";
import type { Consumer } from "../../src/consumer/consumer.ts";
import type { ActivityDocument } from "../../src/journal/activity-document.ts";
import { readRows } from "../../src/journal/activity-event.ts";
import type { JournalEntry } from "../../src/journal/journal-entry.ts";
import type { Call, FinalState, Ledger, RecordedEvent } from "./ledger.ts";
import type { Customer } from "./mixed-consumers.ts";

const QUIET_MS = 1_500;
const POLL_MS = 250;
const QUIET_TIMEOUT_MS = 40_000;

/** Reads the database once nothing is under way any more, and adds what the clients saw. */
export async function readLedger(db: Db, customers: readonly Customer[], calls: readonly Call[]): Promise<Ledger> {
  const terms = [...new Map(customers.map((customer) => [customer.terms.consumerId, customer.terms])).values()];
  const finals = await readQuietFinals(
    db,
    terms.map(({ consumerId }) => consumerId),
  );
  return { terms, calls, finals, events: await readEvents(db) };
}

/**
 * Charges and draining are over when nothing has changed for a while and nothing waits in the journal: what is drained while it is
 * read would be seen twice, and the lease of a drainer that was killed is longer than the while.
 */
async function readQuietFinals(db: Db, consumerIds: string[]): Promise<FinalState[]> {
  const deadlineMs = performance.now() + QUIET_TIMEOUT_MS;
  let quietSinceMs = performance.now();
  for (let last = ""; ; await sleep(POLL_MS)) {
    const finals = await readFinals(db, consumerIds);
    const waiting = await db.collection("journal").countDocuments();
    const state = JSON.stringify([finals, waiting]);
    if (state !== last || waiting > 0) quietSinceMs = performance.now();
    if (performance.now() - quietSinceMs > QUIET_MS) return finals;
    if (performance.now() > deadlineMs)
      throw new Error(`charges or draining go on though nobody calls: ${waiting} wait`);
    last = state;
  }
}

async function readFinals(db: Db, consumerIds: string[]): Promise<FinalState[]> {
  // Only what a majority has.
  const consumers = db.collection<Consumer>("consumers", { readConcern: { level: "majority" } });
  const found = await consumers
    .find({ _id: { $in: consumerIds } })
    .sort({ _id: 1 })
    .toArray();
  return found.map(({ _id, credits, rateWindow }) => ({
    consumerId: _id,
    pool: credits && { limit: credits.limit, used: credits.used, nextRefillAt: credits.refill?.nextRefillAt },
    window: rateWindow && { resetAt: rateWindow.start + rateWindow.windowSeconds * 1_000, count: rateWindow.count },
  }));
}

/** What is drained and what is not. */
async function readEvents(db: Db): Promise<RecordedEvent[]> {
  const entries = await db.collection<JournalEntry>("journal").find().toArray();
  const drained = await db.collection<ActivityDocument>("key_activity").find().toArray();
  const documents = drained.map(({ requestId, code, creditsCharged, consumerId = "", count = 1 }) => {
    return { requestId, code, creditsCharged, consumerId, count };
  });
  return [...documents, ...entries.flatMap(({ events }) => readRows(events))];
}
