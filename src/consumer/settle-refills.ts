import { settle } from "../credits/pool.ts";
import type { Change, MakeChange } from "../mongo/change.ts";
import { creditEvents, type TellEvents } from "../webhook/event.ts";
import type { ConsumerStore } from "./store.ts";

export interface SettleRefillsOptions {
  store: Pick<ConsumerStore, "findRefillable" | "lockRefillable" | "saveMany">;
  change: MakeChange;
  tell: TellEvents;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

/** Consumers in one transaction. Their charges wait for it; so many take it some 20 ms. */
const BATCH_MAX = 100;

/**
 * Settles the refills that are due of consumers with a webhook address, so that these are told also when nobody uses the
 * credits. Whoever charges or changes one of them first has settled it, and told, itself. To be run again and again; nodes
 * may do so at once.
 *
 * @param signal ends the work after the batch under way
 */
export async function settleRefills(
  { store, change: makeChange, tell, now }: SettleRefillsOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const found = await store.findRefillable(await now(), BATCH_MAX);
    for (const [projectId, consumerIds] of found) {
      if (signal.aborted) return;
      await makeChange({ projectId, credentialId: null }, (change) => settleSome(change, consumerIds, { store, tell }));
    }
    if ([...found.values()].flat().length < BATCH_MAX) return;
  }
}

async function settleSome(
  change: Change,
  consumerIds: readonly string[],
  { store, tell }: Pick<SettleRefillsOptions, "store" | "tell">,
): Promise<void> {
  const { nowMs, session } = change;
  const refilled = (await store.lockRefillable(change, consumerIds)).map((before) => {
    const credits = before.credits && settle(before.credits, nowMs);
    const told = creditEvents(before, before.credits, credits, nowMs);
    return { after: { ...before, credits, thresholdTold: told.thresholdTold }, told };
  });
  await store.saveMany(
    change,
    refilled.map(({ after }) => after),
  );
  await tell(
    refilled.flatMap(({ told }) => told.events),
    session,
  );
}
