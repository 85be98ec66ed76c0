import { setTimeout as sleep } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import type { JournalWriter } from "../journal/journal-writer.ts";
import type { Committed, Queued } from "../journal/lane.ts";
import { databaseUnavailable } from "../lib/fault.ts";
import { contended, isUndone } from "../mongo/classify-error.ts";
import { commitHereFirst } from "../mongo/run-transaction.ts";
import type { SessionPool } from "../mongo/session-pool.ts";
import { AlreadyRecorded, type IngestStore, type RequestIds } from "./store.ts";

/** Events of one project that are recorded together or not at all. */
export interface Portion extends Queued {
  projectId: string;
  /** One row for each. */
  rows: readonly string[];
  /** One for each row; empty: the caller gave none. */
  requestIds: readonly string[];
}

export interface RecordTransactionOptions {
  store: IngestStore;
  sessions: SessionPool;
  journal: Pick<JournalWriter, "entry">;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

/** What is written of a batch. */
interface Selection {
  rows: string[];
  fresh: Map<string, Set<string>>;
  /** How many events of each portion were recorded before. */
  duplicates: number[];
}

/** A batch that was undone is run again, so long; its callers wait longer. */
const RETRY_MAX_MS = 1_500;
const PAUSE_MAX_MS = 8;
const NONE: RequestIds = new Map();

/**
 * Records batches of portions, each in one transaction: the request ids, of which each is taken once, and an entry of the
 * journal with all events. It expects that no event is recorded already, and only when one is looks which are.
 */
export class RecordTransaction {
  readonly #options: RecordTransactionOptions;

  constructor(options: RecordTransactionOptions) {
    this.#options = options;
  }

  /** Answers how many events of each portion were recorded before. Rejects when nothing was done, or it is not known what. */
  async run(portions: readonly Portion[], isGivenUp: () => boolean): Promise<Committed<number>> {
    const startMs = performance.now();
    const nowMs = await this.#options.now();
    for (let undone = 0; ; undone++) {
      try {
        const work = (session: ClientSession) => this.#record(portions, nowMs, undone > 0, session, isGivenUp);
        const { result, durable } = await commitHereFirst(this.#options.sessions, work);
        return { outcomes: result, durable };
      } catch (error) {
        const isRecorded = error instanceof AlreadyRecorded;
        if (isGivenUp() || !(isRecorded || isUndone(error))) throw error;
        if (performance.now() - startMs > RETRY_MAX_MS) throw isRecorded ? contended(error) : error;
        // Who only has to look what is there need not wait for anybody.
        if (!isRecorded) await sleep(Math.random() * Math.min(2 ** undone, PAUSE_MAX_MS));
      }
    }
  }

  async #record(
    portions: readonly Portion[],
    nowMs: number,
    looksFirst: boolean,
    session: ClientSession,
    isGivenUp: () => boolean,
  ): Promise<number[]> {
    const { store, journal } = this.#options;
    const recorded = looksFirst ? await store.takeRecorded(select(portions, NONE).fresh, nowMs, session) : NONE;
    const { rows, fresh, duplicates } = select(portions, recorded);
    await store.record(fresh, nowMs, session);
    // Of duplicates alone, an entry without events: what is said of them is durable with it.
    await store.journal(journal.entry(rows, "traffic"), session);
    if (isGivenUp()) throw databaseUnavailable();
    return duplicates;
  }
}

/** The events of a batch that are not recorded, each request id once. */
function select(portions: readonly Portion[], recorded: RequestIds): Selection {
  const selection: Selection = { rows: [], fresh: new Map(), duplicates: [] };
  for (const { projectId, rows, requestIds } of portions) {
    const known = recorded.get(projectId);
    const fresh = selection.fresh.get(projectId) ?? new Set();
    selection.fresh.set(projectId, fresh);
    let duplicates = 0;
    for (const [index, row] of rows.entries()) {
      const requestId = requestIds[index] ?? "";
      if (requestId !== "" && (known?.has(requestId) || fresh.has(requestId))) {
        duplicates++;
        continue;
      }
      if (requestId !== "") fresh.add(requestId);
      selection.rows.push(row);
    }
    selection.duplicates.push(duplicates);
  }
  return selection;
}
