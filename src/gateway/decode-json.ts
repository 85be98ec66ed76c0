import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { FieldMaskSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { enums, type JsonField, type JsonKind, messages } from "../../gen/gateway.js";
import type { ElementErrors } from "../lib/call.ts";
import { mustBeOneOf } from "../lib/enum-words.ts";
import type { FieldError } from "../lib/fault.ts";
import { parseTime } from "../lib/parse-time.ts";
import { integerBounds, largestInteger } from "./integer-bounds.ts";

/** What is wrong with a request. */
export interface Findings {
  errors: FieldError[];
  /** What is wrong within elements that are read each alone, with paths within the element. */
  elementErrors: ElementErrors;
}

/** Reads a value; adds what is wrong with it and answers undefined where it cannot. */
type Decode = (value: unknown, path: string, found: Findings) => unknown;

type DecodeMessage = (value: object, path: string, found: Findings, mask?: MaskPaths) => Message;

/** The paths of an update mask as they are met, and where in the message the reader is. */
interface MaskPaths {
  prefix: string;
  paths: string[];
}

const SHOWN_NAME_MAX = 100;
const decoders = new Map<DescMessage, DecodeMessage>();

/**
 * Reads a request from JSON by the generated mapping: unknown names, wrong types and words are named, null is absent, and
 * on update it is a path of the mask without a value.
 *
 * @param json what JSON.parse gave
 * @returns the message with all that could be read, and an error for each field that could not
 */
export function decodeJson(schema: DescMessage, json: unknown): Findings & { message: Message } {
  const found: Findings = { errors: [], elementErrors: new Map() };
  if (isObject(json)) return { message: messageDecoder(schema)(json, "", found), ...found };
  fail(found, "", "the body must be a JSON object");
  return { message: create(schema), ...found };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The reader of a message, compiled once. */
function messageDecoder(schema: DescMessage): DecodeMessage {
  let decoder = decoders.get(schema);
  if (decoder === undefined) {
    decoder = compileMessage(schema);
    decoders.set(schema, decoder);
  }
  return decoder;
}

function compileMessage(schema: DescMessage): DecodeMessage {
  const mapping = messages[schema.typeName];
  if (mapping === undefined) throw new Error(`${schema.typeName} is not in the gateway table`);
  const fields = new Map(
    mapping.fields.map((field) => [field.name, { field, read: fieldDecoder(schema, field) }] as const),
  );
  return (json, path, found, outerMask) => {
    const message = create(schema);
    // Both have fields by their names; set and read like this they cost a third of what Reflect and entries do.
    const [values, properties] = [json as Record<string, unknown>, message as unknown as Record<string, unknown>];
    const mask = mapping.mask === undefined ? outerMask : { prefix: "", paths: [] };
    for (const name of Object.keys(json)) {
      const value = values[name];
      const entry = fields.get(name);
      if (entry === undefined) {
        fail(found, path + shown(name), "unknown field");
        continue;
      }
      const { field, read } = entry;
      const inner = maskOf(mask, field, value);
      if (value === null) continue;
      const decoded = inner
        ? readMerged(schema, field, value, path + name, found, inner)
        : read(value, path + name, found);
      if (decoded !== undefined) properties[name] = decoded;
    }
    if (mapping.mask !== undefined)
      Reflect.set(message, mapping.mask, create(FieldMaskSchema, { paths: mask?.paths ?? [] }));
    return message;
  };
}

/**
 * Adds a field to the mask. The fields of a merged message add themselves: for those the inner mask is returned. Its null
 * clears it as a whole.
 */
function maskOf(mask: MaskPaths | undefined, field: JsonField, value: unknown): MaskPaths | undefined {
  if (mask === undefined || field.unmasked) return undefined;
  if (field.merge && value !== null) return { prefix: `${mask.prefix}${field.protoName}.`, paths: mask.paths };
  mask.paths.push(mask.prefix + field.protoName);
  return undefined;
}

function readMerged(
  schema: DescMessage,
  field: JsonField,
  value: unknown,
  path: string,
  found: Findings,
  mask: MaskPaths,
): unknown {
  if (!isObject(value)) return fail(found, path, "must be an object");
  return messageDecoder(nestedMessage(schema, field))(value, `${path}.`, found, mask);
}

function fieldDecoder(schema: DescMessage, field: JsonField): Decode {
  const item = valueDecoder(schema, field);
  if (!field.list) return item;
  // Stands for an element that could not be read, so that those after it keep their places in what is said of them.
  const placeholder = PLACEHOLDERS[field.kind] ?? (() => create(nestedMessage(schema, field)));
  const element: Decode = (value, path, found) => item(value, path, found) ?? placeholder();
  const elements = field.alone
    ? eachAlone(nestedMessage(schema, field))
    : (values: unknown[], path: string, found: Findings) =>
        values.map((one, index) => element(one, `${path}[${index}]`, found));
  // One more than there may be is enough for the rules to say so.
  const readMax = (field.itemsMax ?? Number.POSITIVE_INFINITY) + 1;
  return (value, path, found) => {
    if (Array.isArray(value)) return elements(value.length > readMax ? value.slice(0, readMax) : value, path, found);
    return field.singleOrList ? [element(value, path, found)] : fail(found, path, "must be an array");
  };
}

/** Reads messages so that what is wrong within one is told of it alone. */
function eachAlone(schema: DescMessage): (values: unknown[], path: string, found: Findings) => Message[] {
  return (values, _path, { elementErrors }) => {
    const decode = messageDecoder(schema);
    let own: Findings = { errors: [], elementErrors };
    return values.map((value) => {
      const message = isObject(value) ? decode(value, "", own) : create(schema);
      if (!isObject(value)) fail(own, "", "must be an object");
      if (own.errors.length > 0) {
        elementErrors.set(message, own.errors);
        own = { errors: [], elementErrors };
      }
      return message;
    });
  };
}

const PLACEHOLDERS: Partial<Record<JsonKind, () => unknown>> = {
  string: () => "",
  bool: () => false,
  int: () => 0,
  long: () => 0n,
  double: () => 0,
  enum: () => 0,
  struct: () => ({}),
  timestamp: () => timestampFromMs(0),
};

function descOf(schema: DescMessage, field: JsonField): DescField {
  const desc = schema.field[field.name];
  if (desc === undefined) throw new Error(`${schema.typeName} has no field ${field.name}`);
  return desc;
}

function nestedMessage(schema: DescMessage, field: JsonField): DescMessage {
  const nested = descOf(schema, field).message;
  if (nested === undefined) throw new Error(`${schema.typeName}.${field.name} is no message`);
  return nested;
}

function valueDecoder(schema: DescMessage, field: JsonField): Decode {
  switch (field.kind) {
    case "string":
      return field.stringOrNumber ? decodeStringOrNumber : typed("string", "must be a string");
    case "bool":
      return typed("boolean", "must be true or false");
    case "double":
      // 1e400 is JSON, but no number that can be kept.
      return (value, path, found) => (Number.isFinite(value) ? value : fail(found, path, "must be a number"));
    case "int":
    case "long":
      return integerDecoder(schema, field);
    case "timestamp":
      return decodeTimestamp;
    case "struct":
      return (value, path, found) => (isObject(value) ? value : fail(found, path, "must be an object"));
    case "enum":
      return enumDecoder(enums[field.type ?? ""] ?? [], mustBeOneOf(descOf(schema, field)));
    case "message": {
      const nested = nestedMessage(schema, field);
      // Looked up at each call, because messages may nest themselves.
      return (value, path, found) =>
        isObject(value) ? messageDecoder(nested)(value, `${path}.`, found) : fail(found, path, "must be an object");
    }
  }
}

function fail({ errors }: Findings, field: string, message: string): undefined {
  errors.push({ field, message });
  return undefined;
}

function typed(type: "string" | "boolean", message: string): Decode {
  return (value, path, found) => (typeof value === type ? value : fail(found, path, message));
}

const decodeStringOrNumber: Decode = (value, path, found) => {
  if (Number.isFinite(value)) return String(value);
  return typeof value === "string" ? value : fail(found, path, "must be a string or a number");
};

function integerDecoder(schema: DescMessage, field: JsonField): Decode {
  const largest = largestInteger(field);
  const { min, max } = integerBounds(descOf(schema, field), field);
  return (json, path, found) => {
    const value = field.stringOrNumber && typeof json === "string" && /^\d{1,15}$/.test(json) ? Number(json) : json;
    if (typeof value !== "number") return fail(found, path, "must be a number");
    // What can be held is left to the rules.
    if (Math.abs(value) > largest) return fail(found, path, `must be between ${min} and ${max}`);
    if (!Number.isInteger(value)) return fail(found, path, "must be an integer");
    return field.kind === "int" ? value : BigInt(value);
  };
}

const decodeTimestamp: Decode = (value, path, found) => {
  const time = typeof value === "string" ? parseTime(value) : undefined;
  if (time === undefined) return fail(found, path, "must be an ISO 8601 time such as 2026-01-31T12:00:00Z");
  return timestampFromMs(time);
};

/** A word that the rules of the field exclude is left to them. */
function enumDecoder(words: readonly (string | null)[], problem: string): Decode {
  const numbers = new Map(words.map((word, number) => [word, number]));
  return (value, path, found) => {
    const number = typeof value === "string" ? numbers.get(value) : undefined;
    return number ?? fail(found, path, problem);
  };
}

/** A name as an error repeats it: no longer than one that people would send. */
function shown(name: string): string {
  return name.length <= SHOWN_NAME_MAX ? name : `${name.slice(0, SHOWN_NAME_MAX)}…`;
}
