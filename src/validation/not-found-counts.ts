import { setTimeout as sleep } from "node:timers/promises";
import { writeRows } from "../journal/activity-event.ts";
import { createId } from "../lib/id.ts";
import { type Periodic, runPeriodically } from "../lib/periodic.ts";

export interface NotFoundCountsOptions {
  append: (row: string) => Promise<void> | undefined;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

const INTERVAL_MS = 500;
const CLOSE_MAX_MS = 1_000;

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

  constructor(options: NotFoundCountsOptions) {
    this.#options = options;
    this.#flushing = runPeriodically(() => this.#flush(), INTERVAL_MS);
  }

  /** @param arrivedMs when the call arrived, on `performance.now()` */
  add(projectId: string, arrivedMs: number): void {
    this.#add(projectId, { count: 1, latencyMs: performance.now() - arrivedMs });
  }

  #add(projectId: string, { count, latencyMs }: Counted): void {
    const before = this.#counts.get(projectId) ?? { count: 0, latencyMs: 0 };
    this.#counts.set(projectId, { count: before.count + count, latencyMs: before.latencyMs + latencyMs });
  }

  /** Hands on what was counted, for a bounded time. */
  async close(): Promise<void> {
    const flushed = this.#flushing.stop().then(() => this.#flush());
    await Promise.race([flushed, sleep(CLOSE_MAX_MS, undefined, { ref: false })]);
  }

  /** Never rejects: what could not be handed on is counted on. */
  async #flush(): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#counts = new Map();
    const atMs = await this.#options.now().catch(() => undefined);
    for (const [projectId, counted] of counts) {
      try {
        if (atMs === undefined) throw new Error("the time is not known");
        await this.#options.append(notFoundRow(projectId, counted, atMs));
      } catch {
        this.#add(projectId, counted);
      }
    }
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
