import type { ActivityEvent } from "../../src/journal/activity-event.ts";

/** Everything that is known after a load: what the clients saw, and what the database keeps. */
export interface Ledger {
  terms: readonly Terms[];
  calls: readonly Call[];
  finals: readonly FinalState[];
  /** All of key_activity, drained or not. */
  events: readonly RecordedEvent[];
}

export type RecordedEvent = Pick<ActivityEvent, "requestId" | "code" | "creditsCharged" | "consumerId" | "count">;

/** A consumer as it was before the first call. */
export interface Terms {
  /** Empty: of calls with keys that do not exist. */
  consumerId: string;
  /** The only other code than those of pool and window that its calls may get; VALID, unless everything is denied. */
  code: "VALID" | "CONSUMER_DISABLED" | "NOT_FOUND";
  pool: PoolTerms | null;
  window: { limit: number; windowMs: number } | null;
}

export interface PoolTerms {
  limit: number;
  /** What may be spent beyond the pool; 0 without overage. */
  overage: number;
  refill: { policy: "reset" | "add"; credit: number; everyMs: number; firstAt: number } | null;
}

/** A call of /key/validate as its client saw it. Times are epoch milliseconds of one clock that only goes forward. */
export interface Call {
  client: number;
  node: string;
  consumerId: string;
  cost: number;
  /** As the client gave it. */
  requestId: string | undefined;
  startMs: number;
  endMs: number;
  outcome: Outcome;
}

export type Outcome = Verdict | Failure;

export interface Verdict {
  kind: "verdict";
  code: string;
  /** As the answer has it. */
  requestId: string;
  credits: { limit: number; used: number; remaining: number; cost: number; nextRefillAt: number | undefined } | null;
  rateLimit: { limit: number; remaining: number; resetAt: number } | null;
}

/** No verdict was given: whether it was charged is not known. */
export interface Failure {
  kind: "failure";
  /** Such as `503 DATABASE_UNAVAILABLE`, or the error of the connection. */
  reason: string;
  /** Where the answer names it. */
  requestId: string | undefined;
  retryAfter: string | undefined;
}

/** A consumer as it is stored after the last call has ended and nothing is under way any more. */
export interface FinalState {
  consumerId: string;
  pool: { limit: number; used: number; nextRefillAt: number | undefined } | null;
  window: { resetAt: number; count: number } | null;
}

/** What must not be, with the rule that it breaks. */
export interface Violation {
  rule: Rule;
  text: string;
}

export type Rule =
  /** More was granted than pool and overage have, in a period or in all. */
  | "over-grant"
  /** An answered VALID that the pool does not show. */
  | "lost charge"
  /** The pool shows a charge that no answered VALID and no failed call explains. */
  | "unexplained charge"
  /** USAGE_EXCEEDED while credits were certainly left. */
  | "denied with credits left"
  | "window overrun"
  /** RATE_LIMITED while the window certainly had room. */
  | "denied with room left"
  /** An answer whose amounts contradict those of another. */
  | "order"
  /** A period or a window at a time at which it was not. */
  | "time"
  /** Calls with one requestId that got different verdicts. */
  | "replay"
  /** A code that the consumer's state does not allow, or a pool that contradicts itself. */
  | "verdict"
  | "activity missing"
  | "activity unexplained"
  | "activity wrong";
