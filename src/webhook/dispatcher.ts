import { setTimeout as sleep } from "node:timers/promises";
import { type Periodic, runPeriodically } from "../lib/periodic.ts";
import type { TimeBounds } from "../mongo/database-clock.ts";
import type { Delivery } from "./delivery.ts";
import type { DueDelivery, WebhookStore } from "./store.ts";

export interface DispatcherOptions {
  store: Pick<WebhookStore, "findDue" | "claim">;
  /** Tries a delivery once, and writes how far it is then. */
  attempt: (delivery: Delivery, claimId: string, signal: AbortSignal) => Promise<void>;
  now: () => Promise<TimeBounds>;
  createClaimId: () => string;
  /** Takes what looking for deliveries or an attempt failed with, once until looking succeeds again. */
  onFailure: (error: unknown) => void;
}

/** How often this node looks for what is due. */
const POLL_MS = 250;
/** Attempts of this node at once, of all, of one project, and of one host: nobody who hangs takes all places. */
const RUNNING_MAX = 128;
const PER_PROJECT_MAX = 64;
const PER_HOST_MAX = 8;
const FOUND_MAX = 64;
/** Longer than an attempt takes, so that nobody tries what another is trying. */
const LOCK_MS = 20_000;
/** Attempts under way have so long to end when the service stops; then they are cut off. */
const STOP_GRACE_MS = 2_000;
const STOP_CUT_MS = 1_000;

/**
 * Looks for deliveries that are due, claims them, and tries each, many at once. Nodes share the work by claims; what a node
 * has claimed and left is due again when the claim ends.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #running = new Map<Promise<void>, DueDelivery>();
  readonly #cut = new AbortController();
  readonly #timer: Periodic;
  #isStopped = false;
  #isLooking = false;
  /** Whether more was due than could begin. */
  #hasMore = false;
  #isFailing = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#timer = runPeriodically(() => this.#look(), POLL_MS);
  }

  /** Begins no attempt any more, and ends those under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#timer.stop();
    const ended = () => Promise.allSettled(this.#running.keys());
    await Promise.race([ended(), sleep(STOP_GRACE_MS, undefined, { ref: false })]);
    this.#cut.abort();
    await Promise.race([ended(), sleep(STOP_CUT_MS, undefined, { ref: false })]);
  }

  /** Begins what there is room for. Never rejects. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#isStopped) return;
    this.#isLooking = true;
    try {
      const room = Math.min(RUNNING_MAX - this.#running.size, FOUND_MAX);
      if (room === 0) return;
      const { earliestMs } = await this.#options.now();
      const due = await this.#options.store.findDue(earliestMs, room, this.#busy());
      this.#isFailing = false;
      const begun = due.filter((one) => this.#begin(one));
      this.#hasMore = due.length === room || begun.length < due.length;
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Those that have all their places taken. */
  #busy(): { hosts: string[]; projectIds: string[] } {
    const running = [...this.#running.values()];
    return {
      hosts: full(
        running.map(({ host }) => host),
        PER_HOST_MAX,
      ),
      projectIds: full(
        running.map(({ projectId }) => projectId),
        PER_PROJECT_MAX,
      ),
    };
  }

  #begin(due: DueDelivery): boolean {
    // Several of one host may have been found at once.
    const { hosts, projectIds } = this.#busy();
    if (this.#isStopped || hosts.includes(due.host) || projectIds.includes(due.projectId)) return false;
    const run = this.#run(due).catch((error: unknown) => this.#fail(error));
    this.#running.set(run, due);
    void run.finally(() => {
      this.#running.delete(run);
      if (this.#hasMore) void this.#look();
    });
    return true;
  }

  /** A database that is out of reach fails every time, and one that is closed has to. */
  #fail(error: unknown): void {
    if (!this.#isFailing && !this.#isStopped) this.#options.onFailure(error);
    this.#isFailing = true;
  }

  async #run(due: DueDelivery): Promise<void> {
    const { store, attempt, createClaimId } = this.#options;
    const claimId = createClaimId();
    const delivery = await store.claim(due, claimId, LOCK_MS);
    if (delivery !== undefined) await attempt(delivery, claimId, this.#cut.signal);
  }
}

/** What there is at least so many of. */
function full(names: readonly string[], max: number): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].flatMap(([name, count]) => (count >= max ? [name] : []));
}
