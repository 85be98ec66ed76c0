import type { OwnedCollection, ProjectStore } from "./store.ts";

export interface PurgeOptions {
  store: Pick<ProjectStore, "findDeleted" | "removeOwned" | "drop">;
  /** Every collection whose documents belong to projects. */
  owned: readonly OwnedCollection[];
  /** Whether events of a project are still on their way to the collection that keeps them. */
  hasJournaled: (projectId: string) => Promise<boolean>;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

const BATCH_COUNT = 1_000;
/** By then every call has ended that was let in before the project was deleted, and might still have added to it. */
const IN_FLIGHT_MS = 2 * 60_000;

/**
 * Removes what deleted projects own, batch by batch: whoever dies in between leaves less to remove. A project is dropped once
 * nothing is left of it and nothing can come any more. To be run again and again; nodes may do so at once.
 *
 * @param signal ends the work after the batch under way
 */
export async function purgeProjects(
  { store, owned, hasJournaled, now }: PurgeOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { _id: projectId, deletedAt } of await store.findDeleted()) {
    // Asked before anything is removed, which then includes whatever has arrived in between.
    const isOver = deletedAt !== null && deletedAt.getTime() + IN_FLIGHT_MS <= (await now());
    const isLast = isOver && !(await hasJournaled(projectId));
    let removedCount = 0;
    for (const collection of owned) {
      for (let count = BATCH_COUNT; count === BATCH_COUNT; removedCount += count) {
        if (signal.aborted) return;
        count = await store.removeOwned(collection, projectId, BATCH_COUNT);
      }
    }
    if (removedCount === 0 && isLast) await store.drop(projectId);
  }
}
