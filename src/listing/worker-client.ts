import { Worker } from "node:worker_threads";
import { databaseUnavailable, Fault } from "../lib/fault.ts";
import type { ListPage, ListQuery } from "./listing.ts";
import type { Request, Response, WorkerOptions } from "./messages.ts";

/** What is read while a directory is loaded should be forgotten before it counts as old. */
const YOUNG_GENERATION_MAX_MB = 192;

interface Waiting {
  resolve: (page: ListPage) => void;
  reject: (error: unknown) => void;
}

/** The thread that answers lists: started when it is first needed, and again after it ended. */
export class ListingWorker {
  readonly #options: WorkerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** The page of a query. Throws DATABASE_UNAVAILABLE. */
  list(projectId: string, query: ListQuery): Promise<ListPage> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ kind: "list", id, projectId, query });
    });
  }

  /** Begins to load large projects, so that the first to ask for their lists do not wait. */
  preload(): void {
    this.#send({ kind: "preload" });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#failAll(databaseUnavailable());
  }

  #send(request: Request): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(request);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: this.#options,
      name: "listing",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MAX_MB },
    });
    worker.on("message", (response: Response) => this.#settle(response));
    // Such as running out of memory: whoever waits is told, and the next call starts another.
    worker.on("error", (error) => this.#failAll(new Error("the thread of the lists failed", { cause: error })));
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#failAll(new Error("the thread of the lists ended"));
    });
    // It does not keep the process: whoever stops it closes this.
    worker.unref();
    return worker;
  }

  #settle(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if ("page" in response) waiting?.resolve(response.page);
    else waiting?.reject(toError(response));
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function toError({ error, fault }: Extract<Response, { error: string }>): Error {
  if (fault === undefined) return new Error(error);
  const { reason, detail, retryAfterSeconds } = fault;
  return new Fault(reason, detail, { ...(retryAfterSeconds && { retryAfterSeconds }), cause: error });
}
