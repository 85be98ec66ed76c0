import { setTimeout as sleep } from "node:timers/promises";
import { writeRows } from "../journal/activity-event.ts";
import { createId } from "../lib/id.ts";
import { type Periodic, runPeriodically } from "../lib/periodic.ts";

export interface NotFoundCountsOptions {
  /** Prepares the write of rows, acknowledged by a majority: when it is repeated, it applies once all the same. */
  prepareWrite: (rows: readonly string[]) => () => Promise<void>;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

const INTERVAL_MS = 500;
const CLOSE_MAX_MS = 1_000;
const CLOSE_PAUSE_MS = 10;
/** Projects whose counts are written at once. */
const ROWS_MAX = 1_000;

/** Verdicts of a project since the last event. */
interface Counted {
  count: number;
  /** The sum of their latencies. */
  latencyMs: number;
}

/**
 * Counts NOT_FOUND verdicts of each project instead of keeping an event of each, for those under attack
 * (`KEYSVC_ACTIVITY_NOT_FOUND=count`): one event in a while says how many there were. Its latency is their mean, so that means
 * over all events are what they would be with an event of each.
 */
export class NotFoundCounts {
  readonly #options: NotFoundCountsOptions;
  #counts = new Map<string, Counted>();
  readonly #flushing: Periodic;
  /** A write of which it is not known whether it was done: it is repeated before the next is made. */
  #underWay: (() => Promise<void>) | undefined;

  constructor(options: NotFoundCountsOptions) {
    this.#options = options;
    this.#flushing = runPeriodically(() => this.#flush(), INTERVAL_MS);
  }

  /** @param arrivedMs when the call arrived, on `performance.now()` */
  add(projectId: string, arrivedMs: number): void {
    const { count, latencyMs } = this.#counts.get(projectId) ?? { count: 0, latencyMs: 0 };
    const tookMs = performance.now() - arrivedMs;
    this.#counts.set(projectId, { count: count + 1, latencyMs: latencyMs + tookMs });
  }

  /** Writes what was counted, for a bounded time. */
  async close(): Promise<void> {
    const endMs = performance.now() + CLOSE_MAX_MS;
    await this.#flushing.stop();
    while ((this.#underWay !== undefined || this.#counts.size > 0) && performance.now() < endMs) {
      await Promise.race([this.#flush(), sleep(endMs - performance.now(), undefined, { ref: false })]);
      await sleep(CLOSE_PAUSE_MS);
    }
  }

  /** Never rejects: what was not written for certain is written again, meanwhile others are counted. */
  async #flush(): Promise<void> {
    try {
      this.#underWay ??= await this.#prepare();
      await this.#underWay?.();
      this.#underWay = undefined;
    } catch {
      // The next time.
    }
  }

  /** The write of what was counted; undefined: nothing was. Rejects when the time is not known, and counts on. */
  async #prepare(): Promise<(() => Promise<void>) | undefined> {
    if (this.#counts.size === 0) return undefined;
    const atMs = await this.#options.now();
    const counted = [...this.#counts].slice(0, ROWS_MAX);
    for (const [projectId] of counted) this.#counts.delete(projectId);
    return this.#options.prepareWrite(counted.map(([projectId, counts]) => notFoundRow(projectId, counts, atMs)));
  }
}

function notFoundRow(projectId: string, counted: Counted, at: number): string {
  const { count } = counted;
  // Whole microseconds, so that sums of them are exact.
  const latencyMs = Math.round((counted.latencyMs / count) * 1_000) / 1_000;
  const nothing = { keyId: "", apiKey: "", consumerId: "", consumerName: "", apiId: "", apiName: "" };
  const unknown = { endpoint: "", method: "", clientIp: "", userAgent: "", country: "", region: "" };
  const verdict = { code: "NOT_FOUND", creditsCharged: 0, creditsRemaining: null, latencyMs };
  const rows = writeRows([
    { requestId: createId("req", at), at, count, projectId, ...verdict, ...nothing, ...unknown },
  ]);
  // Of the one event, without the brackets around all.
  return rows.slice(1, -1);
}
