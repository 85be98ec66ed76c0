import type { TimeBounds } from "../mongo/database-clock.ts";
import {
  type Account,
  isCharged,
  isPlainlyCharged,
  isShared,
  isTurning,
  type KnownKey,
  nextTurningPoint,
  turningPoints,
} from "./account.ts";
import type { State } from "./decide.ts";
import type { AccountChange, SettleCall } from "./settle-call.ts";
import type { ConsumerAt } from "./verdict.ts";

/** For so long a consumer that others charge too is read before it is charged. */
const SHARED_MS = 2_000;

/** A consumer of a batch, and the keys by which it was found. */
interface Group {
  account: Account;
  keys: Set<KnownKey>;
}

/** The consumers of a batch as this node knows them, and what it learns of them. */
export class BatchAccounts {
  readonly #groups = new Map<string, Group>();
  #charged: Account[] = [];

  constructor(calls: readonly SettleCall[]) {
    for (const { known } of calls) {
      const group = this.#groups.get(known.key.consumerId);
      if (group === undefined) {
        this.#groups.set(known.key.consumerId, { account: known.account, keys: new Set([known]) });
        continue;
      }
      // The one that was found last knows the latest revision.
      if (known.revision >= group.account.consumer.revision) group.account = known.account;
      group.keys.add(known);
    }
  }

  /** The consumers that need not be read: known, charged by nobody else, and at no turning point. */
  knownStates(at: TimeBounds | undefined): Map<string, State> {
    const states = new Map<string, State>();
    if (at === undefined) return states;
    for (const [consumerId, { account, keys }] of this.#groups) {
      const { consumer, isKnown } = account;
      if (!isKnown || isShared(account) || !isCharged(consumer) || !isPlainlyCharged(consumer, at)) continue;
      const points = [...keys].flatMap((known) => turningPoints(known));
      if (isTurning(points, at)) continue;
      states.set(consumerId, { consumer, nowMs: at.latestMs, validUntilMs: nextTurningPoint(points, at) });
    }
    return states;
  }

  /** Those of which there is no state. */
  missingFrom(states: ReadonlyMap<string, State>): string[] {
    return [...this.#groups.keys()].filter((consumerId) => !states.has(consumerId));
  }

  /** Of consumers, those that somebody else has charged lately, and this batch is about to charge too. */
  contestedOf(consumerIds: readonly string[]): string[] {
    return consumerIds.filter((consumerId) => {
      const account = this.#groups.get(consumerId)?.account;
      return account !== undefined && isShared(account) && isCharged(account.consumer);
    });
  }

  /**
   * Marks the consumers that somebody else has changed since this node knew them.
   *
   * @param ownStep by which the transaction that has read them had moved their stamps itself
   */
  markShared(read: ReadonlyMap<string, ConsumerAt>, ownStep: number): void {
    for (const [consumerId, { consumer }] of read) {
      const account = this.#groups.get(consumerId)?.account;
      if (account?.consumer.revision !== consumer.revision) continue;
      if (consumer.stamp - ownStep !== account.consumer.stamp) account.sharedUntilMs = performance.now() + SHARED_MS;
    }
  }

  /**
   * Takes over what a transaction has read and written, on which the next batch rests.
   *
   * @param asOfMs when it began, on `performance.now()`
   * @returns the consumers that were changed, and are not what they were found to be
   */
  learn(read: ReadonlyMap<string, State>, changes: readonly AccountChange[], step: number, asOfMs: number): string[] {
    const changed: string[] = [];
    for (const [consumerId, { account }] of this.#groups) {
      const state = read.get(consumerId);
      if (state === undefined || state.consumer.revision !== account.consumer.revision) changed.push(consumerId);
      else if (state.validUntilMs === undefined) {
        Object.assign(account, { consumer: state.consumer, isKnown: true, asOfMs });
      }
    }
    for (const { before, after } of changes) {
      const account = this.#groups.get(before._id)?.account;
      if (account?.consumer.revision !== before.revision) continue;
      Object.assign(account, { consumer: { ...before, ...after, stamp: before.stamp + step }, isKnown: true, asOfMs });
      account.unproven++;
      this.#charged.push(account);
    }
    return changed;
  }

  /** It is known whether a majority has what was learned. */
  prove(): void {
    for (const account of this.#charged) account.unproven--;
    this.#charged = [];
  }

  /** What was known may not be so any more: it is read the next time. */
  unlearn(): void {
    for (const { account } of this.#groups.values()) account.isKnown = false;
  }
}
