import type { Binary } from "mongodb";

/** Every API of the project. */
export const ANY_API = "*";
export const PREFIX_DEFAULT = "sk";
/** Keys that a consumer can own. */
export const KEYS_PER_CONSUMER_MAX = 10_000;
/** Values of a key that were rotated away and still validate. */
export const PREVIOUS_VALUES_MAX = 20;

/** A key as it is stored, in the collection `keys`. Its value is not: only its HMAC, and, where wanted, a ciphertext. */
export interface Key {
  /** Carries the time of creation, so that keys sorted by id are sorted by age. */
  _id: string;
  projectId: string;
  consumerId: string;
  /** Of the value, or of the SHA-256 of a value that was imported. */
  hash: Binary | Buffer;
  /** The value under the data key, for /consumer/keys; null where values are not to be recoverable. */
  ciphertext: Binary | Buffer | null;
  /** The end of the value, for masking; null while the value is an imported one, which was never here. */
  lastSix: string | null;
  /** Values that were rotated away and still validate for a while; those whose time is over are removed at the next rotation. */
  previous: PreviousValue[];
  /** Whether its value, or a previous one, came from another service, and is to be looked up by its SHA-256. */
  isImported: boolean;
  name: string | null;
  status: "active" | "disabled";
  allowedApis: string[];
  /** null while the value is an imported one. */
  prefix: string | null;
  expiresAt: Date | null;
  /** JSON text, as with consumers. */
  metadata: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface PreviousValue {
  hash: Binary | Buffer;
  validUntil: Date;
  isImported: boolean;
}

/** What a key keeps of its value. */
export type StoredValue = Pick<Key, "hash" | "ciphertext" | "lastSix" | "prefix">;

/** What an update changes; absent fields stay. */
export type KeyChange = Partial<Pick<Key, "name" | "status" | "allowedApis" | "expiresAt" | "metadata">>;

/** Whether a key may call an API of its project. */
export function allowsApi({ allowedApis }: Pick<Key, "allowedApis">, apiId: string): boolean {
  return allowedApis.includes(ANY_API) || allowedApis.includes(apiId);
}

const MASK = "********";
const SHOWN_CHARACTERS = 6;
/** A text so short is no key of ours; its end would be too much of it. */
const SHOWN_LENGTH_MIN = 3 * SHOWN_CHARACTERS;

/** A key's value with all but its end hidden. Of an imported key not even the end is known. */
export function maskedValue({ lastSix }: Pick<Key, "lastSix">): string {
  return MASK + (lastSix ?? "");
}

/** The same of a value that was presented, whether or not it is a key. */
export function maskValue(value: string): string {
  return value.length < SHOWN_LENGTH_MIN ? MASK : MASK + endOf(value, SHOWN_CHARACTERS);
}

/** Ends with what follows the last character that hides others, in the ways that are common. */
const AFTER_HIDDEN = /[^*•…]*$/;

/**
 * The same of a value that somebody else has recorded, and may have masked: what was hidden stays so, and of a short text no
 * more than half is shown.
 */
export function maskRecorded(value: string): string {
  const shown = value.slice(value.search(AFTER_HIDDEN));
  if (shown === value) return maskValue(value);
  return MASK + endOf(shown, Math.min(SHOWN_CHARACTERS, Math.floor(value.length / 2)));
}

/** The last characters, or one less where that would part one from its other half. */
function endOf(value: string, count: number): string {
  const end = value.slice(Math.max(0, value.length - count));
  return end.isWellFormed() ? end : end.slice(1);
}

/** When the last of the previous values stops validating; null when none validates at `nowMs`. */
export function previousValidUntil({ previous }: Pick<Key, "previous">, nowMs: number): Date | null {
  const last = Math.max(...previous.map(({ validUntil }) => validUntil.getTime()));
  return last > nowMs ? new Date(last) : null;
}

/**
 * The key with a new value. The old one validates for the grace from now on, values before it as long as they were to.
 */
export function withNewValue(key: Key, value: StoredValue, graceSeconds: number, nowMs: number): Key {
  const validUntil = new Date(nowMs + graceSeconds * 1_000);
  const old: PreviousValue = { hash: key.hash, validUntil, isImported: key.lastSix === null };
  const previous = [...key.previous, old].filter((one) => one.validUntil.getTime() > nowMs);
  const isImported = previous.some((one) => one.isImported);
  return { ...key, ...value, previous, isImported, updatedAt: new Date(nowMs) };
}
