import { programBeside } from "../lib/program-beside.ts";
import { ThreadCalls } from "../lib/thread-calls.ts";
import type { Detail, DetailQuery } from "./detail.ts";
import type { LogPage, LogQuery } from "./log-page.ts";
import type { Answer, MeasureValues, Request, WorkerOptions } from "./messages.ts";
import type { Measure, Selection } from "./question.ts";

/** What is read for a question should be forgotten before it counts as old. */
const YOUNG_GENERATION_MAX_MB = 64;

/** The thread that answers questions. Each throws DATABASE_UNAVAILABLE. */
export class AnalyticsWorker {
  readonly #calls: ThreadCalls<Request, Answer>;

  constructor(options: WorkerOptions) {
    this.#calls = new ThreadCalls({
      url: programBeside(import.meta.url, "worker"),
      name: "analytics",
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MAX_MB },
    });
  }

  /** Gets ready for the first question. */
  connect(): void {
    // Whoever asks when it could not is told why then.
    this.#calls.ask({ kind: "connect" }).catch(() => undefined);
  }

  measure<Kind extends Measure["kind"]>(
    selection: Selection,
    measure: Extract<Measure, { kind: Kind }>,
  ): Promise<MeasureValues[Kind]> {
    // The worker answers each kind of request with the value that belongs to it.
    return this.#calls.ask({ kind: "measure", selection, measure }) as Promise<MeasureValues[Kind]>;
  }

  page(query: LogQuery): Promise<LogPage> {
    return this.#calls.ask({ kind: "page", query }) as Promise<LogPage>;
  }

  detail(query: DetailQuery): Promise<Detail> {
    return this.#calls.ask({ kind: "detail", query }) as Promise<Detail>;
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}
