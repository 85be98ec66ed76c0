/** What stands where a secret stood. */
export const REDACTED = "[REDACTED]";
/** The service refuses an event whose headers are longer, in bytes. */
const HEADERS_BYTES_MAX = 16_384;

/** Parameters whose names tell of a secret: in lower case, `_` for `-`. */
const SECRET_NAMES = new Set(
  [
    [
      "key",
      "api_key",
      "apikey",
      "x_api_key",
      "token",
      "access_token",
      "refresh_token",
      "id_token",
      "auth_token",
      "jwt",
    ],
    ["secret", "client_secret", "password", "passwd", "pwd", "auth", "authorization", "signature", "sig", "code"],
    ["session", "session_id", "credential"],
  ].flat(),
);

/** How many secrets are sought. Somebody who sends more of them only wants to make work. */
const SECRETS_MAX = 16;

/** Texts that may be keys, as they are sought. */
export class Secrets {
  /** Then they are not sought: every text is hidden as a whole. */
  readonly areTooMany: boolean;
  readonly texts: readonly string[];
  /** The bytes of each, one character for a byte. */
  readonly bytes: readonly string[];

  constructor(texts: Iterable<string>) {
    const different = [...new Set(texts)].filter((text) => text !== "");
    this.areTooMany = different.length > SECRETS_MAX;
    this.texts = this.areTooMany ? [] : different;
    this.bytes = this.texts.map(bytesOf);
  }
}

function bytesOf(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join("");
}

/**
 * The text without the secrets, wherever they stand, percent-encoded too. All are sought in the text as it came: a secret that
 * is a part of what stands for another would make the text grow with each of them.
 *
 * @param end where the text ends that is wanted: what begins before it is sought beyond it too
 */
export function redactText(text: string, secrets: Secrets, end = text.length): string {
  if (secrets.areTooMany) return text === "" ? "" : REDACTED;
  const plain = secrets.texts.flatMap((secret) => spansOf(text, secret));
  const hasEscapes = text.includes("%") && secrets.bytes.length > 0;
  const escaped = hasEscapes ? escapedSpansOf(decodeEscapes(text), secrets.bytes) : [];
  const spans = [...plain, ...escaped].sort(([a], [b]) => a - b);
  let redacted = "";
  let at = 0;
  for (const [from, to] of spans) {
    if (from >= end) break;
    // One secret may be part of another, or begin within it.
    if (from >= at) redacted += text.slice(at, from) + REDACTED;
    at = Math.max(at, to);
  }
  return redacted + text.slice(at, end);
}

type Span = [from: number, to: number];

function spansOf(text: string, secret: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    spans.push([at, at + secret.length]);
  }
  return spans;
}

/** A text without its escapes, and where each of its characters came from. */
interface DecodedText {
  decoded: string;
  starts: number[];
}

/** Escapes are bytes, and so each becomes one character. */
function decodeEscapes(text: string): DecodedText {
  const starts: number[] = [];
  let at = 0;
  const pieces = (text.match(/%[0-9a-f]{2}|[\s\S]/gi) ?? []).map((piece) => {
    starts.push(at);
    at += piece.length;
    return piece.length === 3 ? String.fromCharCode(Number.parseInt(piece.slice(1), 16)) : piece;
  });
  starts.push(at);
  return { decoded: pieces.join(""), starts };
}

function escapedSpansOf({ decoded, starts }: DecodedText, secrets: readonly string[]): Span[] {
  // Every character has a start, and so has the end.
  return secrets.flatMap((bytes) =>
    spansOf(decoded, bytes).map(([from, to]): Span => [starts[from] ?? 0, starts[to] ?? 0]),
  );
}

/** A query as it was sent, without the values of the parameter that has the key and of those whose names tell of a secret. */
export function redactQuery(query: string, keyName: string | undefined, secrets: Secrets): string {
  const ownName = keyName === undefined ? undefined : normalName(keyName);
  const parts = query.split(/([&;])/).map((part) => {
    const equals = part.indexOf("=");
    if (equals === -1) return part;
    const name = normalName(decodeName(part.slice(0, equals)));
    return name === ownName || SECRET_NAMES.has(name) ? `${part.slice(0, equals)}=${REDACTED}` : part;
  });
  return redactText(parts.join(""), secrets);
}

function decodeName(name: string): string {
  return name
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function normalName(name: string): string {
  return name.trim().toLowerCase().replaceAll("-", "_");
}

/**
 * The JSON text of an object of headers: names in lower case, several values as an array. Those in `hidden` are left out;
 * undefined when it is longer than the service takes, because a text that was cut would not be JSON.
 */
export function redactHeaders(
  headers: Iterable<readonly [name: string, value: string]>,
  hidden: ReadonlySet<string>,
  secrets: Secrets,
): string | undefined {
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (hidden.has(lower)) continue;
    const shown = redactText(lower, secrets);
    const known = values.get(shown);
    if (known === undefined) values.set(shown, [cleanText(redactText(value, secrets))]);
    else known.push(cleanText(redactText(value, secrets)));
  }
  const members = [...values].map(([name, texts]) => {
    return `${JSON.stringify(name)}:${JSON.stringify(texts.length === 1 ? texts[0] : texts)}`;
  });
  const text = `{${members.join(",")}}`;
  return new TextEncoder().encode(text).byteLength > HEADERS_BYTES_MAX ? undefined : text;
}

/** What the service takes: no NUL, no half of a character, and no more than so many UTF-16 units. */
export function cleanText(text: string, lengthMax = Number.POSITIVE_INFINITY): string {
  const whole = text.includes("\0") ? text.replaceAll("\0", "") : text;
  const cut = whole.length <= lengthMax ? whole : whole.slice(0, lengthMax - (isHigh(whole, lengthMax - 1) ? 1 : 0));
  return cut.toWellFormed();
}

function isHigh(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}
