import type { EventDocument } from "../journal/drain-batch.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { journaledOf, kindOf } from "../journal/journaled.ts";
import { Fault } from "../lib/fault.ts";
import type { Series } from "../segments/store.ts";

/** Follows the entries of the journal until it is stopped. `onGap`: entries may have been missed; also once at the start. */
export type FollowJournal = (listener: { onInsert: (entry: JournalEntry) => void; onGap: () => void }) => {
  stop(): Promise<void>;
};

export interface Subscriber {
  /** Takes events of the series that were recorded, in the order of their recording. */
  onEvents: (events: readonly EventDocument[]) => void;
  /** Events may have been missed. */
  onGap: () => void;
}

interface Subscription extends Subscriber {
  series: Series;
}

/** Who follows one project on one node: each event is sorted out and written for each of them. */
const SUBSCRIPTIONS_MAX = 100;

/** Hands on events as they are recorded. The journal is followed while there is somebody to hand them to. */
export class LiveEvents {
  readonly #follow: FollowJournal;
  readonly #subscriptions = new Set<Subscription>();
  #feed: { stop(): Promise<void>; isLive: Promise<void> } | undefined;

  constructor(follow: FollowJournal) {
    this.#follow = follow;
  }

  /**
   * Resolves when everything that is recorded from then on will be handed on, until the signal is aborted; rejects with its
   * reason when it is before. Throws TOO_MANY_REQUESTS when too many follow the project.
   */
  async subscribe(series: Series, subscriber: Subscriber, signal: AbortSignal): Promise<void> {
    const subscription = { ...subscriber, series };
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    // Nobody waits for it after the subscription has begun.
    aborted.catch(() => undefined);
    signal.throwIfAborted();
    this.#checkRoom(series.projectId);
    signal.addEventListener("abort", () => {
      this.#subscriptions.delete(subscription);
      if (this.#subscriptions.size === 0) void this.close();
      reject(signal.reason);
    });
    this.#subscriptions.add(subscription);
    this.#feed ??= this.#open();
    await Promise.race([this.#feed.isLive, aborted]);
  }

  async close(): Promise<void> {
    const feed = this.#feed;
    this.#feed = undefined;
    await feed?.stop();
  }

  #checkRoom(projectId: string): void {
    const ofProject = [...this.#subscriptions].filter(({ series }) => series.projectId === projectId);
    if (ofProject.length < SUBSCRIPTIONS_MAX) return;
    const reason = `${SUBSCRIPTIONS_MAX} streams follow the project on this node already`;
    throw new Fault("TOO_MANY_REQUESTS", reason, { retryAfterSeconds: 10 });
  }

  #open(): { stop(): Promise<void>; isLive: Promise<void> } {
    const { promise: isLive, resolve } = Promise.withResolvers<void>();
    let hasBegun = false;
    const onGap = () => {
      resolve();
      // The first one is the beginning.
      if (hasBegun) for (const subscription of this.#subscriptions) subscription.onGap();
      hasBegun = true;
    };
    const feed = this.#follow({ onGap, onInsert: (entry) => this.#handOn(entry) });
    return { isLive, stop: () => feed.stop() };
  }

  #handOn(entry: JournalEntry): void {
    const wanted = [...this.#subscriptions].filter(({ series }) => kindOf(series.source) === entry.kind);
    // Read once for a project, however many follow it.
    for (const [projectId, subscriptions] of Map.groupBy(wanted, ({ series }) => series.projectId)) {
      const events = journaledOf([entry], projectId);
      if (events.length > 0) for (const { onEvents } of subscriptions) onEvents(events);
    }
  }
}
