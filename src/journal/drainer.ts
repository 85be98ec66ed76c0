import { NumberRefused } from "../mongo/numbered-command.ts";
import type { ListedSegment } from "../segments/store.ts";
import { type Piece, piecesOf, withoutPresent } from "./drain-batch.ts";
import { type DrainState, INTENTION_AGE_MAX_MS, type Intention, isOutdated, removalNumberOf } from "./drain-state.ts";
import type { DrainStore } from "./drain-store.ts";
import { EntryReader } from "./entry-reader.ts";
import { segmentsOf } from "./segments-of.ts";

/** What a step has done. `waiting`: another drainer holds the lease; `idle`: there is nothing to drain. */
export type Step =
  | "waiting"
  | "taken"
  | "idle"
  | "planned"
  | "resumed"
  | "renumbered"
  | "inserted"
  | "removed"
  | "finished"
  | "lost";

export interface DrainerOptions {
  store: DrainStore;
  /** No other drainer has the same. */
  holder: string;
  monotonicMs: () => number;
  /** Takes an entry that cannot be read, and was laid aside. */
  onUnreadable: (error: unknown, entryId: string) => void;
  /** Takes segments that were added. */
  onSegments: (segments: readonly ListedSegment[]) => void;
}

/** A batch on its way. */
interface Batch {
  intention: Intention;
  /** Those of the intention that are still there. */
  entryIds: string[];
  pieces: Piece[];
  /** What was done with it last. */
  done: "planned" | "inserted" | "removed";
}

const RENEW_MS = 1_500;
/** Often enough that one that fails does not matter. */
const KEEP_SESSION_MS = 5 * 60_000;

/**
 * Drains a queue, step by step: each step is one write, after which the process may end, or sleep for as long as it
 * likes while another goes on. What a step goes by is stored; after a failure, it is read again.
 */
export class Drainer {
  readonly #options: DrainerOptions;
  #state: DrainState | undefined;
  #batch: Batch | undefined;
  readonly #reader: EntryReader;
  #isPrepared = false;
  /** When the state was last known to be this one's. */
  #heldMs = 0;
  #keptSessionMs = Number.NEGATIVE_INFINITY;
  /** The number of an intention that the session did not take. */
  #refused: number | undefined;

  constructor(options: DrainerOptions) {
    this.#options = options;
    this.#reader = new EntryReader(options);
  }

  /** Whether the last batch was as large as batches become: probably more waits. */
  get isBehind(): boolean {
    return this.#reader.isBehind;
  }

  /** Does the next step. Rejects with an error of the driver, after which the next step begins anew. */
  async step(): Promise<Step> {
    try {
      const step = await this.#next();
      if (step === "lost") this.#forget();
      return step;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** Leaves the lease to others. */
  async release(): Promise<void> {
    const fence = this.#state?.fence;
    this.#forget();
    if (fence !== undefined) await this.#options.store.release(fence);
  }

  #forget(): void {
    this.#state = undefined;
    this.#batch = undefined;
    this.#reader.forget();
  }

  #next(): Promise<Step> {
    const { monotonicMs } = this.#options;
    const state = this.#state;
    // A process that was stopped for long may go by numbers that the server has forgotten.
    if (state === undefined || monotonicMs() - this.#heldMs > INTENTION_AGE_MAX_MS) return this.#take();
    const batch = this.#batch;
    if (batch === undefined) {
      return state.intention === null ? this.#plan(state) : this.#resume(state, state.intention);
    }
    if (batch.done === "planned") return this.#insert(state, batch);
    if (batch.done === "inserted") return this.#remove(state, batch);
    return this.#finish(state);
  }

  async #take(): Promise<Step> {
    const { store, holder, monotonicMs } = this.#options;
    this.#forget();
    if (!this.#isPrepared) await store.prepare();
    this.#isPrepared = true;
    const askedMs = monotonicMs();
    this.#state = await store.take(holder);
    this.#heldMs = askedMs;
    return this.#state === undefined ? "waiting" : "taken";
  }

  async #plan(state: DrainState): Promise<Step> {
    const { store, monotonicMs } = this.#options;
    const { entries, pieces } = await this.#reader.next();
    if (entries.length === 0) return this.#idle(state);
    const askedMs = monotonicMs();
    const txnNumber = state.txnNumber + 1;
    const entryIds = entries.map(({ _id }) => _id);
    if (!(await store.plan(state.fence, txnNumber, entryIds))) return "lost";
    // Its time stands for the database's; it is read from there by whoever takes over.
    const intention = { txnNumber, entryIds, at: state.takenAt, mayBePresent: false };
    this.#state = { ...state, txnNumber: removalNumberOf(intention), intention };
    this.#batch = { intention, entryIds, pieces, done: "planned" };
    this.#heldMs = askedMs;
    return "planned";
  }

