import { programBeside } from "../lib/program-beside.ts";
import { ThreadCalls } from "../lib/thread-calls.ts";
import type { ListPage, ListQuery } from "./listing.ts";
import type { Request, WorkerOptions } from "./messages.ts";

/** What is read while a directory is loaded should be forgotten before it counts as old. */
const YOUNG_GENERATION_MAX_MB = 192;

/** The thread that answers lists. */
export class ListingWorker {
  readonly #calls: ThreadCalls<Request, ListPage | undefined>;

  constructor(options: WorkerOptions) {
    this.#calls = new ThreadCalls({
      url: programBeside(import.meta.url, "worker"),
      name: "listing",
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MAX_MB },
    });
  }

  /** The page of a query. Throws DATABASE_UNAVAILABLE. */
  async list(projectId: string, query: ListQuery): Promise<ListPage> {
    const page = await this.#calls.ask({ kind: "list", projectId, query });
    if (page === undefined) throw new Error("a list without a page");
    return page;
  }

  /** Begins to load large projects, so that the first to ask for their lists do not wait. */
  preload(): void {
    // Whoever asks for a list that could not be loaded is told why then.
    this.#calls.ask({ kind: "preload" }).catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}
