import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";
import { drainable, QUEUES } from "../../src/journal/queue.ts";

/** Waits until all events that were journaled are in their time-series. */
export async function untilDrained(db: Db): Promise<void> {
  for (const queue of QUEUES) {
    while ((await db.collection(queue.collection).countDocuments(drainable(queue))) > 0) await sleep(10);
  }
}
