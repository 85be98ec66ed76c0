import type { ApiStore } from "./api/store.ts";
import type { ConsumerChanges } from "./audit/store.ts";
import type { Config } from "./config.ts";
import { JournalWriter } from "./journal/journal-writer.ts";
import { createKeyFinder } from "./key/find-key.ts";
import type { KeyStore } from "./key/store.ts";
import { shareLookUp } from "./lib/shared-look-up.ts";
import { ChangeFeed } from "./mongo/change-feed.ts";
import type { Database } from "./mongo/client.ts";
import { DatabaseClock } from "./mongo/database-clock.ts";
import type { SessionPool } from "./mongo/session-pool.ts";
import type { Keyring } from "./secrets/keyring.ts";
import { BatchTransaction } from "./validation/batch-transaction.ts";
import { KeyCache } from "./validation/key-cache.ts";
import { createKeyLoader } from "./validation/key-loader.ts";
import { NotFoundCounts } from "./validation/not-found-counts.ts";
import type { ValidationOptions } from "./validation/service.ts";
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
}

/** What the handlers of validation need, and what goes on behind them. */
export interface Validation {
  options: ValidationOptions;
  /** Others need them too. */
  clock: DatabaseClock;
  journal: JournalWriter;
  /** Hands on what waits, and ends what goes on. */
  close(): Promise<void>;
}

export function composeValidation(
  { config, keyring, keys, apis, now, sessions, nodeId, tell, onFeedFailure }: ValidationParts,
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
  const feed = new ChangeFeed<ConsumerChanges>({
    ...{ client, db, collection: "consumer_changes" },
    onInsert: ({ consumerIds }) => {
      for (const consumerId of consumerIds) cache.forget(consumerId);
    },
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
  const forget = (consumerId: string) => cache.forget(consumerId);
  const batches = { store, sessions, clock, journal, isDurable, clockOffsetMs, forget, tell };
  const transaction = new BatchTransaction(batches);
  const notFoundCounts =
    config.activityNotFound === "count" ? new NotFoundCounts({ append: (row) => journal.append(row), now }) : undefined;
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
  const settlement = new Settlement(transaction);
  const seenUntilMs = () => feed.seenUntilMs;
  const options = { keys: cache, settlement, clock, seenUntilMs, journal, now, findApi, notFoundCounts };
  return { options, clock, journal, close };
}
