import "../lib/older-node.ts";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { connectDatabase, type Database } from "../mongo/client.ts";
import { SessionPool } from "../mongo/session-pool.ts";
import { Compaction } from "../segments/compaction.ts";
import { createSegmentStore } from "../segments/store.ts";
import type { DrainFailure, DrainWorkerOptions } from "./drain-messages.ts";
import { createDrainStore } from "./drain-store.ts";
import { Drainer } from "./drainer.ts";
import { QUEUES, type Queue } from "./queue.ts";
import { runDrainer } from "./run-drainer.ts";

/** A thread of its own for the drainer, with a connection of its own: it must not hold up validations. */

const CONNECT_PAUSE_MS = 1_000;

// Whoever starts the worker hands in its options.
const { mongodbUri } = workerData as DrainWorkerOptions;
const port = parentPort;
if (port === null) throw new Error("this is a worker of the service");

const stopped = new AbortController();
// The only message is that it is to end.
port.once("message", () => stopped.abort());

function report(error: unknown): void {
  const failure: DrainFailure = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  port?.postMessage(failure);
}

async function connect(): Promise<Database | undefined> {
  while (!stopped.signal.aborted) {
    try {
      return await connectDatabase(mongodbUri, { giveUpHangingSockets: true });
    } catch (error) {
      report(error);
      await sleep(CONNECT_PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** Drains a queue until the worker is told to end. */
function drain(db: Database["db"], queue: Queue, compaction: Compaction): Promise<void> {
  const drainer = new Drainer({
    store: createDrainStore(db, queue),
    holder: randomUUID(),
    monotonicMs: () => performance.now(),
    onUnreadable: (error, entryId) =>
      report(new Error(`the journal entry ${entryId} cannot be read and was laid aside`, { cause: error })),
    onSegments: (segments) => compaction.add(segments),
  });
  return runDrainer({ drainer, compaction, signal: stopped.signal, onFailure: report });
}

const database = await connect();
if (database !== undefined) {
  const { db } = database;
  const sessions = new SessionPool(database.client);
  const compaction = new Compaction({ store: createSegmentStore(db), sessions, nowMs: () => Date.now() });
  await Promise.all(QUEUES.map((queue) => drain(db, queue, compaction)));
  await sessions.close();
  await database.close();
}
port.close();
