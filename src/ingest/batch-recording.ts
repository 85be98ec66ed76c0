import { setTimeout as sleep } from "node:timers/promises";
import type { JournalWriter } from "../journal/journal-writer.ts";
import type { Queued, Waiting } from "../journal/lane.ts";
import { databaseUnavailable } from "../lib/fault.ts";
import { forEachConcurrently } from "../lib/for-each-concurrently.ts";
import { classifyMongoError, contended } from "../mongo/classify-error.ts";
import { type Draft, draftsOf, withoutRecorded } from "./draft.ts";
import { type IngestStore, toIngested } from "./store.ts";

/** Events of a call, which are answered together. */
export interface Portion extends Queued {
  projectId: string;
  /** One row for each. */
  rows: readonly string[];
  /** One for each row; empty: the caller gave none. */
  requestIds: readonly string[];
}

/** A portion, and who waits to hear how many of its events were recorded before. */
export type WaitingPortion = Waiting<Portion, number>;

export interface BatchRecordingOptions {
  store: IngestStore;
  journal: Pick<JournalWriter, "entry">;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

/** A batch under way. */
interface Batch {
  startMs: number;
  /** The database's time. */
  nowMs: number;
  isGivenUp: () => boolean;
}

/** The portions of a project in a batch: they are answered together, because one may have an event that another has too. */
interface Share {
  portions: readonly WaitingPortion[];
  drafts: readonly Draft[];
  /** How many events of each portion were recorded before. */
  duplicates: number[];
}

/** A write that failed is repeated for so long; its callers wait longer. */
const RETRY_MAX_MS = 1_500;
const PAUSE_MAX_MS = 20;
/** Projects whose duplicates are looked for at once: connections are for others, too. */
const CONCURRENT_SHARES = 4;
const NEVER_ABORTED = new AbortController().signal;

/**
 * Records batches of portions by one insert each: some events of a project and their ids are a document, which is there as a whole
 * or not. It expects that no event is recorded already; only of documents that the index refuses it looks which are.
 */
export class BatchRecording {
  readonly #options: BatchRecordingOptions;

  constructor(options: BatchRecordingOptions) {
    this.#options = options;
  }

  /**
   * Tells each portion how many of its events were recorded before, once a majority has them all. Resolves when all were told.
   * Rejects when nothing was done of those that were not told, or it is not known what.
   */
  async run(portions: readonly WaitingPortion[], isGivenUp: () => boolean): Promise<void> {
    const startMs = performance.now();
    const batch = { startMs, nowMs: await this.#options.now(), isGivenUp };
    const shares = [...Map.groupBy(portions, ({ call }) => call.projectId)].map(([, own]): Share => {
      return { portions: own, ...draftsOf(own.map(({ call }) => call)) };
    });
    const refused = await this.#insert(
      shares.flatMap(({ drafts }) => drafts),
      batch,
    );
    await forEachConcurrently(shares, CONCURRENT_SHARES, NEVER_ABORTED, (share) =>
      this.#complete(share, refused, batch),
    );
  }

  /** Records what was refused of a share, and tells its portions. */
  async #complete(share: Share, refused: ReadonlySet<Draft>, batch: Batch): Promise<void> {
    const { portions, drafts, duplicates } = share;
    try {
      await this.#recordRest(
        share,
        drafts.filter((draft) => refused.has(draft)),
        batch,
      );
      for (const [index, { resolve }] of portions.entries()) resolve(duplicates[index] ?? 0);
    } catch (error) {
      for (const { reject } of portions) reject(error);
    }
  }

  /** Looks which events of the drafts are recorded, and records the others. */
  async #recordRest(share: Share, drafts: readonly Draft[], batch: Batch): Promise<void> {
    const { duplicates } = share;
    let rest = drafts;
    for (let attempt = 0; rest.length > 0; attempt++) {
      if (batch.isGivenUp()) throw databaseUnavailable();
      if (performance.now() - batch.startMs > RETRY_MAX_MS) {
        const cause = new Error("others keep recording the same events");
        // Of what is there in part, nobody is told that nothing was done.
        throw rest.length < share.drafts.length ? databaseUnavailable(cause) : contended(cause);
      }
      // Others may have recorded it without a majority having it yet.
      if (attempt > 0) await sleep(Math.random() * PAUSE_MAX_MS);
      const fresh: Draft[] = [];
      for (const draft of rest) {
        const recorded = await this.#findRecorded(draft, batch);
        const left = withoutRecorded(draft, recorded, duplicates);
        if (left !== undefined) fresh.push(left);
      }
      rest = fresh.length === 0 ? [] : [...(await this.#insert(fresh, batch))];
    }
  }

  /** Which ids of a draft are recorded. What is told of duplicates rests on what a majority has, too. */
  #findRecorded({ projectId, requestIds }: Draft, { startMs, nowMs }: Batch): Promise<Set<string>> {
    const ids = requestIds.filter((id) => id !== "");
    // What nobody waits for any more must not keep the database from what is asked next.
    const timeMaxMs = Math.max(1, Math.ceil(startMs + RETRY_MAX_MS - performance.now()));
    return this.#options.store.findRecorded(projectId, ids, { nowMs, timeMaxMs });
  }

  /** Inserts drafts, again when it is not known whether it was done. @returns those that have an event that is recorded */
  async #insert(drafts: readonly Draft[], { startMs, nowMs, isGivenUp }: Batch): Promise<Set<Draft>> {
    const { store, journal } = this.#options;
    const entries = drafts.map(({ projectId, rows, requestIds }) =>
      toIngested(journal.entry(rows, "traffic"), {
        ...{ projectId, nowMs },
        requestIds: requestIds.filter((id) => id !== ""),
      }),
    );
    const insert = store.prepareInsert(entries);
    for (;;) {
      if (isGivenUp()) throw databaseUnavailable();
      try {
        const refused = new Set(await insert());
        return new Set(drafts.filter((_draft, index) => refused.has(index)));
      } catch (error) {
        if (classifyMongoError(error) === undefined) throw error;
        if (performance.now() - startMs > RETRY_MAX_MS) throw error;
        await sleep(Math.random() * PAUSE_MAX_MS);
      }
    }
  }
}
