import { type DescField, type DescMessage, getOption, isFieldSet, type Message, ScalarType } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type EnumRules,
  EnumRulesSchema,
  type FieldRules,
  FieldRulesSchema,
  field as fieldRules,
  Int32RulesSchema,
  Int64RulesSchema,
  message as messageRules,
  type RepeatedRules,
  RepeatedRulesSchema,
  type StringRules,
  StringRulesSchema,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { each_alone } from "../../gen/keysvc/v1/options_pb.js";
import { isStorableTime, metadataProblem } from "./text-rules.ts";

/** Whether a value breaks no rule for sure. */
type Test = (value: unknown) => boolean;

const never: Test = () => false;
const always: Test = () => true;

/** What is tested here, by the type of the rules. A field with any other rule is left to protovalidate. */
const TESTED: Readonly<Record<string, readonly string[]>> = {
  [FieldRulesSchema.typeName]: ["required", "string", "int32", "int64", "enum", "repeated"],
  [StringRulesSchema.typeName]: ["min_len", "max_len", "max_bytes", "pattern"],
  [Int32RulesSchema.typeName]: ["gte", "lte"],
  [Int64RulesSchema.typeName]: ["gte", "lte"],
  [EnumRulesSchema.typeName]: ["defined_only", "not_in"],
  [RepeatedRulesSchema.typeName]: ["min_items", "max_items", "items"],
};
const RULES_SCHEMAS = [
  ...[FieldRulesSchema, StringRulesSchema, Int32RulesSchema, Int64RulesSchema, EnumRulesSchema, RepeatedRulesSchema],
];

/** One class of characters, repeated: RE2 and JavaScript agree on it, and neither can be made slow by a text. */
const SIMPLE_PATTERN = /^\^\[[^\\[\]]+\](?:\+|\*|\{\d+\})\$$/;

const tests = new Map<DescMessage, Test>();

/**
 * Whether a request breaks none of the rules for sure. `false` says nothing: the thorough checks then tell whether it does,
 * and how. They reflect on each message, which takes several times as long as all else that a call costs here.
 */
export function isSurelyGood(schema: DescMessage, request: Message): boolean {
  return messageTest(schema)(request);
}

/** The test of a message, compiled once. */
function messageTest(schema: DescMessage): Test {
  let test = tests.get(schema);
  if (test === undefined) {
    test = compileMessage(schema);
    tests.set(schema, test);
  }
  return test;
}

function compileMessage(schema: DescMessage): Test {
  const { cel, celExpression, oneof } = getOption(schema, messageRules);
  if (cel.length + celExpression.length + oneof.length + schema.oneofs.length > 0) return never;
  const fields = schema.fields.map(fieldTest).filter((test) => test !== always);
  if (fields.includes(never)) return never;
  return (message) => {
    for (const test of fields) if (!test(message)) return false;
    return true;
  };
}

/** Takes the message that has the field. */
function fieldTest(field: DescField): Test {
  const rules = getOption(field, fieldRules);
  const test = hasOther(rules) ? never : valueTest(field, rules);
  if (test === never || (test === always && !rules.required)) return test;
  const { localName: name } = field;
  const { required } = rules;
  // A message is of its type, and has the properties of its fields.
  type Holder = Record<string, unknown>;
  if (field.fieldKind === "list") return (message) => test((message as Holder)[name]);
  const isTracked = field.fieldKind === "message" || field.presence !== IMPLICIT;
  if (!isTracked) return (message) => !(required && !(message as Holder)[name]) && test((message as Holder)[name]);
  // What is unset is inherited from the prototype as the zero value.
  return (message) => {
    if (!Object.hasOwn(message as Holder, name)) return !required;
    const value = (message as Holder)[name];
    return value === undefined ? !required : test(value);
  };
}

/** google.protobuf.FeatureSet.FieldPresence.IMPLICIT: zero and unset are the same. */
const IMPLICIT = 2;

function hasOther(rules: Message): boolean {
  const schema = RULES_SCHEMAS.find(({ typeName }) => typeName === rules.$typeName);
  const tested = TESTED[rules.$typeName];
  if (schema === undefined || tested === undefined || (rules.$unknown?.length ?? 0) > 0) return true;
  return schema.fields.some((field) => isFieldSet(rules, field) && !tested.includes(field.name));
}

