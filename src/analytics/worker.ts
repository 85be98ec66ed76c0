import "../lib/older-node.ts";
import { parentPort, workerData } from "node:worker_threads";
import { ConcurrencyLimit } from "../lib/concurrency-limit.ts";
import { answerCalls } from "../lib/thread-calls.ts";
import { classifyMongoError } from "../mongo/classify-error.ts";
import { connectDatabase } from "../mongo/client.ts";
import { readDetail } from "./detail.ts";
import { readLogPage } from "./log-page.ts";
import { Measurer } from "./measurer.ts";
import { counts, latency, series, totals } from "./measures.ts";
import type { Answer, Request, WorkerOptions } from "./messages.ts";
import { rankingOf } from "./ranking.ts";
import { createAnalyticsStore } from "./store.ts";

/** A thread of its own for questions: a look at millions of rows must not hold up validations. */

// Whoever starts the worker hands in its options.
const { mongodbUri } = workerData as WorkerOptions;
const port = parentPort;
if (port === null) throw new Error("this is a worker of the service");

/** Connected at the first request, and again after a failure. */
let opened: ReturnType<typeof open> | undefined;

async function open() {
  const store = createAnalyticsStore(await connectDatabase(mongodbUri, { giveUpHangingSockets: true }));
  return { store, measurer: new Measurer(store) };
}

function connected() {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function answer(request: Request): Promise<Answer> {
  const { store, measurer } = await connected();
  if (request.kind === "connect") return undefined;
  if (request.kind === "page") return readLogPage(store, request.query);
  if (request.kind === "detail") return readDetail(store, request.query);
  const { selection, measure } = request;
  switch (measure.kind) {
    case "totals":
      return measurer.measure(selection, totals);
    case "series":
      return measurer.measure(selection, series(measure.bucketMs));
    case "latency":
      return measurer.measure(selection, latency);
    case "rankings": {
      const { dimensions, most } = measure;
      const found = await measurer.measure(selection, counts(dimensions));
      return dimensions.map((dimension, index) => rankingOf(found[index] ?? new Map(), dimension, most));
    }
  }
}

/** Each may hold tens of megabytes of columns while it is answered, and the thread has one core at most. */
const limit = new ConcurrencyLimit({
  ...{ runningMax: 4, waitingMax: 1_000, waitMaxMs: 2_500, monotonicMs: () => performance.now() },
});

answerCalls(port, (request: Request) => limit.run(() => answer(request)), classifyMongoError);
