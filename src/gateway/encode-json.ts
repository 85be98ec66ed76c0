import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { enums, type JsonField, messages } from "../../gen/gateway.js";

/** Writes a value; undefined: it has no JSON, and is null. */
type Encode = (value: unknown) => string | undefined;
/** Writes the members of an object, without its braces. */
type EncodeMembers = (message: Message) => string;

const encoders = new Map<DescMessage, EncodeMembers>();

/**
 * Writes a response as JSON by the generated mapping: every field is there, unset ones as null, 64-bit integers as numbers,
 * enums as words, times as ISO 8601 in UTC. It writes the text itself: an object for JSON.stringify, made field by field,
 * costs as much again.
 */
export function encodeJson(schema: DescMessage, message: Message): string {
  return `{${membersEncoder(schema)(message)}}`;
}

/** The writer of a message, compiled once. */
function membersEncoder(schema: DescMessage): EncodeMembers {
  let encoder = encoders.get(schema);
  if (encoder === undefined) {
    encoder = compileMembers(schema);
    encoders.set(schema, encoder);
  }
  return encoder;
}

function compileMembers(schema: DescMessage): EncodeMembers {
  const mapping = messages[schema.typeName];
  if (mapping === undefined) throw new Error(`${schema.typeName} is not in the gateway table`);
  const fields = mapping.fields.map((field) => memberEncoder(schema, field));
  return (message) => {
    let text = "";
    for (const encode of fields) {
      const member = encode(message);
      if (member !== "") text += text === "" ? member : `,${member}`;
    }
    return text;
  };
}

/** Writes one field, with its name; empty when it is left out. */
function memberEncoder(schema: DescMessage, field: JsonField): EncodeMembers {
  const { name, nullable, omitWhenUnset, omitWithout, inline } = field;
  const read = (message: Message) => propertyOf(message, name);
  if (inline) {
    const nested = nestedMessage(schema, field);
    return (message) => {
      const value = read(message);
      return value === undefined ? "" : membersEncoder(nested)(value as Message);
    };
  }
  const label = `${JSON.stringify(name)}:`;
  const absent = nullable && !omitWhenUnset ? `${label}null` : "";
  const encode = fieldEncoder(schema, field);
  return (message) => {
    const value = read(message);
    const encoded = value === undefined ? undefined : encode(value);
    if (encoded !== undefined) return label + encoded;
    return omitWithout !== undefined && propertyOf(message, omitWithout) === undefined ? "" : absent;
  };
}

function propertyOf(message: Message, name: string): unknown {
  // A message is of its type, and has the properties of its fields.
  return (message as unknown as Record<string, unknown>)[name];
}

/** The writer of a field that is set: its value, without its name. */
export function fieldEncoder(schema: DescMessage, field: JsonField): Encode {
  const item = valueEncoder(schema, field);
  if (!field.list) return item;
  // A repeated field always holds an array.
  return (value) => `[${(value as unknown[]).map((one) => item(one) ?? "null").join(",")}]`;
}

function valueEncoder(schema: DescMessage, field: JsonField): Encode {
  // The casts below hold by the kind, which was read off the field.
  switch (field.kind) {
    case "long":
      return (value) => String(Number(value as bigint));
    case "bool":
    case "int":
      return (value) => String(value);
    case "timestamp":
      return (value) => `"${new Date(timestampMs(value as Timestamp)).toISOString()}"`;
    case "enum": {
      const words = (enums[field.type ?? ""] ?? []).map((word) => (word === null ? undefined : JSON.stringify(word)));
      return (value) => words[value as number];
    }
    case "message": {
      const nested = nestedMessage(schema, field);
      return (value) => `{${membersEncoder(nested)(value as Message)}}`;
    }
    default:
      return (value) => JSON.stringify(value);
  }
}

function nestedMessage(schema: DescMessage, field: JsonField): DescMessage {
  const nested = schema.field[field.name]?.message;
  if (nested === undefined) throw new Error(`${schema.typeName}.${field.name} is no message`);
  return nested;
}