function valueTest(field: DescField, { type, required }: FieldRules): Test {
  if (type.value !== undefined && hasOther(type.value)) return never;
  if (field.fieldKind === "map") return never;
  if (field.fieldKind !== "list") return itemTest(field, type);
  if (type.case === undefined) return listTest(itemTest(field, type), required ? 1 : 0, Number.POSITIVE_INFINITY);
  if (type.case !== "repeated") return never;
  const { items } = type.value;
  if (items && (items.required || hasOther(items) || (items.type.value && hasOther(items.type.value)))) return never;
  const test = itemTest(field, items?.type ?? { case: undefined });
  return listTest(test, Math.max(Number(type.value.minItems), required ? 1 : 0), itemsMax(type.value));
}

function itemsMax(rules: RepeatedRules): number {
  return isFieldSet(rules, RepeatedRulesSchema.field.maxItems) ? Number(rules.maxItems) : Number.POSITIVE_INFINITY;
}

function listTest(test: Test, min: number, max: number): Test {
  if (test === never) return never;
  // A repeated field always holds an array.
  return (value) =>
    (value as unknown[]).length >= min && (value as unknown[]).length <= max && (value as unknown[]).every(test);
}

/** Of a lone value, or of one of a list. */
function itemTest(field: DescField, type: FieldRules["type"]): Test {
  const { scalar, enum: enumeration, message } = field;
  if (getOption(field, each_alone)) return type.case === undefined ? always : never;
  if (message !== undefined) return type.case === undefined ? nestedTest(message) : never;
  if (enumeration !== undefined) {
    const numbers = new Set(enumeration.values.map(({ number }) => number));
    return type.case === "enum" ? enumTest(type.value, numbers) : unruled(type);
  }
  if (scalar === ScalarType.STRING) return type.case === "string" ? stringTest(type.value) : unruledText(type);
  if (type.case !== "int32" && type.case !== "int64") return unruled(type);
  const { greaterThan, lessThan } = type.value;
  const min = greaterThan.value ?? Number.NEGATIVE_INFINITY;
  const max = lessThan.value ?? Number.POSITIVE_INFINITY;
  // An integer, of 64 bits or fewer.
  return (value) => (value as number | bigint) >= min && (value as number | bigint) <= max;
}

function unruled({ case: rule }: FieldRules["type"]): Test {
  return rule === undefined ? always : never;
}

function unruledText(type: FieldRules["type"]): Test {
  return unruled(type) === never ? never : isWellFormed;
}

function isWellFormed(value: unknown): boolean {
  // A text field holds a text.
  return (value as string).isWellFormed();
}

function nestedTest(message: DescMessage): Test {
  if (message.typeName === "google.protobuf.Struct") return (value) => metadataProblem(value) === undefined;
  // A timestamp field holds a Timestamp.
  if (message.typeName === "google.protobuf.Timestamp") return (value) => isStorableTime(value as Timestamp);
  if (message.typeName.startsWith("google.protobuf.")) return always;
  // Looked up at each call, because messages may nest themselves.
  return (value) => messageTest(message)(value);
}

function enumTest({ definedOnly, notIn }: EnumRules, numbers: ReadonlySet<number>): Test {
  // An enum field holds a number.
  return (value) => (!definedOnly || numbers.has(value as number)) && !notIn.includes(value as number);
}

function stringTest(rules: StringRules): Test {
  const bound = (field: "minLen" | "maxLen" | "maxBytes"): number | undefined =>
    isFieldSet(rules, StringRulesSchema.field[field]) ? Number(rules[field]) : undefined;
  const minLength = bound("minLen") ?? 0;
  const maxLength = bound("maxLen") ?? Number.POSITIVE_INFINITY;
  const maxBytes = bound("maxBytes") ?? Number.POSITIVE_INFINITY;
  if (rules.pattern !== "" && !SIMPLE_PATTERN.test(rules.pattern)) return never;
  const pattern = rules.pattern === "" ? undefined : new RegExp(rules.pattern, "u");
  return (value) => {
    // A text field holds a text. Its length is in UTF-16: 1 or 2 for a character, at most 3 bytes of UTF-8 each.
    const text = value as string;
    const { length } = text;
    if (length > maxLength || length < minLength * (minLength > 1 ? 2 : 1)) return false;
    if (length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes) return false;
    return text.isWellFormed() && (pattern === undefined || pattern.test(text));
  };
}
