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

/**
 * Counts NOT_FOUND verdicts of each project instead of keeping an event of each, for those under attack
 * (`KEYSVC_ACTIVITY_NOT_FOUND=count`): one event in a while says how many there were.
 */
export class NotFoundCounts {
  readonly #options: NotFoundCountsOptions;
  #counts = new Map<string, number>();
  readonly #flushing: Periodic;

  constructor(options: NotFoundCountsOptions) {
    this.#options = options;
    this.#flushing = runPeriodically(() => this.#flush(), INTERVAL_MS);
  }

  add(projectId: string): void {
    this.#counts.set(projectId, (this.#counts.get(projectId) ?? 0) + 1);
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
    for (const [projectId, count] of counts) {
      try {
        if (atMs === undefined) throw new Error("the time is not known");
        await this.#options.append(notFoundRow(projectId, count, atMs));
      } catch {
        this.#counts.set(projectId, (this.#counts.get(projectId) ?? 0) + count);
      }
    }
  }
}

function notFoundRow(projectId: string, count: number, at: number): string {
  const nothing = { keyId: "", apiKey: "", consumerId: "", consumerName: "", apiId: "", apiName: "" };
  const unknown = { endpoint: "", method: "", clientIp: "", userAgent: "", country: "", region: "" };
  const verdict = { code: "NOT_FOUND", creditsCharged: 0, creditsRemaining: null, latencyMs: 0 };
  const rows = writeRows([
    { requestId: createId("req", at), at, count, projectId, ...verdict, ...nothing, ...unknown },
  ]);
  // Of the one event, without the brackets around all.
  return rows.slice(1, -1);
}
