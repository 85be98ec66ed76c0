import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";
import { KINDS } from "../../src/journal/drain-batch.ts";

/** Waits until all events that were journaled are in their time-series. */
export async function untilDrained(db: Db): Promise<void> {
  while ((await db.collection("journal").countDocuments({ kind: { $in: KINDS } })) > 0) await sleep(10);
}
