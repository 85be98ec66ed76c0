import { answerInTime } from "../lib/answer-in-time.ts";
import { KeyedQueue } from "../lib/keyed-queue.ts";
import { Directory } from "./directory.ts";
import type { ListPage, ListQuery } from "./listing.ts";
import type { ListingStore, SeenChange } from "./store.ts";
import { COMMIT_MAX_MS, unseenChanges } from "./unseen-changes.ts";

export interface DirectoriesOptions {
  store: ListingStore;
  /** The setting for tests, added to the database's clock. */
  clockOffsetMs: number;
  /** Is awaited between the steps of long work: lets others go first, and then takes its time. */
  rest: (ms: number) => Promise<void>;
  /** A clock that only goes forward, in milliseconds. */
  monotonicMs: () => number;
}

/** What is kept in memory over all projects; what is not used for the longest is given up first. */
const BYTES_MAX = 1_500_000_000;
/** So many changes are read one by one; more are read with everything else. */
const CHANGES_MAX = 50_000;
const CHANGES_READ_MAX = 1_000;
/** A step that takes longer finds the database out of reach. */
const STEP_TIMEOUT_MS = 2_500;
/** A list waits for the lists of its project before it, and for a directory to be loaded. */
const WAIT_MAX_MS = 50_000;
/** While nobody waits for a directory, loading it rests for so many times as long as it works: others need the cores. */
const REST_SHARE = 7;

interface Kept {
  directory: Directory;
  /** Every change that began before is in it, on the database's own clock. */
  asOfMs: number;
  /** Every charge before is in it. */
  chargesAsOfMs: number;
  /** Ids of changes that are in it, sorted, of the time in which others may still show themselves. */
  seen: readonly string[];
}

/**
 * The directories of projects: loaded when they are first asked for, and brought up to date by the audit log before each
 * answer, so that a list shows whatever was acknowledged before it was asked for, on whichever node.
 */
export class Directories {
  readonly #options: DirectoriesOptions;
  /** Work on one project is done one at a time, so that a directory does not change under a query. */
  readonly #queue: KeyedQueue;
  /** In the order of use. */
  readonly #kept = new Map<string, Kept>();
  /** How many lists of each project wait. */
  readonly #waiting = new Map<string, number>();

  constructor(options: DirectoriesOptions) {
    this.#options = options;
    this.#queue = new KeyedQueue(WAIT_MAX_MS, options.monotonicMs);
  }

  /** The page of a query. Throws DATABASE_UNAVAILABLE, or CONTENDED after waiting too long. */
  async list(projectId: string, query: ListQuery): Promise<ListPage> {
    this.#waiting.set(projectId, (this.#waiting.get(projectId) ?? 0) + 1);
    try {
      return await this.#queue.run(projectId, async () => {
        const kept = await this.#current(projectId);
        if (query.sortBy === "creditsUsed" || query.sortBy === "creditsRemaining")
          await this.#addCharges(projectId, kept);
        const nowMs = kept.asOfMs + this.#options.clockOffsetMs;
        return { ...(await kept.directory.list(query, nowMs)), nowMs };
      });
    } finally {
      const left = (this.#waiting.get(projectId) ?? 0) - 1;
      if (left > 0) this.#waiting.set(projectId, left);
      else this.#waiting.delete(projectId);
    }
  }

  /** Loads the directory of a project before anybody asks for it. */
  async preload(projectId: string): Promise<void> {
    await this.#queue.run(projectId, () => this.#current(projectId));
  }

  async #current(projectId: string): Promise<Kept> {
    const found = this.#kept.get(projectId);
    // What fails half-way is loaded anew.
    this.#kept.delete(projectId);
    const kept = (found && (await this.#catchUp(projectId, found))) ?? (await this.#load(projectId));
    this.#kept.set(projectId, kept);
    this.#giveUpUnused(projectId);
    return kept;
  }

  async #load(projectId: string): Promise<Kept> {
    const { store, rest, monotonicMs } = this.#options;
    const startMs = await inTime(store.databaseMs());
    // Whatever shows itself already is in what is read from now on.
    const { seen } = await inTime(unseenChanges(store, projectId, startMs, []));
    const directory = new Directory(() => rest(0));
    let stepMs = monotonicMs();
    for await (const rows of store.load(projectId)) {
      for (const row of rows) directory.put(row);
      await rest(this.#waiting.has(projectId) ? 0 : (monotonicMs() - stepMs) * REST_SHARE);
      stepMs = monotonicMs();
    }
    const loaded = { directory, asOfMs: startMs, chargesAsOfMs: startMs, seen };
    // What changed while it was read is read again, however much it is: otherwise loading would not end while a plan is
    // given to everybody.
    return (await this.#catchUp(projectId, loaded, Number.POSITIVE_INFINITY)) ?? this.#load(projectId);
  }

  /** @returns undefined when everything is to be loaded: so much has changed that it is faster, or nobody knows what has */
  async #catchUp(projectId: string, kept: Kept, changesMax = CHANGES_MAX): Promise<Kept | undefined> {
    const { store } = this.#options;
    // Before the changes are read: what shows itself later is read the next time.
    const asOfMs = await inTime(store.databaseMs());
    const { unseen, seen } = await inTime(unseenChanges(store, projectId, kept.asOfMs, kept.seen));
    // A change of the project itself may be of any number of consumers.
    if (unseen.length > changesMax || unseen.some(({ targetId }) => targetId === projectId)) return undefined;
    await this.#reread(projectId, kept.directory, unseen);
    return { ...kept, asOfMs, seen };
  }

  async #reread(projectId: string, directory: Directory, changes: readonly SeenChange[]): Promise<void> {
    const targets = changes.map(({ targetId }) => targetId).filter((targetId) => targetId.startsWith("consumer_"));
    const consumerIds = [...new Set(targets)];
    for (let from = 0; from < consumerIds.length; from += CHANGES_READ_MAX) {
      const ids = consumerIds.slice(from, from + CHANGES_READ_MAX);
      const rows = await inTime(this.#options.store.rowsOf(projectId, ids));
      const existing = new Set(rows.map(({ consumerId }) => consumerId));
      for (const row of rows) directory.put(row);
      for (const id of ids) if (!existing.has(id)) directory.remove(id);
      await this.#options.rest(0);
    }
  }

  async #addCharges(projectId: string, kept: Kept): Promise<void> {
    const { store, rest } = this.#options;
    const asOfMs = await inTime(store.databaseMs());
    for await (const charged of store.chargedSince(projectId, kept.chargesAsOfMs - COMMIT_MAX_MS)) {
      for (const { consumerId, credits } of charged) kept.directory.putCredits(consumerId, credits);
      await rest(0);
    }
    kept.chargesAsOfMs = asOfMs;
  }

  #giveUpUnused(except: string): void {
    let bytes = [...this.#kept.values()].reduce((sum, { directory }) => sum + directory.bytes, 0);
    for (const [projectId, { directory }] of this.#kept) {
      if (bytes <= BYTES_MAX) return;
      if (projectId === except) continue;
      this.#kept.delete(projectId);
      bytes -= directory.bytes;
    }
  }
}

function inTime<Result>(step: Promise<Result>): Promise<Result> {
  return answerInTime(step, STEP_TIMEOUT_MS);
}
