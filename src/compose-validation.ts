import type { ApiStore } from "./api/store.ts";
import type { ConsumerChanges } from "./audit/store.ts";
import type { Config } from "./config.ts";
import { JournalWriter } from "./journal/journal-writer.ts";
import { createKeyFinder } from "./key/find-key.ts";
import type { KeyStore } from "./key/store.ts";
import { shareLookUp } from "./lib/shared-look-up.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { ChangeFeed } from "./mongo/change-feed.ts";
import type { Database } from "./mongo/client.ts";
import { DatabaseClock } from "./mongo/database-clock.ts";
import type { SessionPool } from "./mongo/session-pool.ts";
import type { Keyring } from "./secrets/keyring.ts";
import type { Tracing } from "./tracing/tracing.ts";
import { BatchTransaction } from "./validation/batch-transaction.ts";
import { KeyCache } from "./validation/key-cache.ts";
import { createKeyLoader } from "./validation/key-loader.ts";
import { NotFoundCounts } from "./validation/not-found-counts.ts";
import type { ValidationOptions } from "./validation/service.ts";
import type { SettleCall } from "./validation/settle-call.ts";
import { Settlement } from "./validation/settlement.ts";
import { createValidationStore } from "./validation/store.ts";
import type { TellEvents } from "./webhook/event.ts";

/** Characters of keys and of consumers, each, in memory: 200,000 of common size. */
const CACHE_TEXT_MAX = 200_000_000;
/** As the short memories of the other rooms: the rest of 200 ms is for the look-up itself. */
const API_FRESH_MS = 150;
const APIS_MAX = 10_000;

export interface ValidationParts {
  config: Config;
  keyring: Keyring;
  keys: KeyStore;
  apis: ApiStore;
  now: () => Promise<number>;
  sessions: SessionPool;
  nodeId: string;
  tell: TellEvents;
  /** Takes what following the changes of consumers failed with, seldom. */
  onFeedFailure: (error: unknown) => void;
  metrics: Pick<Metrics, "onVerdict" | "onBatch">;
  /** undefined: nothing is traced. */
  tracing: Tracing | undefined;
}

/** What the handlers of validation need, and what goes on behind them. */
export interface Validation {
  options: ValidationOptions;
  /** Others need them too. */
  clock: DatabaseClock;
  journal: JournalWriter;
  /** For the metrics. */
  settlement: Pick<Settlement, "waitingCount">;
  cache: Pick<KeyCache, "lookUps">;
  /** To be told what this node has changed, which binds its next call, whatever that is answered from. */
  forget(consumerIds: Iterable<string>): void;
  /** Hands on what waits, and ends what goes on. */
  close(): Promise<void>;
}

export function composeValidation(
  { config, keyring, keys, apis, now, sessions, nodeId, tell, onFeedFailure, metrics, tracing }: ValidationParts,
  { client, db, onPrimaryChange }: Database,
): Validation {
  const { clockOffsetMs, activity } = config;
  const isDurable = activity === "durable";
  const monotonicMs = () => performance.now();
  const store = createValidationStore(db, clockOffsetMs);
  const clock = new DatabaseClock(db, clockOffsetMs);
  const journal = new JournalWriter({ nodeId, prepareInsert: store.prepareJournal, isDurable });
  const find = createKeyLoader(store);
  const findKey = createKeyFinder({ find, hasImports: keys.hasImports, keyring, monotonicMs });
  const cache = new KeyCache({ findKey, textMax: CACHE_TEXT_MAX });
  const forget = (consumerIds: Iterable<string>) => {
    for (const consumerId of consumerIds) cache.forget(consumerId);
  };
  const feed = new ChangeFeed<ConsumerChanges>({
    ...{ client, db, collection: "consumer_changes" },
    onInsert: ({ consumerIds }) => forget(consumerIds),
    onGap: () => cache.forgetAll(),
    onFailure: onFeedFailure,
  });
  const closing = new AbortController();
  let primaries = 0;
  onPrimaryChange(() => {
    const primary = ++primaries;
    clock.forget();
    // What the primary before had may have been taken back, and the new one may not know yet what a majority has: nothing is
    // kept until it does.
    cache.pause();
    void store.reachMajority(closing.signal).then(() => {
      if (primary === primaries) cache.resume();
    });
  });
  const forgetOne = (consumerId: string) => cache.forget(consumerId);
  const batches = { store, sessions, clock, journal, isDurable, clockOffsetMs, forget: forgetOne, tell };
  const transaction = new BatchTransaction(batches);
  const prepareWrite = (rows: readonly string[]) => store.prepareJournal(journal.entry(rows));
  const notFoundCounts = config.activityNotFound === "count" ? new NotFoundCounts({ prepareWrite, now }) : undefined;
  const findApi = shareLookUp((projectId = "", apiId = "") => apis.find(projectId, apiId), {
    ageMaxMs: API_FRESH_MS,
    entriesMax: APIS_MAX,
    monotonicMs,
  });
  const close = async () => {
    closing.abort();
    await notFoundCounts?.close();
    await Promise.all([journal.close(), feed.stop(), clock.stop()]);
  };
  const run: BatchTransaction["run"] = async (calls, running) => {
    const settle = () => transaction.run(calls, running);
    const committed = await (tracing === undefined ? settle() : tracing.batch("settlement", calls, settle));
    metrics.onBatch(calls.length);
    return committed;
  };
  const settlement = new Settlement({ run });
  const onVerdict: ValidationOptions["onVerdict"] = (code, durationMs) => {
    metrics.onVerdict(code, durationMs);
    tracing?.onVerdict(code);
  };
  const settle = (call: SettleCall) => {
    tracing?.remember(call);
    return settlement.settle(call);
  };
  const seenUntilMs = () => feed.seenUntilMs;
  const options = {
    keys: cache,
    settlement: { settle },
    clock,
    seenUntilMs,
    journal,
    now,
    findApi,
    notFoundCounts,
    onVerdict,
  };
  return { options, clock, journal, close, settlement, cache, forget };
}
