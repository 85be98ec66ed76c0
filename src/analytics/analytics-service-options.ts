import type { Keyring } from "../secrets/keyring.ts";
import type { AnswerCache } from "./answer-cache.ts";
import type { CallLimit } from "./call-limit.ts";
import type { LiveEvents } from "./live-events.ts";
import type { AnalyticsWorker } from "./worker-client.ts";

/** What the handlers of analytics need. */
export interface AnalyticsServiceOptions {
  worker: Pick<AnalyticsWorker, "measure" | "page" | "detail">;
  cache: AnswerCache;
  limit: Pick<CallLimit, "take">;
  live: LiveEvents;
  keyring: Keyring;
  now: () => Promise<number>;
  retentionDays: number;
}
