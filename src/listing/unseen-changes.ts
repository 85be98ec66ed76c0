import { idsSince } from "../lib/id.ts";
import type { ListingStore, SeenChange } from "./store.ts";

/**
 * A change is seen by when it began, and shows itself when it is committed: for so long after it began it may still do so.
 * MongoDB ends transactions after 60 s; the rest is for clocks that differ after a failover.
 */
export const COMMIT_MAX_MS = 90_000;

/**
 * The changes that show themselves and were not seen yet.
 *
 * @param asOfMs when they were last looked for, on the database's own clock
 * @param seen the ids that were seen then, sorted
 * @returns them, and the ids to be handed in the next time
 */
export async function unseenChanges(
  store: Pick<ListingStore, "changesFrom" | "countChanges">,
  projectId: string,
  asOfMs: number,
  seen: readonly string[],
): Promise<{ unseen: SeenChange[]; seen: string[] }> {
  const fromId = idsSince("audit", asOfMs - COMMIT_MAX_MS);
  const still = seen.filter((id) => id >= fromId);
  const newest = still.at(-1);
  if (newest !== undefined) {
    // Changes are never removed: where there are as many as were seen, they are the same, and need not be read again.
    const [count, newer] = await Promise.all([
      store.countChanges(projectId, fromId, newest),
      store.changesFrom(projectId, newest),
    ]);
    const unseen = newer.filter(({ _id }) => _id !== newest);
    if (count === still.length) return { unseen, seen: [...still, ...unseen.map(({ _id }) => _id)] };
  }
  const all = await store.changesFrom(projectId, fromId);
  const known = new Set(still);
  return { unseen: all.filter(({ _id }) => !known.has(_id)), seen: all.map(({ _id }) => _id) };
}
