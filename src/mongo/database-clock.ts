import type { Db } from "mongodb";
import { runPeriodically } from "../lib/periodic.ts";
import { databaseTime } from "./database-time.ts";

/** Two times between which the database's clock is, epoch milliseconds. */
export interface TimeBounds {
  earliestMs: number;
  latestMs: number;
}

interface Reading extends TimeBounds {
  /** When it was asked for and when the answer was here, on this process's own clock. */
  sentMs: number;
  receivedMs: number;
}

const READ_INTERVAL_MS = 200;
/**
 * Within it, two clocks that run differ by less than TOLERANCE_MS. It does not bound how long the clock of a primary that lost
 * its office is read: a node that is cut off together with it reads on until that one notices, up to the election timeout (10 s
 * by default). No majority accepts what is charged by it.
 */
const READING_AGE_MAX_MS = 1_000;
/** Readings are whole milliseconds. */
const TOLERANCE_MS = 1;

/**
 * The database's clock without asking it each time: read a few times a second, carried on by a clock of this process that
 * only goes forward. No wall clock of the node has a part in it. It answers bounds, and whoever decides by time asks the
 * database itself when a decision falls between them.
 */
export class DatabaseClock {
  readonly #db: Db;
  readonly #clockOffsetMs: number;
  #reading: Reading | undefined;
  /** A reading that was asked for before the last call of forget() says nothing. */
  #era = 0;
  readonly #reader = runPeriodically(() => this.#read().catch(() => undefined), READ_INTERVAL_MS);

  /** @param clockOffsetMs added to every time, for tests */
  constructor(db: Db, clockOffsetMs: number) {
    this.#db = db;
    this.#clockOffsetMs = clockOffsetMs;
  }

  /** undefined: the last reading is too old to say. */
  now(): TimeBounds | undefined {
    const nowMs = performance.now();
    const reading = this.#reading;
    if (reading === undefined || nowMs - reading.sentMs > READING_AGE_MAX_MS) return undefined;
    return {
      earliestMs: Math.floor(reading.earliestMs + nowMs - reading.receivedMs),
      latestMs: Math.ceil(reading.latestMs + nowMs - reading.sentMs),
    };
  }

  /** Forgets what was read: another server, with another clock, is the primary now. */
  forget(): void {
    this.#era++;
    this.#reading = undefined;
    // So that it is not left to the next turn. A failure is as good as no reading.
    this.#read().catch(() => undefined);
  }

  stop(): Promise<void> {
    return this.#reader.stop();
  }

  async #read(): Promise<void> {
    const era = this.#era;
    const sentMs = performance.now();
    const databaseMs = await databaseTime(this.#db, this.#clockOffsetMs);
    const receivedMs = performance.now();
    if (era !== this.#era) return;
    this.#reading = {
      ...{ sentMs, receivedMs },
      earliestMs: databaseMs - TOLERANCE_MS,
      latestMs: databaseMs + TOLERANCE_MS,
    };
  }
}
