import { Fault } from "../lib/fault.ts";
import type { CallLimitStore } from "./store.ts";

export interface CallLimitOptions {
  /** Counts a call, unless there were too many; @returns after how many milliseconds there is room again, 0: it was counted */
  count: CallLimitStore["countCall"];
  monotonicMs: () => number;
}

/** Projects that are known to have to wait. */
const WAITING_MAX = 10_000;

/** Refuses the calls of a project that asks too often, over all nodes: exactly as many are answered as it may have. */
export class CallLimit {
  readonly #options: CallLimitOptions;
  /** Until when there is no room: what others do meanwhile only takes more of it. */
  readonly #waitingUntilMs = new Map<string, number>();

  constructor(options: CallLimitOptions) {
    this.#options = options;
  }

  /** Throws TOO_MANY_REQUESTS when the project has had its calls. */
  async take(projectId: string): Promise<void> {
    const { count, monotonicMs } = this.#options;
    const untilMs = this.#waitingUntilMs.get(projectId) ?? 0;
    if (untilMs > monotonicMs()) throw tooMany(untilMs - monotonicMs());
    this.#waitingUntilMs.delete(projectId);
    const waitMs = await count(projectId);
    if (waitMs === 0) return;
    if (this.#waitingUntilMs.size >= WAITING_MAX) this.#waitingUntilMs.clear();
    this.#waitingUntilMs.set(projectId, monotonicMs() + waitMs);
    throw tooMany(waitMs);
  }
}

function tooMany(waitMs: number): Fault {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new Fault("TOO_MANY_REQUESTS", "the project asks its analytics too often", { retryAfterSeconds });
}
