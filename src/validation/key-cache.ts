import { maskValue } from "../key/key.ts";
import { RecentMap } from "../lib/recent-map.ts";
import type { Account, KnownKey } from "./account.ts";
import type { LoadedKey } from "./key-loader.ts";

export interface KeyCacheOptions {
  /** Finds the key of a project by one of its values. */
  findKey: (projectId: string, value: string) => Promise<LoadedKey | undefined>;
  entriesMax: number;
}

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
  /** Counts what was forgotten, so that a read which began before is not kept. */
  #forgottenCount = 0;
  #allForgottenAt = 0;
  /** While keys are read: at which count each consumer was forgotten. */
  readonly #forgottenAt = new Map<string, number>();
  #loading = 0;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
    this.#keys = new RecentMap(options.entriesMax);
    this.#accounts = new RecentMap(options.entriesMax);
  }

  /** The key of the project that has this value, if it is in memory. */
  get(projectId: string, value: string): KnownKey | undefined {
    const known = this.#keys.get(value);
    if (known === undefined || known.key.projectId !== projectId) return undefined;
    return this.isCurrent(known) ? known : undefined;
  }

  /** Whether the change feed still keeps an entry fresh. */
  isCurrent({ key, account, revision }: KnownKey): boolean {
    return this.#accounts.get(key.consumerId) === account && account.consumer.revision === revision;
  }

  /** The key of the project that has this value; undefined when there is none. Rejects when the database is out of reach. */
  async load(projectId: string, value: string): Promise<KnownKey | undefined> {
    const beganAt = this.#forgottenCount;
    this.#loading++;
    try {
      const loaded = await this.#options.findKey(projectId, value);
      if (loaded === undefined) return undefined;
      const known = this.#know(loaded, value);
      // What was changed meanwhile is good for this call, which began before, but is not kept.
      if (!this.#isForgottenSince(known.key.consumerId, beganAt)) this.#keep(known, value);
      return known;
    } finally {
      if (--this.#loading === 0) this.#forgottenAt.clear();
    }
  }

  /** Forgets a consumer and its keys. */
  forget(consumerId: string): void {
    this.#accounts.delete(consumerId);
    this.#forgottenCount++;
    if (this.#loading === 0) return;
    if (this.#forgottenAt.size < FORGOTTEN_MAX) this.#forgottenAt.set(consumerId, this.#forgottenCount);
    else this.#allForgottenAt = this.#forgottenCount;
  }

  forgetAll(): void {
    this.#accounts.clear();
    this.#keys.clear();
    this.#allForgottenAt = ++this.#forgottenCount;
  }

  #isForgottenSince(consumerId: string, count: number): boolean {
    return this.#allForgottenAt > count || (this.#forgottenAt.get(consumerId) ?? 0) > count;
  }

  #know({ key, consumer, valueEndsAtMs, askedMs }: LoadedKey, value: string): KnownKey {
    const current = this.#accounts.get(consumer._id);
    // One that is in use may know more than what was read.
    const isSame = current?.consumer.revision === consumer.revision;
    const account = isSame ? current : { consumer, isKnown: true, sharedUntilMs: 0, asOfMs: askedMs };
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
