import { setTimeout as sleep } from "node:timers/promises";
import type { Credential } from "./project.ts";

export interface LookUpLaneOptions {
  /** Finds the credentials of several HMACs, by HMAC in latin1. */
  findCredentials: (hashes: readonly Buffer[]) => Promise<Map<string, Credential>>;
  /** How many may wait to be looked up. */
  waitingMax: number;
  /** How long it pauses between two batches that follow each other, so that there are fewer, and larger ones. */
  pauseMs: number;
}

/** More in one command save nothing, and those in it wait longer. */
const BATCH_MAX = 500;

interface Batch {
  hashes: Map<string, Buffer>;
  found: PromiseWithResolvers<Map<string, Credential>>;
}

/**
 * Looks credentials up, those that are asked for meanwhile together: one command is under way at a time, however many are
 * asked for. Who asks for the same shares its look-up.
 */
export class LookUpLane {
  readonly #options: LookUpLaneOptions;
  /** In their order; the first is under way, or about to be. */
  readonly #batches: Batch[] = [];
  #waiting = 0;

  constructor(options: LookUpLaneOptions) {
    this.#options = options;
  }

  /** Whether one more can wait. */
  get hasRoom(): boolean {
    return this.#waiting < this.#options.waitingMax;
  }

  /** The credential with an HMAC; undefined: there is none. Rejects when the database is out of reach. */
  async find(hash: Buffer): Promise<Credential | undefined> {
    const id = hash.toString("latin1");
    const batch = this.#batches.find(({ hashes }) => hashes.has(id)) ?? this.#join(id, hash);
    return (await batch.found.promise).get(id);
  }

  #join(id: string, hash: Buffer): Batch {
    const last = this.#batches.at(-1);
    // The first is under way already.
    const hasPlace = last !== undefined && this.#batches.length > 1 && last.hashes.size < BATCH_MAX;
    const batch: Batch = hasPlace ? last : { hashes: new Map(), found: Promise.withResolvers() };
    batch.hashes.set(id, hash);
    this.#waiting++;
    if (!hasPlace && this.#batches.push(batch) === 1) void this.#run(batch);
    return batch;
  }

  /** Finds a batch, and then those behind it. Never rejects. */
  async #run(first: Batch): Promise<void> {
    for (let batch: Batch | undefined = first; batch !== undefined; batch = this.#batches[0]) {
      // A promise that rejects is told to those who wait for it, and they all do.
      await this.#options.findCredentials([...batch.hashes.values()]).then(batch.found.resolve, batch.found.reject);
      this.#waiting -= batch.hashes.size;
      this.#batches.shift();
      if (this.#batches.length > 0 && this.#options.pauseMs > 0) await sleep(this.#options.pauseMs);
    }
  }
}
