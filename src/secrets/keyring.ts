import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { drawRandomBytes } from "../lib/draw-random-bytes.ts";

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";

/** What the data key is used for: one derived key each, so that no use weakens another. */
const PURPOSES = {
  keyHash: "keysvc key hash",
  importedKeyHash: "keysvc imported key hash",
  credentialHash: "keysvc credential hash",
  keyValue: "keysvc key value",
  cursor: "keysvc cursor",
  signingSecret: "keysvc signing secret",
};

/** Hashes and encrypts under the data key, the random key that the master secret wraps. */
export interface Keyring {
  /** HMAC-SHA-256 of a key's value, by which it is looked up. */
  hashKey(value: string): Buffer;
  /**
   * HMAC-SHA-256 of a key that was imported into a project.
   *
   * @param sha256 the SHA-256 of its value
   */
  hashImportedKey(projectId: string, sha256: Buffer): Buffer;
  /** HMAC-SHA-256 of a project or operator credential. */
  hashCredential(value: string): Buffer;
  /** Encrypts a key's value for one key id (AES-256-GCM): it decrypts under no other. */
  encryptKey(value: string, keyId: string): Buffer;
  /** Decrypts what encryptKey made. Throws when it was changed, or made for another key. */
  decryptKey(ciphertext: Buffer, keyId: string): string;
  /** Encrypts a secret that signs the events of a project, for this project alone (AES-256-GCM). */
  encryptSigningSecret(value: string, projectId: string): Buffer;
  /** Decrypts what encryptSigningSecret made. Throws when it was changed, or made for another project. */
  decryptSigningSecret(ciphertext: Buffer, projectId: string): string;
  /** HMAC-SHA-256 of the text of a cursor. */
  signCursor(text: string): Buffer;
}

export function createKeyring(dataKey: Buffer): Keyring {
  const derived = (purpose: string) => Buffer.from(hkdfSync("sha256", dataKey, "", purpose, KEY_BYTES));
  // Key objects, because Node would make one of a buffer at every call, which costs more than the hash.
  const keyHash = createSecretKey(derived(PURPOSES.keyHash));
  const importedKeyHash = createSecretKey(derived(PURPOSES.importedKeyHash));
  const credentialHash = createSecretKey(derived(PURPOSES.credentialHash));
  const cursor = createSecretKey(derived(PURPOSES.cursor));
  const keyValue = createSecretKey(derived(PURPOSES.keyValue));
  const signingSecret = createSecretKey(derived(PURPOSES.signingSecret));
  return {
    hashKey: (value) => createHmac("sha256", keyHash).update(value).digest(),
    hashImportedKey: (projectId, sha256) =>
      createHmac("sha256", importedKeyHash).update(`${projectId}:`).update(sha256).digest(),
    hashCredential: (value) => createHmac("sha256", credentialHash).update(value).digest(),
    encryptKey: (value, keyId) => seal(keyValue, Buffer.from(value), keyId),
    decryptKey: (ciphertext, keyId) => open(keyValue, ciphertext, keyId).toString(),
    encryptSigningSecret: (value, projectId) => seal(signingSecret, Buffer.from(value), projectId),
    decryptSigningSecret: (ciphertext, projectId) => open(signingSecret, ciphertext, projectId).toString(),
    signCursor: (text) => createHmac("sha256", cursor).update(text).digest(),
  };
}

/** Makes a data key. */
export function createDataKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Wraps the data key under the master secret. The salt is kept beside it. */
export function wrapDataKey(dataKey: Buffer, secret: string, salt: Buffer): Buffer {
  return seal(wrappingKey(secret, salt), dataKey, "keysvc data key");
}

/** Unwraps the data key. Throws when the secret is not the one that it was wrapped under. */
export function unwrapDataKey(wrapped: Buffer, secret: string, salt: Buffer): Buffer {
  return open(wrappingKey(secret, salt), wrapped, "keysvc data key");
}

function wrappingKey(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, "keysvc master secret", KEY_BYTES));
}

/** IV, tag and ciphertext in one. */
function seal(key: KeyObject | Buffer, plaintext: Buffer, context: string): Buffer {
  const iv = drawRandomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

function open(key: KeyObject | Buffer, sealed: Buffer, context: string): Buffer {
  const iv = sealed.subarray(0, IV_BYTES);
  const tag = sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}
