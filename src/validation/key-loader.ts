import type { Consumer } from "../consumer/consumer.ts";
import type { Key } from "../key/key.ts";
import { bytes } from "../mongo/bytes.ts";
import type { StoredKey, ValidationStore } from "./store.ts";

/** A key as a value of it was found. */
export interface LoadedKey {
  key: Key;
  consumer: Consumer;
  /** Until when the value validates, epoch milliseconds; Infinity: it is the present one. */
  valueEndsAtMs: number;
  /** When it was asked for, on `performance.now()`: so it was then, or after. */
  askedMs: number;
}

/** How many values one read looks for. */
const BATCH_MAX = 500;

interface Wanted {
  hash: Buffer;
  resolve: (found: LoadedKey | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Finds keys by the HMACs of their values, all that are asked for in one turn of the event loop in one read; callers who ask
 * for the same at once share the answer.
 */
export function createKeyLoader(store: Pick<ValidationStore, "findKeys">) {
  const underWay = new Map<string, Promise<LoadedKey | undefined>>();
  let wanted: Wanted[] = [];

  async function read(batch: readonly Wanted[]): Promise<void> {
    const askedMs = performance.now();
    try {
      const found = await store.findKeys(batch.map(({ hash }) => hash));
      const byValue = indexByValue(found, askedMs);
      for (const { hash, resolve } of batch) resolve(byValue.get(hash.toString("latin1")));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function flush(): void {
    const all = wanted;
    wanted = [];
    for (let start = 0; start < all.length; start += BATCH_MAX) void read(all.slice(start, start + BATCH_MAX));
  }

  return (hash: Buffer): Promise<LoadedKey | undefined> => {
    const id = hash.toString("latin1");
    const shared = underWay.get(id);
    if (shared !== undefined) return shared;
    const { promise, resolve, reject } = Promise.withResolvers<LoadedKey | undefined>();
    if (wanted.length === 0) setImmediate(flush);
    wanted.push({ hash, resolve, reject });
    underWay.set(id, promise);
    const forget = () => void underWay.delete(id);
    promise.then(forget, forget);
    return promise;
  };
}

/**
 * The keys by every value that they have or had. Of several, which an import can make of a value that was rotated away, the
 * one whose present value it is comes first, then the one that validates longest.
 */
function indexByValue(found: readonly StoredKey[], askedMs: number): Map<string, LoadedKey> {
  const byValue = new Map<string, LoadedKey>();
  const add = (hash: Buffer, loaded: LoadedKey) => {
    const id = hash.toString("latin1");
    const other = byValue.get(id);
    if (other === undefined || other.valueEndsAtMs < loaded.valueEndsAtMs) byValue.set(id, loaded);
  };
  for (const { key, consumer } of found) {
    add(bytes(key.hash), { key, consumer, valueEndsAtMs: Number.POSITIVE_INFINITY, askedMs });
    for (const { hash, validUntil } of key.previous) {
      add(bytes(hash), { key, consumer, valueEndsAtMs: validUntil.getTime(), askedMs });
    }
  }
  return byValue;
}
