import { bytes } from "../mongo/bytes.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { rotateSecrets, validSecrets } from "./secret.ts";
import { createSigningSecret, type Signed, signatureHeaders } from "./signature.ts";
import type { WebhookStore } from "./store.ts";

export interface SignerOptions {
  store: Pick<WebhookStore, "findSecrets" | "insertSecrets">;
  keyring: Pick<Keyring, "encryptSigningSecret" | "decryptSigningSecret">;
}

/**
 * Signs with the secrets of a project that are valid. A project that has none gets one: nobody knows it before a rotation
 * shows the next, but no event leaves unsigned.
 *
 * @returns the headers of the signature
 */
export async function signFor(
  projectId: string,
  signed: Signed,
  nowMs: number,
  { store, keyring }: SignerOptions,
): Promise<Record<string, string>> {
  const stored = (await store.findSecrets(projectId)) ?? (await makeSecrets(projectId, nowMs, { store, keyring }));
  const secrets = validSecrets(stored, nowMs).map((value) => keyring.decryptSigningSecret(bytes(value), projectId));
  return signatureHeaders(signed, secrets);
}

async function makeSecrets(projectId: string, nowMs: number, { store, keyring }: SignerOptions) {
  const value = keyring.encryptSigningSecret(createSigningSecret(), projectId);
  const made = rotateSecrets(null, projectId, value, 0, nowMs);
  if (await store.insertSecrets(made)) return made;
  const others = await store.findSecrets(projectId);
  if (others === undefined) throw new Error("the signing secret vanished while it was made");
  return others;
}
