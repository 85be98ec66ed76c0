import type { Keyring } from "../secrets/keyring.ts";
import type { Key } from "./key.ts";
import type { KeyStore } from "./store.ts";

const MASK = "********";

/** A key's value with all but its end hidden. Of an imported key not even the end is known. */
export function maskedValue({ lastSix }: Pick<Key, "lastSix">): string {
  return MASK + (lastSix ?? "");
}

/** The keys of a consumer, oldest first, their values in clear where they are recoverable. */
export async function listKeysOf(
  store: Pick<KeyStore, "findOfConsumer">,
  keyring: Pick<Keyring, "decryptKey">,
  projectId: string,
  consumerId: string,
) {
  const keys = await store.findOfConsumer(projectId, consumerId);
  return keys.map((key) => ({
    keyId: key._id,
    value: key.ciphertext === null ? maskedValue(key) : keyring.decryptKey(bytes(key.ciphertext), key._id),
    status: key.status,
    createdAt: key.createdAt,
    allowedApis: key.allowedApis,
  }));
}

function bytes(value: NonNullable<Key["ciphertext"]>): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer);
}
