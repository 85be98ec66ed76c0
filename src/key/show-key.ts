import { bytes } from "../mongo/bytes.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { maskedValue } from "./key.ts";
import type { KeyStore } from "./store.ts";

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
