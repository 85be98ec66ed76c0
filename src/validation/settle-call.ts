import type { Consumer } from "../consumer/consumer.ts";
import type { WebhookEvent } from "../webhook/event.ts";
import type { KnownKey } from "./account.ts";
import type { RememberedVerdict } from "./idempotency.ts";
import type { Meter, VerdictCode } from "./verdict.ts";

/** A call whose verdict needs the database. */
export interface SettleCall {
  known: KnownKey;
  /** The API that is called; undefined: no API check. */
  apiId: string | undefined;
  isApiKnown: boolean;
  /** Credits, a whole number from 0. */
  cost: number;
  /** Under which its verdict is remembered; undefined: the caller gave no requestId. */
  verdictId: string | undefined;
  /** Characters of its texts: what the row takes depends on them. */
  textLength: number;
  /** When it arrived, on `performance.now()`. */
  arrivedMs: number;
  /** The row of its key_activity event. */
  writeRow: (known: KnownKey, verdict: SettledVerdict) => string;
}

/** A verdict, and what it left. */
export interface SettledVerdict {
  code: VerdictCode;
  /** As stored before the batch: its meter is another one. */
  consumer: Consumer;
  meter: Meter;
  /** The database's time, epoch milliseconds. */
  nowMs: number;
  /** What was charged; of a verdict that is given again, what was charged the first time. */
  charged: number;
  /** Whether the verdict is given again, to a call with the same requestId, and nothing was charged now. */
  isRepeated: boolean;
}

/**
 * What came of a call: a verdict; `changed`: the key or its consumer is not any more what the call was found to be of, and is
 * to be looked up anew; `conflict`: its requestId was used for another call.
 */
export type Outcome = SettledVerdict | "changed" | "conflict";

/** What a batch comes to. */
export interface Decision {
  /** In the order of the calls. */
  outcomes: Outcome[];
  changes: AccountChange[];
  remembered: RememberedVerdict[];
  /** What the addresses of consumers are to be told of the charges. */
  events: WebhookEvent[];
}

/** What a charge leaves of a consumer. */
export type Charged = Meter & Pick<Consumer, "thresholdTold">;

/** What is to be written of one consumer. */
export interface AccountChange {
  before: Consumer;
  after: Charged;
  nowMs: number;
  /** Until when it holds on the database's clock, epoch milliseconds; undefined: it was read in the same transaction. */
  validUntilMs: number | undefined;
}
