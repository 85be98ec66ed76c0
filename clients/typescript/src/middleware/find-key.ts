/** Where the key of a request is. */
export interface KeySource {
  location: "header" | "query" | "cookie";
  name: string;
  /** Headers alone have a scheme. */
  bearer: boolean;
}

/** What was found: no key, a text that cannot be one, or a key. `secrets` are all texts that may be keys: none is ever recorded. */
export type FoundKey =
  | { kind: "missing" }
  | { kind: "malformed"; secrets: string[] }
  | { kind: "key"; key: string; secrets: string[] };

/** The parts of a request that may have a key. */
export interface KeyCarrier {
  /** All values of a header, as they were sent; its name is in lower case. */
  headerValues(name: string): string[];
  /** Without the question mark, as it was sent. */
  query: string;
}

/** The longest key that the service takes. */
export const KEY_BYTES_MAX = 8_192;
const VISIBLE_ASCII = /^[!-~]+$/;
/** A name of a header or a cookie. */
export const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Looks for the key. Which of several values is meant, nobody can say: then it is malformed. */
export function findKey(source: KeySource, carrier: KeyCarrier): FoundKey {
  const values = valuesOf(source, carrier).map((value) => value.trim());
  const [first] = values;
  if (first === undefined) return { kind: "missing" };
  const read = (value: string) => (source.bearer ? withoutScheme(value) : value);
  if (values.some((value) => value !== first)) {
    // What another scheme has is a secret as a whole.
    return { kind: "malformed", secrets: values.map((value) => read(value) || value) };
  }
  return judgeKey(read(first));
}

/** Whether a text can be a key, without the white space around it. */
export function judgeKey(text: string): FoundKey {
  const key = text.trim();
  if (key === "") return { kind: "missing" };
  if (key.length > KEY_BYTES_MAX || !VISIBLE_ASCII.test(key)) return { kind: "malformed", secrets: [key] };
  return { kind: "key", key, secrets: [key] };
}

function valuesOf({ location, name }: KeySource, carrier: KeyCarrier): string[] {
  switch (location) {
    case "header":
      return carrier.headerValues(name.toLowerCase());
    case "query":
      return queryValues(carrier.query, name);
    case "cookie":
      return carrier.headerValues("cookie").flatMap((header) => cookieValues(header, name));
  }
}

/** What follows `Bearer`; nothing where another scheme is used, or none. */
function withoutScheme(value: string): string {
  return /^bearer[ \t]+(.*)$/is.exec(value)?.[1] ?? "";
}

function queryValues(query: string, name: string): string[] {
  return new URLSearchParams(query).getAll(name);
}

function cookieValues(header: string, name: string): string[] {
  return header.split(";").flatMap((part) => {
    const equals = part.indexOf("=");
    if (equals === -1 || part.slice(0, equals).trim() !== name) return [];
    const value = part.slice(equals + 1).trim();
    return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
  });
}
