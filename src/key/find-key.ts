import { createHash } from "node:crypto";
import { ShortMemory } from "../lib/short-memory.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { FoundKey } from "./key.ts";
import { isKeyValue } from "./key-value.ts";
import type { KeyStore } from "./store.ts";

export interface FindKeyOptions {
  store: Pick<KeyStore, "findByHash" | "findByPreviousHash" | "hasImports">;
  keyring: Pick<Keyring, "hashKey" | "hashImportedKey">;
  /** A clock that only goes forward, in milliseconds. */
  monotonicMs: () => number;
}

/** The key of the project that a value belongs to, or has belonged to; undefined when there is none. */
export type FindKey = (projectId: string, value: string) => Promise<FoundKey | undefined>;

/** A key that was imported validates within 200 ms on every node; the rest is for the look-up itself. */
const REMEMBERED_MS = 150;
const REMEMBERED_MAX = 10_000;

/**
 * Finds keys by their values: those that were made here by HMAC, those that were imported by SHA-256. Only refusals are
 * ever answered from memory: that a project has no imports, and that a value is none of its imports. So garbage costs a
 * project without imports no look-up, and whatever is changed in a key binds the very next call.
 */
export function createKeyFinder({ store, keyring, monotonicMs }: FindKeyOptions): FindKey {
  const bounds = { ageMaxMs: REMEMBERED_MS, entriesMax: REMEMBERED_MAX, monotonicMs };
  const importsOf = new ShortMemory<Promise<boolean>>(bounds);
  /** Hashes of values that are no imports; the project is part of each. */
  const unknown = new ShortMemory<true>(bounds);

  async function findByHash(hash: Buffer): Promise<FoundKey | undefined> {
    // In this order, because a value is rotated from present to previous, and never back.
    const key = await store.findByHash(hash);
    return key ? { key, valueValidUntil: null } : store.findByPreviousHash(hash);
  }

  /** Callers who ask at once share one look-up. */
  function hasImports(projectId: string): Promise<boolean> {
    const remembered = importsOf.get(projectId);
    if (remembered !== undefined) return remembered;
    const sinceMs = monotonicMs();
    const answer = store.hasImports(projectId);
    importsOf.set(projectId, answer, sinceMs);
    // A failure is not remembered.
    answer.catch(() => importsOf.delete(projectId));
    return answer;
  }

  async function findImported(projectId: string, value: string): Promise<FoundKey | undefined> {
    const hash = keyring.hashImportedKey(projectId, createHash("sha256").update(value).digest());
    const id = hash.toString("latin1");
    if (unknown.get(id)) return undefined;
    const sinceMs = monotonicMs();
    const found = await findByHash(hash);
    if (found === undefined) unknown.set(id, true, sinceMs);
    return found;
  }

  return async (projectId, value) => {
    const made = isKeyValue(value) ? await findByHash(keyring.hashKey(value)) : undefined;
    if (made?.key.projectId === projectId) return made;
    // A value of our form may come from another installation, or from another project of this one.
    return (await hasImports(projectId)) ? findImported(projectId, value) : undefined;
  };
}
