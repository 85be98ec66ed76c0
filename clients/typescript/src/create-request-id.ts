/** Crockford's base 32 in lower case: no i, l, o, u. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARACTERS = 10;
const RANDOM_BYTES = 16;

/** An id such as the service makes: 48 bits of time, so that ids sort by age, and 80 random bits. */
export function createRequestId(nowMs: number, random: Uint8Array = randomBytes()): string {
  let time = "";
  for (let rest = nowMs; time.length < TIME_CHARACTERS; rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time;
  }
  return `req_${time}${[...random].map((byte) => ALPHABET.charAt(byte & 31)).join("")}`;
}

function randomBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
}
