import type { IngestResponse, TrafficEventInput } from "../gen/api.ts";
import { ApiError, KeysvcError, QueueFullError, TransportError } from "./errors.ts";
import { mayPass } from "./may-pass.ts";
import { pause, quietTimer, untilAborted } from "./timers.ts";

/** How many events wait at most. */
export const EVENTS_MAX = 2_048;
/** How many are sent at a time. */
export const BATCH_EVENTS = 100;
const GATHER_MS = 1_000;
const TRIES = 3;
const PAUSE_MS = 250;
/** The service may ask for a longer pause than ours, up to this. */
const PAUSE_MS_MAX = 10_000;
const REPORT_PAUSE_MS = 10_000;
/** Any time that is longer than a flush. */
const HOLD_MS = 1 << 30;

/** What a queue needs of the world. */
export interface EventQueueOptions {
  /** Sends events once. */
  send(events: TrafficEventInput[], signal: AbortSignal): Promise<IngestResponse>;
  /** Is told what was lost. */
  report(error: KeysvcError): void;
  /** Epoch milliseconds. */
  now(): number;
  /** From 0 to below 1. */
  random(): number;
}

/**
 * Events on their way to the service. Offering one costs nobody any time: they are sent 100 at a time, or after a second, by
 * one worker, which is there only while there are events.
 */
export class EventQueue {
  readonly #options: EventQueueOptions;
  readonly #abort = new AbortController();
  #waiting: TrafficEventInput[] = [];
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #worker: Promise<void> | undefined;
  /** Events that were taken in, and how many of them are sent or lost. */
  #accepted = 0;
  #settled = 0;
  /** What is waited for: that so many are settled. */
  readonly #flushes = new Set<{ target: number; resolve: () => void }>();
  #closed = false;
  #dropped = 0;
  #unreported = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: EventQueueOptions) {
    this.#options = options;
  }

  /** How many events were lost: the queue was full or closed, or they could not be sent. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes events in. Those for which there is no room are counted, and lost. */
  offer(events: readonly TrafficEventInput[]): void {
    const room = this.#closed ? 0 : EVENTS_MAX - this.#waiting.length;
    const accepted = events.slice(0, room);
    this.#waiting.push(...accepted);
    this.#accepted += accepted.length;
    if (events.length > room) this.#drop(events.length - room);
    if (this.#waiting.length === 0 || this.#worker !== undefined) return;
    if (this.#waiting.length >= BATCH_EVENTS) this.#start();
    else this.#gathering ??= quietTimer(() => this.#start(), GATHER_MS);
  }

  /**
   * Sends what waits. Resolves when it was sent, or lost; rejects with the signal's reason when that is aborted before. What
   * comes meanwhile is not waited for: a busy server would flush for ever.
   */
  async flush(signal?: AbortSignal): Promise<void> {
    if (this.#settled === this.#accepted) return;
    const flush = { target: this.#accepted, resolve: (): void => undefined };
    const done = new Promise<void>((resolve) => {
      flush.resolve = resolve;
    });
    this.#flushes.add(flush);
    this.#start();
    // The timers of the queue keep no process alive; whoever waits for it does.
    const hold = setInterval(() => undefined, HOLD_MS);
    try {
      await untilAborted(done, signal);
    } finally {
      clearInterval(hold);
      this.#flushes.delete(flush);
    }
  }

  /** The same, and takes in nothing any more. When the signal is aborted, what is left is lost. */
  async close(signal?: AbortSignal): Promise<void> {
    this.#closed = true;
    try {
      await this.flush(signal);
    } catch (error) {
      this.#abort.abort(new TransportError("the client was closed"));
      const left = this.#waiting.splice(0).length;
      this.#settle(left);
      this.#drop(left);
      await this.#worker;
      throw error;
    }
  }

  #start(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#worker ??= this.#work().finally(() => {
      this.#worker = undefined;
      if (this.#flushes.size > 0) this.#start();
      else this.offer([]);
    });
  }

  async #work(): Promise<void> {
    do {
      const batch = this.#waiting.splice(0, BATCH_EVENTS);
      if (batch.length > 0) await this.#sendBatch(batch);
      this.#settle(batch.length);
      this.#reportDropped();
      // Fewer are gathered again, unless somebody waits for them.
    } while (this.#waiting.length >= (this.#flushes.size > 0 ? 1 : BATCH_EVENTS));
  }

  #settle(count: number): void {
    this.#settled += count;
    for (const flush of this.#flushes) {
      if (this.#settled < flush.target) continue;
      this.#flushes.delete(flush);
      flush.resolve();
    }
  }

  async #sendBatch(batch: TrafficEventInput[]): Promise<void> {
    const { send, report } = this.#options;
    const { signal } = this.#abort;
    for (let attempt = 1; ; attempt++) {
      try {
        const { rejected } = (await send(batch, signal)) ?? {};
        if (!Array.isArray(rejected))
          throw new ApiError("The answer does not say what was taken.", { statusCode: 200 });
        if (rejected.length > 0) report(rejection(rejected));
        return;
      } catch (error) {
        if (isTooLarge(error) && batch.length > 1) return this.#sendHalves(batch);
        const isOver = attempt === TRIES || signal.aborted || !mayPass(error);
        if (isOver || !(await this.#rest(error, attempt))) {
          this.#dropped += batch.length;
          if (error instanceof KeysvcError) report(error);
          return;
        }
      }
    }
  }

  async #sendHalves(batch: TrafficEventInput[]): Promise<void> {
    const half = Math.ceil(batch.length / 2);
    await this.#sendBatch(batch.slice(0, half));
    await this.#sendBatch(batch.slice(half));
  }

  /** The pause before another try; false when the queue was closed meanwhile. */
  async #rest(error: unknown, attempt: number): Promise<boolean> {
    const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    const own = PAUSE_MS * 2 ** attempt * (0.5 + this.#options.random() / 2);
    try {
      await pause(Math.min(PAUSE_MS_MAX, Math.max(asked, own)), this.#abort.signal, quietTimer);
      return true;
    } catch {
      return false;
    }
  }

  #drop(count: number): void {
    if (count === 0) return;
    this.#dropped += count;
    this.#unreported += count;
    if (this.#worker === undefined) this.#reportDropped();
  }

  /** By the worker where there is one, not while somebody is served, and seldom: a full queue is full for many. */
  #reportDropped(): void {
    const now = this.#options.now();
    if (this.#unreported === 0 || now - this.#reportedAt < REPORT_PAUSE_MS) return;
    const count = this.#unreported;
    this.#unreported = 0;
    this.#reportedAt = now;
    const why = this.#closed ? "the client is closed" : "too many wait";
    this.#options.report(new QueueFullError(`${count} events were dropped: ${why}`));
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.statusCode === 413;
}

function rejection(rejected: IngestResponse["rejected"]): ApiError {
  const [first] = rejected;
  const message = `${rejected.length} events were rejected, the first because ${first?.message ?? "of nothing known"}`;
  return new ApiError(message.slice(0, 500), { statusCode: 200, code: "invalid_argument" });
}
