import { crc32 } from "node:zlib";
import { drawRandomBytes } from "../lib/draw-random-bytes.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 27 characters of 62 are 160.7 bits. */
const RANDOM_CHARACTERS = 27;
/** 62^6 exceeds 2^32, so that a checksum always fits. */
const CHECKSUM_CHARACTERS = 6;
const FORM = new RegExp(`^[A-Za-z0-9_]+_[A-Za-z0-9]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

/**
 * Makes a key's value, `<prefix>_<27 random characters><6 of checksum>`. The checksum lets garbage be refused without a
 * look-up, and scanners tell a real key from one that looks like it.
 */
export function createKeyValue(prefix: string): string {
  const body = `${prefix}_${randomText()}`;
  return body + checksum(body);
}

/** Whether a value could be one of ours: the form is right, and the checksum fits. */
export function isKeyValue(value: string): boolean {
  if (!FORM.test(value)) return false;
  return checksum(value.slice(0, -CHECKSUM_CHARACTERS)) === value.slice(-CHECKSUM_CHARACTERS);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let index = 0; index < CHECKSUM_CHARACTERS; index++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/** Characters that are equally likely: bytes beyond the last whole multiple of 62 are drawn again. */
function randomText(): string {
  const limit = 256 - (256 % ALPHABET.length);
  let text = "";
  while (text.length < RANDOM_CHARACTERS) {
    for (const byte of drawRandomBytes(RANDOM_CHARACTERS)) {
      if (byte < limit) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text.slice(0, RANDOM_CHARACTERS);
}
