import type { Binary } from "mongodb";

/** Every API of the project. */
export const ANY_API = "*";

/** A key as it is stored, in the collection `keys`. Its value is not: only its HMAC, and, where wanted, a ciphertext. */
export interface Key {
  _id: string;
  projectId: string;
  consumerId: string;
  hash: Binary | Buffer;
  /** The value under the data key, for /consumer/keys; null where values are not to be recoverable. */
  ciphertext: Binary | Buffer | null;
  /** The end of the value, for masking; null for an imported key, whose value was never here. */
  lastSix: string | null;
  /** Values that were rotated away and still validate for a while. */
  previous: { hash: Binary | Buffer; validUntil: Date }[];
  /** Whether it came from another service, as a SHA-256 hash. */
  isImported: boolean;
  name: string | null;
  status: "active" | "disabled";
  allowedApis: string[];
  /** null for an imported key. */
  prefix: string | null;
  expiresAt: Date | null;
  /** JSON text, as with consumers. */
  metadata: string;
  createdAt: Date;
  updatedAt: Date;
}

/** Whether a key may call an API of its project. */
export function allowsApi({ allowedApis }: Pick<Key, "allowedApis">, apiId: string): boolean {
  return allowedApis.includes(ANY_API) || allowedApis.includes(apiId);
}
