import { drawRandomBytes } from "./draw-random-bytes.ts";

/** Crockford's base 32 in lower case: no i, l, o, u. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARACTERS = 10;
const RANDOM_PAIRS = 8;
/** Every two characters: each call has an id, and half the steps are half the time. */
const PAIRS = Array.from({ length: 1_024 }, (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31));

export type IdPrefix =
  | "consumer"
  | "key"
  | "api"
  | "plan"
  | "project"
  | "credential"
  | "audit"
  | "req"
  | "evt"
  | "node";

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
  return `${prefix}_${encodeTime(nowMs)}`;
}

/** The last time that was written: a busy service makes many ids in each millisecond. */
let lastMs = 0;
let lastText = "0".repeat(TIME_CHARACTERS);

function encodeTime(nowMs: number): string {
  if (nowMs === lastMs) return lastText;
  let time = nowMs;
  let text = "";
  for (let index = 0; index < TIME_CHARACTERS; index++) {
    text = ALPHABET.charAt(time % 32) + text;
    time = Math.floor(time / 32);
  }
  lastMs = nowMs;
  lastText = text;
  return text;
}

/** 16 characters of 5 random bits each. */
function randomCharacters(): string {
  const bytes = drawRandomBytes(RANDOM_PAIRS * 2);
  let text = "";
  // 10 bits of every 16: as likely as each other, and without a division.
  for (let at = 0; at < bytes.length; at += 2) text += PAIRS[bytes.readUInt16BE(at) & 1_023];
  return text;
}
