import "../lib/older-node.ts";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { answerCalls } from "../lib/thread-calls.ts";
import { classifyMongoError } from "../mongo/classify-error.ts";
import { connectDatabase } from "../mongo/client.ts";
import { Directories } from "./directories.ts";
import { type ListPage, PRELOADED_MIN } from "./listing.ts";
import type { Request, WorkerOptions } from "./messages.ts";
import { createListingStore } from "./store.ts";

/**
 * A thread of its own for the lists: a search over a million consumers, and the memory that they take, must not hold up
 * validations.
 */

// Whoever starts the worker hands in its options.
const { mongodbUri, clockOffsetMs } = workerData as WorkerOptions;
const port = parentPort;
if (port === null) throw new Error("this is a worker of the service");

/** Connected at the first request, and again after a failure. */
let opened: Promise<Awaited<ReturnType<typeof open>>> | undefined;

async function open() {
  const { db } = await connectDatabase(mongodbUri, { giveUpHangingSockets: true });
  const store = createListingStore(db);
  const rest = (ms: number) => (ms > 0 ? sleep(ms) : nextTurn());
  return { store, directories: new Directories({ store, clockOffsetMs, rest, monotonicMs: () => performance.now() }) };
}

function connected() {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function answer(request: Request): Promise<ListPage | undefined> {
  const { store, directories } = await connected();
  if (request.kind === "list") return directories.list(request.projectId, request.query);
  for (const projectId of await store.largeProjects(PRELOADED_MIN)) await directories.preload(projectId);
  return undefined;
}

answerCalls(port, answer, classifyMongoError);
