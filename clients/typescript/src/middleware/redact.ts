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

/** The text without the secrets, wherever they stand, percent-encoded too. */
export function redactText(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of longestFirst(secrets)) {
    redacted = redacted.replaceAll(secret, REDACTED);
    if (redacted.includes("%")) redacted = redactEncoded(redacted, secret);
  }
  return redacted;
}

/** One secret may be part of another. */
function longestFirst(secrets: readonly string[]): readonly string[] {
  if (secrets.length < 2) return secrets.filter((secret) => secret !== "");
  return [...secrets].sort((a, b) => b.length - a.length).filter((secret) => secret !== "");
}

/** Looks for the secret in the decoded text, and takes out of the text what it came from. */
function redactEncoded(text: string, secret: string): string {
  const pieces = text.match(/%[0-9a-f]{2}|[\s\S]/gi) ?? [];
  const decoded = pieces.map((piece) =>
    piece.length === 3 ? String.fromCharCode(Number.parseInt(piece.slice(1), 16)) : piece,
  );
  // Escapes are bytes, and so are sought the bytes of the secret.
  const sought = [...new TextEncoder().encode(secret)].map((byte) => String.fromCharCode(byte)).join("");
  const whole = decoded.join("");
  let redacted = "";
  let from = 0;
  for (let at = whole.indexOf(sought); at !== -1; at = whole.indexOf(sought, from)) {
    redacted += pieces.slice(from, at).join("") + REDACTED;
    from = at + sought.length;
  }
  return from === 0 ? text : redacted + pieces.slice(from).join("");
}

/** A query as it was sent, without the values of the parameter that has the key and of those whose names tell of a secret. */
export function redactQuery(query: string, keyName: string | undefined, secrets: readonly string[]): string {
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
  secrets: readonly string[],
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
