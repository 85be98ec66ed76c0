import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { programBeside } from "../lib/program-beside.ts";
import type { DrainFailure, DrainWorkerOptions } from "./drain-messages.ts";

export interface DrainWorkerClientOptions extends DrainWorkerOptions {
  /** Takes what draining failed with, the first failure and then at most one in REPORT_MS. */
  onFailure: (error: Error) => void;
}

const REPORT_MS = 30_000;
const RESTART_MS = 1_000;
/** The step under way has so long; a step that was cut off is gone on with by whoever drains next. */
const STOP_MAX_MS = 1_500;

/** The thread that drains the journal: started at once, and again after it ended by itself. */
export class DrainWorker {
  readonly #options: DrainWorkerClientOptions;
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  #isStopped = false;
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(options: DrainWorkerClientOptions) {
    this.#options = options;
    this.#start();
  }

  /** Resolves within two seconds. What is not drained stays in the journal. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    const exited = once(worker, "exit");
    worker.postMessage("stop");
    await Promise.race([exited, sleep(STOP_MAX_MS, undefined, { ref: false })]);
    await worker.terminate();
  }

  #start(): void {
    const { mongodbUri } = this.#options;
    const workerData: DrainWorkerOptions = { mongodbUri };
    const worker = new Worker(programBeside(import.meta.url, "drain-worker"), { workerData, name: "drain" });
    worker.on("message", ({ failure }: DrainFailure) => this.#report(new Error(failure)));
    worker.on("error", (error) => this.#report(new Error("the thread of the drainer failed", { cause: error })));
    worker.on("exit", () => {
      this.#worker = undefined;
      if (!this.#isStopped) this.#restart = setTimeout(() => this.#start(), RESTART_MS).unref();
    });
    // It does not keep the process: whoever stops it calls stop().
    worker.unref();
    this.#worker = worker;
  }

  #report(error: Error): void {
    const nowMs = performance.now();
    if (this.#isStopped || nowMs - this.#reportedMs < REPORT_MS) return;
    this.#reportedMs = nowMs;
    this.#options.onFailure(error);
  }
}
