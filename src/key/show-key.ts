import { bytes } from "../mongo/bytes.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Key } from "./key.ts";
import type { KeyStore } from "./store.ts";

const MASK = "********";

/** A key's value with all but its end hidden. Of an imported key not even the end is known. */
export function maskedValue({ lastSix }: Pick<Key, "lastSix">): string {
  return MASK + (lastSix ?? "");
}

export interface ShowKeysOptions {
  store: Pick<KeyStore, "findOfConsumer">;
  keyring: Pick<Keyring, "decryptKey">;
  /** Whether values are shown: where not, neither are those that were kept before. */
  recoverable: boolean;
}

/** The keys of a consumer, oldest first, their values in clear where they are recoverable. */
export async function listKeysOf(
  { store, keyring, recoverable }: ShowKeysOptions,
  projectId: string,
  consumerId: string,
) {
  const keys = await store.findOfConsumer(projectId, consumerId);
  return keys.map((key) => ({
    keyId: key._id,
    value:
      recoverable && key.ciphertext !== null ? keyring.decryptKey(bytes(key.ciphertext), key._id) : maskedValue(key),
    status: key.status,
    createdAt: key.createdAt,
    allowedApis: key.allowedApis,
  }));
}
