import { cleanText, redactText } from "./redact.ts";

/** How many characters of a body are recorded. */
const CHARACTERS_MAX = 1_000;
/** Enough for them, and for keys in them that redacting makes shorter. */
const BYTES_MAX = 32_768;

const TEXTUAL =
  /^(?:text\/(?!event-stream\b)[^;\s]+|application\/(?:json|xml|yaml|javascript|x-ndjson|x-www-form-urlencoded)|[^;\s/]+\/[^;\s]+\+(?:json|xml|yaml))\s*(?:;|$)/i;

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
  text(secrets: readonly string[]): string | undefined {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    let text = this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
    if (!this.#isCut) text += decoder.decode();
    let redacted = redactText(text, secrets);
    // Where the body goes on, its end may be the begin of a key; an escaped key is three times as long.
    if (this.#isCut)
      redacted = redacted.slice(0, redacted.length - 3 * Math.max(0, ...secrets.map(({ length }) => length)));
    return firstCharacters(cleanText(redacted)) || undefined;
  }
}

function firstCharacters(text: string): string {
  if (text.length <= CHARACTERS_MAX) return text;
  let end = 0;
  for (let count = 0; count < CHARACTERS_MAX && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
