import { type DescEnum, type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { getComments } from "@bufbuild/protoplugin";
import { type FieldRules, field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { JsonField } from "../../gen/gateway.js";
import type { JsonMapping } from "./json-mapping.ts";

/** A JSON Schema, or a part of an OpenAPI document. */
export type Schema = Record<string, unknown>;

/** Whether a message is read from a request or written into a response: the two have other rules of presence. */
type Direction = "request" | "response";

/** The comment of the proto file on one line. */
export function comment(desc: Parameters<typeof getComments>[0]): string {
  return (getComments(desc).leading ?? "")
    .split("\n")
    .map((line) => line.trim())
    .join(" ")
    .trim();
}

/** The format of a time in a request: no format that JSON Schema knows, so that it is not taken for a narrower one. */
const ISO_TIME = "iso-8601";

/** Collects the schemas of messages as they are referred to. */
export class SchemaBuilder {
  readonly #mapping: JsonMapping;
  readonly #schemas: Map<string, Schema>;

  constructor(mapping: JsonMapping, schemas: Map<string, Schema>) {
    this.#mapping = mapping;
    this.#schemas = schemas;
  }

  reference(message: DescMessage, direction: Direction): Schema {
    const inRequestOnly = message.name.endsWith("Request");
    const name = direction === "request" && !inRequestOnly ? `${message.name}Input` : message.name;
    if (!this.#schemas.has(name)) {
      // Taken before it is built, so that a message may refer to itself.
      this.#schemas.set(name, {});
      this.#schemas.set(name, this.#build(message, direction));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #build(message: DescMessage, direction: Direction): Schema {
    const fields = this.#mapping.messages.get(message)?.fields ?? [];
    if (fields.some((field) => field.inline)) return this.#anyOf(message, direction);
    const properties = fields.map((field) => {
      return [field.name, this.#property(fieldOf(message, field), field, direction)] as const;
    });
    const required = fields
      .filter((field) => (direction === "request" ? field.required : isAlwaysThere(field)))
      .map((field) => field.name);
    return {
      type: "object",
      description: comment(message),
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(properties),
      additionalProperties: false,
    };
  }

  /** A message whose fields are written in place of it, one at a time. */
  #anyOf(message: DescMessage, direction: Direction): Schema {
    const parts = message.fields.flatMap((field) => (field.message ? [this.reference(field.message, direction)] : []));
    return { description: comment(message), anyOf: parts };
  }

  #property(desc: DescField, field: JsonField, direction: Direction): Schema {
    const rules = getOption(desc, fieldRules);
    const item = this.#value(desc, field, direction, rules);
    const list = field.list && {
      type: "array",
      items: item,
      ...(rules.type.case === "repeated" && bounds(rules.type.value, { minItems: "minItems", maxItems: "maxItems" })),
      ...(rules.type.case === "repeated" && rules.type.value.unique && { uniqueItems: true }),
    };
    const single = list && field.singleOrList && direction === "request" ? { anyOf: [item, list] } : undefined;
    const schema = single ?? list ?? item;
    const nullable =
      direction === "request" ? !field.required && !field.neverNull : field.nullable && !field.omitWhenUnset;
    return { description: comment(desc), ...(nullable ? orNull(schema) : schema) };
  }

  #value(desc: DescField, field: JsonField, direction: Direction, rules: FieldRules): Schema {
    const own = rules.type.case === "repeated" ? rules.type.value.items : rules;
    const looser = field.stringOrNumber && direction === "request";
    switch (field.kind) {
      case "string":
        return { type: looser ? ["string", "number"] : "string", ...stringRules(own, isNeverEmpty(field)) };
      case "bool":
        return { type: "boolean" };
      case "int":
      case "long":
        return { type: looser ? ["integer", "string"] : "integer", ...integerRules(own, field.kind) };
      case "double":
        return { type: "number" };
      case "timestamp":
        // Requests take more than RFC 3339 has, such as a day without a time.
        return { type: "string", format: direction === "request" ? ISO_TIME : "date-time" };
      case "struct":
        return { type: "object", additionalProperties: true };
      case "enum":
        return { type: "string", ...this.#words(desc.enum, own, direction === "request" ? field.refusedWords : []) };
      case "message":
        if (desc.message === undefined) throw new Error(`${desc} is no message`);
        return this.reference(desc.message, direction);
    }
  }

  /** The words of an enum, and what each means. */
  #words(enumeration: DescEnum | undefined, rules: FieldRules | undefined, refused: readonly string[] = []): Schema {
    const words = (enumeration && this.#mapping.enums.get(enumeration)) ?? [];
    const excluded = rules?.type.case === "enum" ? rules.type.value.notIn : [];
    const meanings = (enumeration?.values ?? []).flatMap((value) => {
      const word = words[value.number] ?? null;
      return word === null || excluded.includes(value.number) || refused.includes(word)
        ? []
        : [[word, comment(value)] as const];
    });
    return { enum: meanings.map(([word]) => word), "x-enumDescriptions": Object.fromEntries(meanings) };
  }
}

/** Of an answer. */
function isAlwaysThere({ omitWhenUnset, omitWithout }: JsonField): boolean {
  return !omitWhenUnset && omitWithout === undefined;
}

function fieldOf(message: DescMessage, field: JsonField): DescField {
  const desc = message.field[field.name];
  if (desc === undefined) throw new Error(`${message.typeName} has no field ${field.name}`);
  return desc;
}

function orNull(schema: Schema): Schema {
  if (Array.isArray(schema.enum)) return { ...schema, type: ["string", "null"], enum: [...schema.enum, null] };
  if (typeof schema.type === "string") return { ...schema, type: [schema.type, "null"] };
  if (Array.isArray(schema.type)) return { ...schema, type: [...schema.type, "null"] };
  return { anyOf: [schema, { type: "null" }] };
}

/** Where unset is not told from the empty text, a text that is required is not empty. */
function isNeverEmpty({ required, nullable, list }: JsonField): boolean {
  return required === true && nullable !== true && list !== true;
}

function stringRules(rules: FieldRules | undefined, isNeverEmpty: boolean): Schema {
  if (rules?.type.case !== "string") return isNeverEmpty ? { minLength: 1 } : {};
  const { value } = rules.type;
  return {
    ...(isNeverEmpty && { minLength: 1 }),
    ...bounds(value, { minLen: "minLength", maxLen: "maxLength" }),
    // JSON Schema counts characters; a bound in bytes can only be looser there.
    ...(Number(value.maxBytes) > 0 && { maxLength: Number(value.maxBytes) }),
    ...(value.pattern !== "" && { pattern: value.pattern }),
  };
}

function integerRules(rules: FieldRules | undefined, kind: "int" | "long"): Schema {
  const format = { format: kind === "int" ? "int32" : "int64" };
  if (rules?.type.case !== "int32" && rules?.type.case !== "int64") return format;
  const { greaterThan, lessThan } = rules.type.value;
  return {
    ...format,
    ...(greaterThan.case === "gte" && { minimum: Number(greaterThan.value) }),
    ...(lessThan.case === "lte" && { maximum: Number(lessThan.value) }),
  };
}

/** The bounds that are set, under their names in JSON Schema. */
function bounds<Rules extends object>(rules: Rules, names: Partial<Record<keyof Rules, string>>): Schema {
  const set = Object.entries(names).filter(([name]) => Number(Reflect.get(rules, name)) > 0);
  return Object.fromEntries(set.map(([name, keyword]) => [keyword, Number(Reflect.get(rules, name))]));
}
