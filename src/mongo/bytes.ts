import type { Binary } from "mongodb";

/** Bytes that were stored: the driver answers its own type for what was written as a Buffer. */
export function bytes(value: Binary | Buffer): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer);
}