  async #idle({ fence, session }: DrainState): Promise<Step> {
    const { store, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    if (nowMs - this.#heldMs > RENEW_MS) {
      if (!(await store.renew(fence))) return "lost";
      this.#heldMs = nowMs;
    }
    if (nowMs - this.#keptSessionMs > KEEP_SESSION_MS) {
      await store.keepSession(session);
      this.#keptSessionMs = nowMs;
    }
    return "idle";
  }

  /** Goes on with what was intended before, by this drainer or another. */
  async #resume(state: DrainState, intention: Intention): Promise<Step> {
    const entries = await this.#options.store.findEntries(intention.entryIds);
    const entryIds = entries.map(({ _id }) => _id);
    // They are removed together, and only after everything was inserted.
    const isGone = entries.length === 0;
    // It was not a drainer that removed some, and the others have lost their places.
    const isOther = entries.length < intention.entryIds.length;
    if (!isGone && (isOther || isOutdated(state) || intention.txnNumber === this.#refused))
      return this.#renumber(state, entryIds);
    this.#batch = { intention, entryIds, pieces: piecesOf(entries), done: isGone ? "inserted" : "planned" };
    return "resumed";
  }

  async #renumber(state: DrainState, entryIds: readonly string[]): Promise<Step> {
    const { store } = this.#options;
    const isHeld = await store.renumber(state, "same", entryIds).catch((error: unknown) => {
      // The server knows higher numbers than the state does, as after the files of an old copy were put in place.
      if (error instanceof NumberRefused) return store.renumber(state, "new", entryIds);
      throw error;
    });
    // To be read anew, number and all.
    this.#forget();
    this.#refused = undefined;
    return isHeld ? "renumbered" : "lost";
  }

  async #insert({ session }: DrainState, batch: Batch): Promise<Step> {
    const { store } = this.#options;
    const { txnNumber, mayBePresent } = batch.intention;
    this.#reader.readAhead(batch.entryIds);
    try {
      for (const piece of batch.pieces) {
        const missing = mayBePresent ? withoutPresent(piece, await store.findPresent(piece)) : piece;
        await store.insert(session, txnNumber, missing);
      }
    } catch (error) {
      if (!(error instanceof NumberRefused)) throw error;
      // Mostly because another has taken over. Whoever still finds the intention has to number it anew.
      this.#refused = txnNumber;
      return "lost";
    }
    batch.done = "inserted";
    return "inserted";
  }

  /** The events of an entry are in segments when it is gone, and not before: readers see each event once. */
  async #remove({ session }: DrainState, batch: Batch): Promise<Step> {
    const { store, onSegments } = this.#options;
    const segments = batch.pieces.flatMap(({ collection, documents }) => segmentsOf(collection, documents));
    try {
      const number = removalNumberOf(batch.intention);
      if (batch.entryIds.length > 0 && !(await store.replaceEntries(session, number, batch.entryIds, segments)))
        return "lost";
    } catch (error) {
      if (!(error instanceof NumberRefused)) throw error;
      this.#refused = batch.intention.txnNumber;
      return "lost";
    }
    batch.done = "removed";
    onSegments(segments);
    return "removed";
  }

  async #finish(state: DrainState): Promise<Step> {
    if (!(await this.#options.store.finish(state.fence))) return "lost";
    this.#state = { ...state, intention: null };
    this.#batch = undefined;
    return "finished";
  }
}
