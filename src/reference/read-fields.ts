import type { JsonSchema } from "../../gen/openapi.js";
import { formatCount } from "../lib/format-count.ts";

/** A field of a message, as the reference shows it. */
export interface Field {
  /** Its path from the message, such as `credits.refill.every` or `keys[].name`. */
  path: string;
  /** Such as "array of string, or null". */
  type: string;
  required: boolean;
  description: string;
  /** What a value must keep to, such as "1 to 200". */
  rules: string[];
  /** The words that it may be, each with what it means. */
  words: [word: string, meaning: string][];
}

/** The schemas of the document, by name. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

/** A message that refers to itself is shown once on a path. */
const DEPTH_MAX = 6;

/** The fields of a message, those of messages within it after the field that holds them. */
export function readFields(schema: JsonSchema, schemas: Schemas, prefix = "", depth = 0): Field[] {
  if (depth > DEPTH_MAX) return [];
  const message = resolve(schema, schemas);
  const alternatives = message.anyOf ?? [];
  if (alternatives.length > 0) return alternatives.flatMap((part) => readFields(part, schemas, prefix, depth));
  return Object.entries(message.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const { value, isList } = unwrap(property, schemas);
    const field: Field = {
      path,
      type: describeType(property, schemas),
      required: message.required?.includes(name) ?? false,
      description: property.description ?? value.description ?? "",
      rules: describeRules(property, schemas),
      words: Object.entries(value["x-enumDescriptions"] ?? {}),
    };
    return [field, ...readFields(value, schemas, `${path}${isList ? "[]" : ""}.`, depth + 1)];
  });
}

/** The schema that a reference leads to. */
export function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.split("/").at(-1) ?? "";
  const found = schemas[name];
  if (found === undefined) throw new Error(`no schema ${name}`);
  return found;
}

/** Without null, and without the list around it: what a value is in the end. */
function unwrap(schema: JsonSchema, schemas: Schemas): { value: JsonSchema; isList: boolean } {
  const resolved = resolve(schema, schemas);
  if (resolved.items !== undefined) return { value: unwrap(resolved.items, schemas).value, isList: true };
  const [first, ...others] = withoutNull(resolved);
  if (first === undefined || first === resolved || others.length > 0) return { value: resolved, isList: false };
  return unwrap(first, schemas);
}

/** What a value may be besides null; a lone value that stands for a list of one counts as the value. */
function withoutNull(schema: JsonSchema): JsonSchema[] {
  const parts = (schema.anyOf ?? [schema]).filter(({ type }) => type !== "null");
  const [single, list] = parts;
  return parts.length === 2 && single !== undefined && list?.items !== undefined ? [single] : parts;
}

function describeType(schema: JsonSchema, schemas: Schemas): string {
  if (schema.$ref !== undefined) return "object";
  if (schema.anyOf !== undefined) {
    const parts = schema.anyOf.map((part) => describeType(part, schemas));
    return [...new Set(parts)].join(" or ");
  }
  if (schema.items !== undefined) return withNull(`array of ${describeType(schema.items, schemas)}`, schema);
  if (schema.format === "date-time" || schema.format === "iso-8601") return withNull("ISO 8601 time", schema);
  return [schema.type ?? "any"].flat().join(" or ");
}

function withNull(text: string, { type }: JsonSchema): string {
  return Array.isArray(type) && type.includes("null") ? `${text} or null` : text;
}

/** The rules of a value, those of the elements of a list among them. */
function describeRules(schema: JsonSchema, schemas: Schemas): string[] {
  const { items, anyOf = [], pattern } = schema;
  const own = [
    range(schema.minimum, schema.maximum),
    range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "elements"),
    schema.uniqueItems ? "each once" : undefined,
    pattern === undefined ? undefined : `matches ${pattern}`,
  ].filter((rule) => rule !== undefined);
  const within = [...(items === undefined ? [] : [items]), ...anyOf].flatMap((part) =>
    part.$ref === undefined ? describeRules(part, schemas) : [],
  );
  return [...new Set([...own, ...within])];
}

function range(from: number | undefined, to: number | undefined, unit?: string): string | undefined {
  const tail = unit === undefined ? "" : ` ${unit}`;
  if (from !== undefined && to !== undefined) return `${formatCount(from)} to ${formatCount(to)}${tail}`;
  if (from === 1 && unit !== undefined) return "not empty";
  if (from !== undefined) return `at least ${formatCount(from)}${tail}`;
  return to === undefined ? undefined : `at most ${formatCount(to)}${tail}`;
}
