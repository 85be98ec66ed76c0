import type { GatewayMethod, JsonField, JsonMessage } from "../gen/gateway.js";

/** What callers over JSON rely on. */
export interface JsonSurface {
  methods: readonly Pick<GatewayMethod, "path" | "scope" | "maxRequestBytes" | "streaming">[];
  /** By the names of their types. */
  messages: Readonly<Record<string, JsonMessage>>;
  /** The words of an enum by number; null: no word. */
  enums: Readonly<Record<string, readonly (string | null)[]>>;
}

/** How a value looks: what may not change. */
const SHAPE = ["kind", "type", "list", "nullable", "omitWhenUnset", "omitWithout", "inline"] as const;
/** What a request may be written like: may be had, but not lost. */
const LENIENCE = ["singleOrList", "stringOrNumber"] as const;

/**
 * What breaks callers over JSON that a release served, a line each. `buf breaking` knows names and numbers; paths, scopes,
 * words and rules are options, which it does not look at.
 */
export function jsonBreaks(released: JsonSurface, now: JsonSurface): string[] {
  return [
    ...released.methods.flatMap((method) => methodBreaks(method, now.methods)),
    ...Object.entries(released.messages).flatMap(([type, message]) => messageBreaks(type, message, now.messages[type])),
    ...Object.entries(released.enums).flatMap(([type, words]) =>
      words.flatMap((word, number) =>
        word === null || now.enums[type]?.[number] === word ? [] : [`the word ${word} of ${type} is gone`],
      ),
    ),
  ];
}

function methodBreaks(method: JsonSurface["methods"][number], methods: JsonSurface["methods"]): string[] {
  const { path, scope, maxRequestBytes, streaming } = method;
  const same = methods.find((candidate) => candidate.path === path);
  if (same === undefined) return [`${path} is gone`];
  return [
    ...(same.scope === scope ? [] : [`${path} needs the scope ${same.scope}, not ${scope}`]),
    ...(same.maxRequestBytes >= maxRequestBytes ? [] : [`${path} takes ${same.maxRequestBytes} bytes at most`]),
    ...(same.streaming === streaming ? [] : [`${path} ${streaming ? "streams no more" : "streams"}`]),
  ];
}

function messageBreaks(type: string, released: JsonMessage, now: JsonMessage | undefined): string[] {
  if (now === undefined) return [`${type} is gone`];
  const known = new Set(released.fields.map(({ name }) => name));
  const added = now.fields.filter(({ name, required }) => required && !known.has(name));
  return [
    ...released.fields.flatMap((field) => {
      const same = now.fields.find(({ name }) => name === field.name);
      return same === undefined ? [`${type}.${field.name} is gone`] : fieldBreaks(`${type}.${field.name}`, field, same);
    }),
    ...added.map(({ name }) => `${type}.${name} is new, and required`),
  ];
}

function fieldBreaks(name: string, released: JsonField, now: JsonField): string[] {
  return [
    ...SHAPE.filter((flag) => released[flag] !== now[flag]).map((flag) => `${name} has another ${flag}`),
    ...LENIENCE.filter((flag) => released[flag] && !now[flag]).map((flag) => `${name} is ${flag} no more`),
    ...(now.required && !released.required ? [`${name} is required`] : []),
    ...((now.itemsMax ?? Number.POSITIVE_INFINITY) < (released.itemsMax ?? Number.POSITIVE_INFINITY)
      ? [`${name} takes ${now.itemsMax} at most`]
      : []),
  ];
}
