import { KEY_BYTES_MAX } from "./find-key.ts";
import { cleanText, redactText, type Secrets } from "./redact.ts";

/** How many characters of a body are recorded. */
const CHARACTERS_MAX = 1_000;
/** Enough for them where keys stand between them, which redacting makes shorter, and for a key, escaped, that begins with the last. */
const BYTES_MAX = 3 * 4 * CHARACTERS_MAX + 3 * KEY_BYTES_MAX;

const TEXTUAL =
  /^(?:text\/(?!event-stream\b)[^;\s]+|application\/(?:json|jsonl|(?:x-)?(?:ndjson|yaml|javascript)|xml|x-www-form-urlencoded)|[^;\s/]+\/[^;\s]+\+(?:json|xml|yaml))\s*(?:;|$)/i;

/** Whether a body is a text that can be recorded. */
export function isTextual(contentType: string | undefined, contentEncoding: string | undefined): boolean {
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity") return false;
  const type = contentType?.trim() ?? "";
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1]?.toLowerCase() ?? "utf-8";
  return TEXTUAL.test(type) && ["utf-8", "utf8", "us-ascii", "ascii"].includes(charset);
}

/** The begin of a body, gathered while it passes. */
export class BodyCapture {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isCut = false;

  /** Takes a piece. What is kept of it is a copy: its owner may use it again. */
  take(chunk: Uint8Array): void {
    const room = BYTES_MAX - this.#bytes;
    if (chunk.byteLength > room) this.#isCut = true;
    if (room <= 0 || chunk.byteLength === 0) return;
    // Of a Buffer, slice would be a view.
    const kept = new Uint8Array(chunk.subarray(0, room));
    this.#bytes += kept.byteLength;
    this.#chunks.push(kept);
  }

  /** The first 1,000 characters, without the secrets; undefined when there is nothing. */
  text(secrets: Secrets): string | undefined {
    const bytes = this.#joined();
    const text = decodeBegin(bytes, this.#isCut);
    const end = this.#isCut ? decodeBegin(bytes.subarray(0, surelyWhole(bytes, secrets)), true).length : text.length;
    return firstCharacters(cleanText(redactText(text, secrets, end))) || undefined;
  }

  #joined(): Uint8Array {
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    return bytes;
  }
}

/** A text; where it goes on, without a character of which the end is missing. */
function decodeBegin(bytes: Uint8Array, goesOn: boolean): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: goesOn });
}

/** How many bytes are not of a secret that goes on behind the last of them. Escaped, it is three times as long. */
function surelyWhole(bytes: Uint8Array, secrets: Secrets): number {
  return Math.max(0, bytes.byteLength - 3 * Math.max(0, ...secrets.bytes.map(({ length }) => length)));
}

function firstCharacters(text: string): string {
  if (text.length <= CHARACTERS_MAX) return text;
  let end = 0;
  for (let count = 0; count < CHARACTERS_MAX && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
