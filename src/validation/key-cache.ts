import type { Consumer } from "../consumer/consumer.ts";
import { maskValue } from "../key/key.ts";
import { RecentMap } from "../lib/recent-map.ts";
import type { Account, KnownKey } from "./account.ts";
import type { LoadedKey } from "./key-loader.ts";

export interface KeyCacheOptions {
  /** Finds the key of a project by one of its values. */
  findKey: (projectId: string, value: string) => Promise<LoadedKey | undefined>;
  /** Characters of keys and of consumers, each, that are kept in memory, more or less. */
  textMax: number;
}

/** What an entry takes besides its texts. */
const ENTRY_TEXT = 1_000;
/** Changes that are remembered one by one while keys are read; of more, it is only known that there were some. */
const FORGOTTEN_MAX = 10_000;

/**
 * Keys by their values, and the consumers that own them, in memory. An entry may be out of date: consumers that are charged are
 * proven by their stamps when they are, all others by the change feed, which tells `forget`.
 *
 * The values themselves are the keys of the map: a hash would cost as much as the rest of a look-up, and the process has the
 * values of its callers in memory anyway. They are never written anywhere.
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  readonly #keys: RecentMap<string, KnownKey>;
  readonly #accounts: RecentMap<string, Account>;
  /** While keys are read: when each consumer was forgotten, on `performance.now()`. What was read before is not kept. */
  readonly #forgottenAtMs = new Map<string, number>();
  #allForgottenAtMs = Number.NEGATIVE_INFINITY;
  #hits = 0;
  #misses = 0;
  #isPaused = false;
  #loading = 0;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
    this.#accounts = new RecentMap(options.textMax, ({ consumer }) => textLengthOf(consumer));
    // A key holds its consumer also when that is not kept any more.
    this.#keys = new RecentMap(options.textMax, ({ key, account }, value) => {
      return textLengthOf(account.consumer) + value.length + 30 * key.allowedApis.length;
    });
  }

  /** How often a key was looked for in memory, since the start. */
  get lookUps(): { hits: number; misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** The key of the project that has this value, if it is in memory. */
  get(projectId: string, value: string): KnownKey | undefined {
    const known = this.#keys.get(value);
    const isKnown = known !== undefined && known.key.projectId === projectId && this.#isCurrent(known);
    if (isKnown) this.#hits++;
    else this.#misses++;
    return isKnown ? known : undefined;
  }

  /** Whether the change feed still keeps an entry fresh. */
  #isCurrent({ key, account, revision }: KnownKey): boolean {
    return this.#accounts.get(key.consumerId) === account && account.consumer.revision === revision;
  }

  /** The key of the project that has this value; undefined when there is none. Rejects when the database is out of reach. */
  async load(projectId: string, value: string): Promise<KnownKey | undefined> {
    this.#loading++;
    try {
      const loaded = await this.#options.findKey(projectId, value);
      if (loaded === undefined) return undefined;
      const known = this.#know(loaded, value);
      if (this.#isCertain(loaded)) this.#keep(known, value);
      // It may have been changed since it was read, or another primary may not have known it all: the database decides.
      else known.account = { ...known.account, isKnown: false };
      return known;
    } finally {
      if (--this.#loading === 0) this.#forgottenAtMs.clear();
    }
  }

  /** Forgets a consumer and its keys. */
  forget(consumerId: string): void {
    this.#accounts.delete(consumerId);
    if (this.#loading === 0) return;
    if (this.#forgottenAtMs.size < FORGOTTEN_MAX) this.#forgottenAtMs.set(consumerId, performance.now());
    else this.#allForgottenAtMs = performance.now();
  }

  forgetAll(): void {
    this.#accounts.clear();
    this.#keys.clear();
    this.#allForgottenAtMs = performance.now();
  }

  /** Forgets everything, and keeps nothing until it is resumed. */
  pause(): void {
    this.#isPaused = true;
    this.forgetAll();
  }

  resume(): void {
    this.#isPaused = false;
    this.forgetAll();
  }

  #isCertain({ consumer, askedMs }: LoadedKey): boolean {
    const forgottenAtMs = this.#forgottenAtMs.get(consumer._id) ?? Number.NEGATIVE_INFINITY;
    return !this.#isPaused && Math.max(forgottenAtMs, this.#allForgottenAtMs) < askedMs;
  }

  #know({ key, consumer, valueEndsAtMs, askedMs }: LoadedKey, value: string): KnownKey {
    const current = this.#accounts.get(consumer._id);
    // One that is in use may know more than what was read.
    const isSame = current?.consumer.revision === consumer.revision;
    const account = isSame ? current : { consumer, isKnown: true, sharedUntilMs: 0, unproven: 0, asOfMs: askedMs };
    return {
      ...{ key, account, valueEndsAtMs },
      endsAtMs: Math.min(valueEndsAtMs, key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY),
      revision: consumer.revision,
      maskedValue: maskValue(value),
    };
  }

  #keep(known: KnownKey, value: string): void {
    this.#accounts.set(known.key.consumerId, known.account);
    this.#keys.set(value, known);
  }
}

function textLengthOf({ metadata, tags, name }: Consumer): number {
  return ENTRY_TEXT + metadata.length + tags.join().length + (name?.length ?? 0);
}
