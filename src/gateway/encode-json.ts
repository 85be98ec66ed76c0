import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { enums, type JsonField, messages } from "../../gen/gateway.js";

type Encode = (value: unknown) => unknown;
type EncodeMessage = (message: Message) => Record<string, unknown>;

const encoders = new Map<DescMessage, EncodeMessage>();

/**
 * Writes a response as JSON by the generated mapping: every field is there, unset ones as null, 64-bit integers as numbers,
 * enums as words, times as ISO 8601 in UTC.
 *
 * @returns a plain value for JSON.stringify
 */
export function encodeJson(schema: DescMessage, message: Message): Record<string, unknown> {
  return messageEncoder(schema)(message);
}

/** The writer of a message, compiled once. */
function messageEncoder(schema: DescMessage): EncodeMessage {
  let encoder = encoders.get(schema);
  if (encoder === undefined) {
    encoder = compileMessage(schema);
    encoders.set(schema, encoder);
  }
  return encoder;
}

function compileMessage(schema: DescMessage): EncodeMessage {
  const mapping = messages[schema.typeName];
  if (mapping === undefined) throw new Error(`${schema.typeName} is not in the gateway table`);
  const fields = mapping.fields.map((field) => ({ ...field, encode: fieldEncoder(schema, field) }));
  return (message) => {
    const json: Record<string, unknown> = {};
    for (const { name, nullable, omitWhenUnset, inline, encode } of fields) {
      const value: unknown = Reflect.get(message, name);
      const encoded = value === undefined ? null : encode(value);
      if (inline) Object.assign(json, encoded);
      else if (encoded !== null || (nullable && !omitWhenUnset)) json[name] = encoded;
    }
    return json;
  };
}

function fieldEncoder(schema: DescMessage, field: JsonField): Encode {
  const item = valueEncoder(schema, field);
  // A repeated field always holds an array.
  return field.list ? (value) => (value as unknown[]).map(item) : item;
}

function valueEncoder(schema: DescMessage, field: JsonField): Encode {
  // The casts below hold by the kind, which was read off the field.
  switch (field.kind) {
    case "long":
      return (value) => Number(value as bigint);
    case "timestamp":
      return (value) => new Date(timestampMs(value as Timestamp)).toISOString();
    case "enum": {
      const words = enums[field.type ?? ""] ?? [];
      return (value) => words[value as number] ?? null;
    }
    case "message": {
      const nested = schema.field[field.name]?.message;
      if (nested === undefined) throw new Error(`${schema.typeName}.${field.name} is no message`);
      return (value) => messageEncoder(nested)(value as Message);
    }
    default:
      return (value) => value;
  }
}
