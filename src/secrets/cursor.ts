import { timingSafeEqual } from "node:crypto";
import type { Keyring } from "./keyring.ts";

const MAC_BYTES = 16;

/**
 * Makes a cursor: where a list goes on, for one query alone.
 *
 * @param query what the cursor is bound to: the method, the project, the filters; plain JSON values
 * @param position where to go on
 */
export function createCursor(keyring: Keyring, query: unknown, position: string): string {
  return Buffer.concat([macOf(keyring, query, position), Buffer.from(position)]).toString("base64url");
}

/** The position in a cursor; undefined for one that was changed, cut, or made for another query. */
export function readCursor(keyring: Keyring, query: unknown, cursor: string): string | undefined {
  const bytes = Buffer.from(cursor, "base64url");
  // Node's decoder skips what is no base64url; only the one spelling is ours.
  if (bytes.length < MAC_BYTES || bytes.toString("base64url") !== cursor) return undefined;
  const position = bytes.subarray(MAC_BYTES).toString();
  return timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(keyring, query, position)) ? position : undefined;
}

function macOf(keyring: Keyring, query: unknown, position: string): Buffer {
  return keyring.signCursor(JSON.stringify([query, position])).subarray(0, MAC_BYTES);
}
