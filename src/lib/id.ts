import { drawRandomBytes } from "./draw-random-bytes.ts";

/** Crockford's base 32 in lower case: no i, l, o, u. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARACTERS = 10;
const RANDOM_BYTES = 10;

export type IdPrefix = "consumer" | "key" | "api" | "plan" | "project" | "credential" | "audit" | "req" | "evt";

/**
 * Makes an id such as `consumer_01jd…`: 48 bits of time, so that ids sort by age, and 80 random bits, so that nobody
 * guesses one (the layout of a ULID).
 *
 * @param prefix what the id stands for
 * @param nowMs epoch milliseconds
 */
export function createId(prefix: IdPrefix, nowMs: number): string {
  return idsSince(prefix, nowMs) + randomCharacters();
}

/** The least that an id of this time can be, and no id of an earlier time reaches. */
export function idsSince(prefix: IdPrefix, nowMs: number): string {
  let time = nowMs;
  let encodedTime = "";
  for (let index = 0; index < TIME_CHARACTERS; index++) {
    encodedTime = ALPHABET.charAt(time % 32) + encodedTime;
    time = Math.floor(time / 32);
  }
  return `${prefix}_${encodedTime}`;
}

/** 16 characters of 5 random bits each. */
function randomCharacters(): string {
  const bytes = drawRandomBytes(RANDOM_BYTES);
  let text = "";
  for (let group = 0; group < RANDOM_BYTES; group += 5) {
    // 5 bytes are 8 characters; the number stays below 2^40 and is exact.
    let bits = bytes.readUIntBE(group, 5);
    for (let index = 0; index < 8; index++) {
      text += ALPHABET.charAt(bits % 32);
      bits = Math.floor(bits / 32);
    }
  }
  return text;
}
