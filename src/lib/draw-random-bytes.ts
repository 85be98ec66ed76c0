import { randomBytes } from "node:crypto";

const BLOCK_BYTES = 8_192;

let block = Buffer.alloc(0);
let drawn = 0;

/**
 * Random bytes for secrets, each given out once. They are drawn in blocks, because a call into the generator costs more
 * than what most callers make of a few bytes.
 */
export function drawRandomBytes(count: number): Buffer {
  if (drawn + count > block.length) {
    // A new block: views into the old one stay as they are.
    block = randomBytes(Math.max(BLOCK_BYTES, count));
    drawn = 0;
  }
  drawn += count;
  return block.subarray(drawn - count, drawn);
}
