import type { AnalyticsServiceOptions } from "./analytics/analytics-service-options.ts";
import { AnswerCache } from "./analytics/answer-cache.ts";
import { CallLimit } from "./analytics/call-limit.ts";
import { LiveEvents } from "./analytics/live-events.ts";
import { createCallLimitStore } from "./analytics/store.ts";
import { AnalyticsWorker } from "./analytics/worker-client.ts";
import type { Config } from "./config.ts";
import { QUEUES } from "./journal/queue.ts";
import { ChangeFeed } from "./mongo/change-feed.ts";
import type { Database } from "./mongo/client.ts";
import type { Keyring } from "./secrets/keyring.ts";

export interface AnalyticsParts {
  config: Config;
  keyring: Keyring;
  now: () => Promise<number>;
  /** Takes what following the journal failed with, seldom. */
  onTailFailure: (error: unknown) => void;
}

/** What the handlers of analytics need, and what goes on behind them. */
export interface Analytics {
  options: AnalyticsServiceOptions;
  /** Ends what goes on. */
  close(): Promise<void>;
}

export function composeAnalytics(
  { config, keyring, now, onTailFailure }: AnalyticsParts,
  { client, db, uri }: Database,
): Analytics {
  const monotonicMs = () => performance.now();
  const worker = new AnalyticsWorker({ mongodbUri: uri });
  worker.connect();
  const { countCall } = createCallLimitStore({ db }, config.analyticsRate, config.clockOffsetMs);
  const collection = QUEUES.map((queue) => queue.collection);
  const live = new LiveEvents(
    (listener) => new ChangeFeed({ client, db, collection, onFailure: onTailFailure, ...listener }),
  );
  const limit = new CallLimit({ count: countCall, monotonicMs });
  return {
    options: {
      worker,
      cache: new AnswerCache(monotonicMs),
      limit,
      live,
      keyring,
      now,
      retentionDays: config.retentionDays,
    },
    async close() {
      await Promise.all([worker.close(), live.close()]);
    },
  };
}
