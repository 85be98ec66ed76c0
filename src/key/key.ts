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
  /** The end of the value, for masking. */
  lastSix: string;
  name: string | null;
  status: "active" | "disabled";
  allowedApis: string[];
  prefix: string;
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
