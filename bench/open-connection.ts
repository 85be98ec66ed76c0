import type { LoadPlan } from "./load.ts";

/** What a connection asks for, and tells. */
export interface Calls {
  /** Which key is next, as an index of the keys. */
  next(): number;
  /** @param startMs when it was sent, of performance.now() */
  ended(startMs: number, isAnswered: boolean): void;
}

/** Opens a connection that keeps so many calls under way. Rejects when it breaks. */
export type OpenConnection = (plan: LoadPlan, keys: readonly string[], calls: Calls, depth: number) => Promise<never>;
