import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { Fault } from "../lib/fault.ts";
import { classifyMongoError } from "../mongo/classify-error.ts";
import { connectDatabase } from "../mongo/client.ts";
import { Directories } from "./directories.ts";
import { PRELOADED_MIN } from "./listing.ts";
import type { Request, Response, WorkerOptions } from "./messages.ts";
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

async function answer(request: Extract<Request, { kind: "list" }>): Promise<Response> {
  const { id, projectId, query } = request;
  try {
    return { id, page: await (await connected()).directories.list(projectId, query) };
  } catch (error) {
    const fault = error instanceof Fault ? error : classifyMongoError(error);
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const { reason, detail, retryAfterSeconds } = fault ?? {};
    return { id, error: text, fault: reason && detail ? { reason, detail, retryAfterSeconds } : undefined };
  }
}

async function preload(): Promise<void> {
  const { store, directories } = await connected();
  for (const projectId of await store.largeProjects(PRELOADED_MIN)) await directories.preload(projectId);
}

port.on("message", (request: Request) => {
  if (request.kind === "list") answer(request).then((response) => port.postMessage(response));
  // Whoever asks for a list that could not be loaded is told why then.
  else preload().catch(() => undefined);
});
