import type { Change, MakeChange } from "../mongo/change.ts";
import { toAudit } from "./convert.ts";
import type { ConsumerStore } from "./store.ts";

export interface PurgeOptions {
  store: Pick<ConsumerStore, "findGone" | "removeGone">;
  change: MakeChange;
  /** Removes the keys of a consumer for good. */
  removeKeys: (change: Change, consumerId: string) => Promise<void>;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

const FOUND_AT_ONCE = 500;

/** Removes the consumers whose recovery has ended, with their keys. Nobody sees them any more, so that it may take its time. */
export async function purgeGone(
  { store, change: makeChange, removeKeys, now }: PurgeOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const gone = await store.findGone(await now(), FOUND_AT_ONCE);
    for (const { _id: consumerId, projectId } of gone) {
      if (signal.aborted) return;
      await makeChange({ projectId, credentialId: null }, async (change) => {
        const before = await store.removeGone(change, consumerId);
        // Another node was faster.
        if (before === undefined) return;
        await removeKeys(change, consumerId);
        const action = "consumer.delete";
        change.record({ action, targetId: consumerId, before: toAudit(before, change.nowMs), after: null });
      });
    }
    if (gone.length < FOUND_AT_ONCE) return;
  }
}
