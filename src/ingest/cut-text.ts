/** What is kept of a body, in bytes of UTF-8. */
const BODY_MAX_BYTES = 2_048;
/** The most bytes that a UTF-16 unit takes in UTF-8. */
const UNIT_BYTES_MAX = 3;

const encoder = new TextEncoder();
const room = new Uint8Array(BODY_MAX_BYTES);

/** The beginning of a body that is kept: as many whole characters as 2,048 bytes hold. */
export function cutBody(text: string): string {
  if (text.length * UNIT_BYTES_MAX <= BODY_MAX_BYTES) return text;
  const { read } = encoder.encodeInto(text, room);
  return read === text.length ? text : text.slice(0, read);
}
