import { createHash } from "node:crypto";
import { shareLookUp } from "../lib/shared-look-up.ts";
import { ShortMemory } from "../lib/short-memory.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Key } from "./key.ts";
import { isKeyValue } from "./key-value.ts";

export interface FindKeyOptions<Found> {
  /** The key that has or had a value with this HMAC, in whichever project; undefined when there is none. */
  find: (hash: Buffer) => Promise<Found | undefined>;
  /** Whether the project may have keys that are to be looked up by the SHA-256 of their values. */
  hasImports: (projectId: string) => Promise<boolean>;
  keyring: Pick<Keyring, "hashKey" | "hashImportedKey">;
  /** A clock that only goes forward, in milliseconds. */
  monotonicMs: () => number;
}

/** The key of the project that a value belongs to, or has belonged to; undefined when there is none. */
export type FindKey<Found> = (projectId: string, value: string) => Promise<Found | undefined>;

/** A key that was imported validates within 200 ms on every node; the rest is for the look-up itself. */
const REMEMBERED_MS = 150;
const REMEMBERED_MAX = 10_000;

/**
 * Finds keys by their values: those that were made here by HMAC, those that were imported by SHA-256. Only refusals are
 * ever answered from memory: that a project has no imports, and that a value is none of its imports. So garbage costs a
 * project without imports no look-up, and a value that is asked for again and again costs one in a while.
 */
export function createKeyFinder<Found extends { key: Pick<Key, "projectId"> }>({
  find,
  keyring,
  monotonicMs,
  ...options
}: FindKeyOptions<Found>): FindKey<Found> {
  const bounds = { ageMaxMs: REMEMBERED_MS, entriesMax: REMEMBERED_MAX, monotonicMs };
  const hasImports = shareLookUp((projectId) => options.hasImports(projectId ?? ""), bounds);
  /** Hashes of values that no key has or had. */
  const unknown = new ShortMemory<true>(bounds);

  async function findUnlessUnknown(hash: Buffer): Promise<Found | undefined> {
    const id = hash.toString("latin1");
    if (unknown.get(id)) return undefined;
    const sinceMs = monotonicMs();
    const found = await find(hash);
    if (found === undefined) unknown.set(id, true, sinceMs);
    return found;
  }

  async function findImported(projectId: string, value: string): Promise<Found | undefined> {
    const sha256 = createHash("sha256").update(value).digest();
    return findUnlessUnknown(keyring.hashImportedKey(projectId, sha256));
  }

  return async (projectId, value) => {
    const made = isKeyValue(value) ? await findUnlessUnknown(keyring.hashKey(value)) : undefined;
    if (made?.key.projectId === projectId) return made;
    // A value of our form may come from another installation, or from another project of this one.
    return (await hasImports(projectId)) ? findImported(projectId, value) : undefined;
  };
}
