/**
 * Takes the items in their order, several at a time. Rejects with the first failure once all that was under way has
 * ended; after a failure, or once the signal is aborted, no further item is begun.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  concurrency: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    while (failures.length === 0) {
      signal.throwIfAborted();
      const next = iterator.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  const catching = () => worker().catch((error: unknown) => failures.push(error));
  await Promise.all(Array.from({ length: concurrency }, catching));
  if (failures.length > 0) throw failures[0];
}
