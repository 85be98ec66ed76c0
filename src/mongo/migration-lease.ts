import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";
import { runPeriodically } from "../lib/periodic.ts";
import { isDuplicateKey } from "./classify-error.ts";

interface MigrationLease {
  _id: "migrating";
  holder: string;
  /** On the database's clock. */
  until: Date;
}

/** Whoever dies is followed after so long. */
const LEASE_MS = 15_000;
const RENEW_MS = 3_000;
const WAIT_MS = 250;

/**
 * Does work while no other node does, after waiting for those that are at it. A process that stands still for longer than the
 * lease, and then goes on, is not kept from it: work has to be repeatable.
 *
 * @param onWait called once when another node is at it
 */
export async function holdMigrationLease<Result>(
  db: Db,
  work: () => Promise<Result>,
  onWait: () => void,
): Promise<Result> {
  const leases = db.collection<MigrationLease>("settings");
  const holder = randomUUID();
  const until = { $add: ["$$NOW", LEASE_MS] };
  // Served by _id.
  const extend = () => leases.updateOne({ _id: "migrating", holder }, [{ $set: { until } }]);
  for (let attempt = 0; !(await take()); attempt++) {
    if (attempt === 0) onWait();
    await sleep(WAIT_MS);
  }
  const renewing = runPeriodically(() => extend().then(nothing, nothing), RENEW_MS);
  try {
    return await work();
  } finally {
    await renewing.stop();
    await leases.deleteOne({ _id: "migrating", holder });
  }

  /** One that has not ended is not matched. Served by _id. */
  async function take(): Promise<boolean> {
    const free = { $setOnInsert: { holder: "", until: new Date(0) } };
    // Two that insert it at once: one of them finds it there.
    await leases.updateOne({ _id: "migrating" }, free, { upsert: true }).catch(ignoreDuplicate);
    const hasEnded = { $expr: { $lte: ["$until", "$$NOW"] } };
    const taken = [{ $set: { holder: { $literal: holder }, until } }];
    return (await leases.updateOne({ _id: "migrating", ...hasEnded }, taken)).matchedCount === 1;
  }
}

function ignoreDuplicate(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}

function nothing(): void {}
