import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../lib/fault.ts";
import type { Credential } from "./project.ts";

export interface LookUpLaneOptions {
  /** Finds the credentials of several HMACs, by HMAC in latin1. */
  findCredentials: (hashes: readonly Buffer[]) => Promise<Map<string, Credential>>;
  /** How many may wait to be looked up. */
  waitingMax: number;
  /** Who has waited for longer is refused. */
  waitMaxMs: number;
  /** How many are looked up at once; asked before each time. */
  batchMax: () => number;
  /** How long it pauses between two batches that follow each other. */
  pauseMs: number;
  /** For how long what is under way is good for who asks for the same. */
  sharedMs: number;
  /** A clock that only goes forward, in milliseconds. */
  monotonicMs: () => number;
}

/** What was found, and when it was asked for: what has changed since may have been found as it was before. */
export interface LookedUp {
  credential: Credential | undefined;
  askedMs: number;
}

interface LookUp {
  hash: Buffer;
  sinceMs: number;
  result: PromiseWithResolvers<LookedUp>;
}

/** One for all, because there may be thousands a second. */
const TOO_MANY = new Fault(
  "TOO_MANY_REQUESTS",
  "too many credentials that were not seen before wait to be looked up; nothing was done",
  { retryAfterSeconds: 1 },
);

/**
 * Looks credentials up, those that are asked for meanwhile together: one command is under way at a time, however many are
 * asked for. Who asks for the same shares its look-up, unless that was asked for so long ago that it says nothing of now.
 */
export class LookUpLane {
  readonly #options: LookUpLaneOptions;
  /** By HMAC in latin1, in their order. */
  readonly #waiting = new Map<string, LookUp>();
  #underWay: ReadonlyMap<string, LookUp> = new Map();
  #askedMs = 0;
  #isRunning = false;

  constructor(options: LookUpLaneOptions) {
    this.#options = options;
  }

  /**
   * The credential with an HMAC; undefined: there is none. Rejects when the database is out of reach, and with
   * TOO_MANY_REQUESTS when too many wait, or this one has waited for too long.
   */
  async find(hash: Buffer): Promise<LookedUp> {
    const id = hash.toString("latin1");
    const sinceMs = this.#options.monotonicMs();
    const isShared = sinceMs - this.#askedMs < this.#options.sharedMs;
    const same = this.#waiting.get(id) ?? (isShared ? this.#underWay.get(id) : undefined);
    if (same !== undefined) return same.result.promise;
    if (this.#waiting.size >= this.#options.waitingMax) throw TOO_MANY;
    const lookUp = { hash, sinceMs, result: Promise.withResolvers<LookedUp>() };
    this.#waiting.set(id, lookUp);
    if (!this.#isRunning) void this.#run();
    return lookUp.result.promise;
  }

  /** Looks up until nobody waits. Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      const batch = this.#take();
      if (batch.size > 0) await this.#look(batch);
      if (this.#options.pauseMs > 0 && this.#waiting.size > 0) await sleep(this.#options.pauseMs);
    }
    this.#isRunning = false;
  }

  #take(): Map<string, LookUp> {
    const batch = new Map<string, LookUp>();
    const batchMax = this.#options.batchMax();
    const sinceMinMs = this.#options.monotonicMs() - this.#options.waitMaxMs;
    for (const [id, lookUp] of this.#waiting) {
      if (batch.size >= batchMax) break;
      this.#waiting.delete(id);
      if (lookUp.sinceMs < sinceMinMs) lookUp.result.reject(TOO_MANY);
      else batch.set(id, lookUp);
    }
    return batch;
  }

  async #look(batch: ReadonlyMap<string, LookUp>): Promise<void> {
    this.#underWay = batch;
    const askedMs = this.#options.monotonicMs();
    this.#askedMs = askedMs;
    try {
      const found = await this.#options.findCredentials([...batch.values()].map(({ hash }) => hash));
      for (const [id, { result }] of batch) result.resolve({ credential: found.get(id), askedMs });
    } catch (error) {
      for (const { result } of batch.values()) result.reject(error);
    }
    this.#underWay = new Map();
  }
}
