import {
  type DescEnum,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { type FieldRules, field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
// Types only: gen/ need not exist when the plugin runs.
import type { GatewayMethod, JsonField, JsonKind, JsonMessage } from "../../gen/gateway.js";
import type { Options } from "./find-options.ts";

/** Everything that the gateway knows of the proto files. */
export interface JsonMapping {
  methods: { row: Omit<GatewayMethod, "rpc">; desc: DescMethod; example: unknown }[];
  messages: Map<DescMessage, JsonMessage>;
  /** Words by number; a number without a word is null. */
  enums: Map<DescEnum, (string | null)[]>;
}

const MAX_REQUEST_BYTES_DEFAULT = 1 << 20;

/** Reads the JSON mapping off the services of the files. Throws on what the gateway cannot serve, naming it. */
export function readJsonMapping(files: readonly DescFile[], options: Options): JsonMapping {
  const mapping: JsonMapping = { methods: [], messages: new Map(), enums: new Map() };
  for (const method of files.flatMap((file) => file.services).flatMap((service) => service.methods)) {
    mapping.methods.push({ row: readMethod(method, options), desc: method, example: readExample(method, options) });
    readMessage(method.input, options, mapping);
    readMessage(method.output, options, mapping);
  }
  const paths = mapping.methods.map(({ row }) => row.path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw new Error(`${twice} is the path of two methods`);
  linkRows(mapping, options);
  return mapping;
}

function readMethod(method: DescMethod, options: Options): Omit<GatewayMethod, "rpc"> {
  const id = `${method.parent.typeName}.${method.name}`;
  const { pattern } = getOption(method, options.http);
  if (pattern.case !== "post" || typeof pattern.value !== "string") throw new Error(`${id} has no POST path`);
  const expected = pascalCase(pattern.value.split("/").slice(2)) || pascalCase(pattern.value.split("/").slice(1));
  if (expected !== method.name) throw new Error(`${id} should be named ${expected}, after its path ${pattern.value}`);
  const call = getOption(method, options.call);
  const scope = options.scopes.value[call.scope];
  if (!hasOption(method, options.call) || scope === undefined || call.scope === 0)
    throw new Error(`${id} has no scope`);
  const streaming = method.methodKind !== "unary";
  if (call.follows && !streaming) throw new Error(`${id} follows, and is no streaming method`);
  const rowField = streaming ? findRowField(method.output) : undefined;
  return {
    path: pattern.value,
    // Scope in gateway.d.ts lists the words of the enum.
    scope: withoutPrefix(options.scopes, scope.name).toLowerCase() as GatewayMethod["scope"],
    maxRequestBytes: call.maxRequestBytes || MAX_REQUEST_BYTES_DEFAULT,
    ...(call.answerTimeoutSeconds > 0 && { answerTimeoutMs: call.answerTimeoutSeconds * 1_000 }),
    streaming,
    ...(call.follows && { follows: true }),
    ...(rowField !== undefined && { rowField: rowField.localName }),
  };
}

/** The request that the reference shows; undefined: none is given. */
function readExample(method: DescMethod, { example }: Options): unknown {
  return example !== undefined && hasOption(method, example) ? JSON.parse(getOption(method, example)) : undefined;
}

/** What a row over JSON is: the message in the streamed message's only field, where it is such a one. */
function findRowField({ fields: [first, ...others] }: DescMessage): DescField | undefined {
  return first?.fieldKind === "message" && kindOf(first) === "message" && others.length === 0 ? first : undefined;
}

/** Names, on methods that answer a page, the path of the one that streams the rows. */
function linkRows({ methods }: JsonMapping, options: Options): void {
  for (const { row, desc } of methods) {
    const { rowsBy } = getOption(desc, options.call);
    if (rowsBy === "") continue;
    const rows = methods.find(({ desc: { name, parent } }) => parent === desc.parent && name === rowsBy)?.row;
    const id = `${desc.parent.typeName}.${desc.name}`;
    // Who may call and how much is read is settled before it is known which of the two answers.
    const isLike = rows?.scope === row.scope && rows.maxRequestBytes === row.maxRequestBytes;
    if (row.streaming || !rows?.streaming || rows.follows || !isLike)
      throw new Error(`${id} has its rows by ${rowsBy}, which is no export of the same service, scope and size`);
    row.rowsBy = rows.path;
  }
}

function pascalCase(words: string[]): string {
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function readMessage(message: DescMessage, options: Options, mapping: JsonMapping): void {
  if (mapping.messages.has(message)) return;
  const result: JsonMessage = { fields: [] };
  mapping.messages.set(message, result);
  const mask = message.fields.find(({ message }) => message?.typeName === "google.protobuf.FieldMask");
  if (mask !== undefined) result.mask = mask.localName;
  for (const field of message.fields) {
    if (field === mask) continue;
    // What comes before the mask says what is changed and how, not to what.
    const unmasked = mask !== undefined && field.number < mask.number;
    result.fields.push({ ...readField(field, options), ...(unmasked && { unmasked }) });
    if (field.enum !== undefined) mapping.enums.set(field.enum, readWords(field.enum, options));
    if (kindOf(field) === "message" && field.message !== undefined) readMessage(field.message, options, mapping);
  }
}

function readField(field: DescField, options: Options): JsonField {
  if (field.jsonName !== field.localName)
    throw new Error(`${field} is ${field.localName} in TypeScript, not its JSON name`);
  if (field.oneof !== undefined) throw new Error(`${field} is in a oneof, which the JSON of the gateway does not know`);
  const kind = kindOf(field);
  const json = getOption(field, options.json);
  const type = field.enum ?? (kind === "message" ? field.message : undefined);
  const list = field.fieldKind === "list";
  const rules = getOption(field, fieldRules);
  const itemsMax = itemsMaxOf(rules);
  const omitWithout = omitWithoutOf(field, json.omitWithout);
  const alone = getOption(field, options.eachAlone);
  if (alone && !(list && kind === "message")) throw new Error(`${field} is no list of messages, to be read each alone`);
  return {
    name: field.jsonName,
    protoName: field.name,
    kind,
    ...(type && { type: type.typeName }),
    ...(list && { list }),
    ...(itemsMax !== undefined && { itemsMax }),
    ...(alone && { alone }),
    ...(!list && (isExplicit(field) || kind === "enum") && { nullable: true }),
    ...((isRequired(rules) || json.requiredByMethod) && { required: true }),
    ...(json.omitWhenUnset && { omitWhenUnset: true }),
    ...(omitWithout !== undefined && { omitWithout }),
    ...(json.neverNull && { neverNull: true }),
    ...(json.refusedWords && json.refusedWords.length > 0 && { refusedWords: json.refusedWords }),
    ...(json.singleOrList && { singleOrList: true }),
    ...(json.stringOrNumber && { stringOrNumber: true }),
    ...(json.merge && { merge: true }),
    ...(json.inline && { inline: true }),
  };
}

/** The JSON name of the field without which this one is left out. */
function omitWithoutOf(field: DescField, name: string | undefined): string | undefined {
  if (name === undefined || name === "") return undefined;
  const other = field.parent.fields.find((candidate) => candidate.name === name);
  if (other === undefined || !isExplicit(other) || !isExplicit(field))
    throw new Error(`${field} is left out without ${name}: both must be fields of the message that may be unset`);
  return other.jsonName;
}

/** Whether a request must carry the field; a list that must not be empty has to be there. */
function isRequired({ required, type }: FieldRules): boolean {
  return required || (type.case === "repeated" && type.value.minItems > 0n);
}

/** How many elements a request may give; undefined: as many as it has room for. */
function itemsMaxOf({ type }: FieldRules): number | undefined {
  return type.case === "repeated" && type.value.maxItems > 0n ? Number(type.value.maxItems) : undefined;
}

/** Whether the field tells unset from zero. */
function isExplicit(field: DescField): boolean {
  return field.fieldKind === "message" || field.proto.proto3Optional;
}

function kindOf(field: DescField): JsonKind {
  if (field.fieldKind === "map") throw new Error(`${field} has a type that the JSON of the gateway does not know`);
  const message = field.message?.typeName;
  if (message === "google.protobuf.Timestamp") return "timestamp";
  if (message === "google.protobuf.Struct") return "struct";
  if (message !== undefined && !message.startsWith("google.protobuf.")) return "message";
  if (field.enum !== undefined) return "enum";
  switch (field.scalar) {
    case ScalarType.STRING:
      return "string";
    case ScalarType.BOOL:
      return "bool";
    case ScalarType.INT32:
    case ScalarType.UINT32:
      return "int";
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return "long";
    case ScalarType.DOUBLE:
      return "double";
    default:
      throw new Error(`${field} has a type that the JSON of the gateway does not know`);
  }
}

function readWords(enumeration: DescEnum, options: Options): (string | null)[] {
  const words: (string | null)[] = [];
  for (const value of enumeration.values) {
    const word = hasOption(value, options.word)
      ? getOption(value, options.word)
      : withoutPrefix(enumeration, value.name).toLowerCase();
    words[value.number] = value.number === 0 ? null : word;
  }
  return words;
}

function withoutPrefix(enumeration: DescEnum, name: string): string {
  return enumeration.sharedPrefix === undefined ? name : name.slice(enumeration.sharedPrefix.length);
}
