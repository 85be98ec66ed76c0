import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  getOption,
  isFieldSet,
  isMessage,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { TimestampSchema, timestampDate } from "@bufbuild/protobuf/wkt";
import { json as jsonOption, word as wordOption } from "../../gen/keysvc/v1/options_pb.js";

/*
 * The JSON convention of the gateway, written a second time and from the descriptors alone: if the tests used the
 * gateway's own reader and writer, a mistake in those would be on both sides of every comparison.
 */

/** The message of a request that is written as the JSON paths take it. Throws for what no message can carry. */
export function messageFromGatewayJson(desc: DescMessage, request: JsonObject): Message {
  return fromJson(desc, toProtoJson(desc, request));
}

function toProtoJson(desc: DescMessage, request: JsonObject): JsonObject {
  const result: JsonObject = {};
  const mask = desc.fields.find(({ message }) => message?.typeName === "google.protobuf.FieldMask");
  const paths: string[] = [];
  for (const [name, value] of Object.entries(request)) {
    const field = desc.fields.find(({ jsonName }) => jsonName === name);
    if (field === undefined) throw new Error(`${desc.typeName} has no field ${name}`);
    if (mask !== undefined && field.number > mask.number) paths.push(...maskPaths(field, value));
    if (value !== null) result[name] = toProtoValue(field, value);
  }
  // ProtoJSON writes a mask as one text.
  if (mask !== undefined) result[mask.jsonName] = paths.join(",");
  return result;
}

function maskPaths(field: DescField, value: JsonValue): string[] {
  if (!getOption(field, jsonOption).merge || !isObject(value)) return [field.jsonName];
  return Object.keys(value).map((name) => `${field.jsonName}.${name}`);
}

function toProtoValue(field: DescField, value: JsonValue): JsonValue {
  if (field.fieldKind !== "list") return toProtoItem(field, value);
  return (Array.isArray(value) ? value : [value]).map((item) => toProtoItem(field, item));
}

function toProtoItem(field: DescField, value: JsonValue): JsonValue {
  if (field.enum !== undefined) return enumName(field.enum, value);
  if (isOurs(field.message) && isObject(value)) return toProtoJson(field.message, value);
  if (getOption(field, jsonOption).stringOrNumber) return String(value);
  return value;
}

function enumName(desc: DescEnum, word: JsonValue): string {
  const found = desc.values.find(({ number }) => number !== 0 && enumWord(desc, number) === word);
  if (found === undefined) throw new Error(`${desc.typeName} has no ${word}`);
  return found.name;
}

/** The JSON that the gateway must write for a message: every field there, numbers as numbers, null for what is unset. */
export function gatewayJsonFromMessage(desc: DescMessage, message: Message): JsonObject {
  const result: JsonObject = {};
  for (const field of desc.fields) {
    const { inline, omitWhenUnset, omitWithout } = getOption(field, jsonOption);
    const value: unknown = Reflect.get(message, field.localName);
    const isAlone = desc.fields.some((other) => other.name === omitWithout && !isFieldSet(message, other));
    if (value === undefined && (inline || omitWhenUnset || isAlone)) continue;
    const written = value === undefined ? null : fromValue(field, value);
    if (inline && isObject(written)) Object.assign(result, written);
    else result[field.jsonName] = written;
  }
  return result;
}

function fromValue(field: DescField, value: unknown): JsonValue {
  return field.fieldKind === "list" && Array.isArray(value)
    ? value.map((item) => fromItem(field, item))
    : fromItem(field, value);
}

function fromItem(field: DescField, value: unknown): JsonValue {
  // The casts hold by the descriptor.
  if (field.enum !== undefined) return enumWord(field.enum, value as number);
  if (isOurs(field.message)) return gatewayJsonFromMessage(field.message, value as Message);
  if (isMessage(value, TimestampSchema)) return timestampDate(value).toISOString();
  if (typeof value !== "bigint") return value as JsonValue;
  if (!Number.isSafeInteger(Number(value))) throw new Error(`${field} is ${value}, which no JSON number holds`);
  return Number(value);
}

/** The word of an enum value: as the option says, else its name in lower case without the prefix; zero has none. */
function enumWord(desc: DescEnum, number: number): string | null {
  const found = desc.values.find((value) => value.number === number);
  if (found === undefined || number === 0) return null;
  return getOption(found, wordOption) || found.name.slice(desc.sharedPrefix?.length ?? 0).toLowerCase();
}

function isOurs(desc: DescMessage | undefined): desc is DescMessage {
  return desc?.typeName.startsWith("keysvc.") ?? false;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
