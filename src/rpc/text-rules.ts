import { type DescMessage, getOption, type Message, ScalarType } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { each_alone } from "../../gen/keysvc/v1/options_pb.js";
import type { FieldError } from "../lib/fault.ts";

const METADATA_MAX_BYTES = 64 * 1024;
const METADATA_MAX_LEVELS = 32;
/** The years 1 to 9999, after google/protobuf/timestamp.proto. */
const SECONDS_MIN = -62_135_596_800n;
const SECONDS_MAX = 253_402_300_799n;

/** Looks at one field of a message and adds what is wrong with it. */
type Check = (message: Message, path: string, errors: FieldError[]) => void;

const checksByMessage = new Map<DescMessage, Check[]>();

/**
 * Finds what could not be stored as it came: texts with lone surrogates, times beyond the year 9999, and metadata beyond
 * its bounds (64 kB, 32 levels, no NUL in a key). Lists whose elements the method judges each alone are left to it.
 */
export function checkText(schema: DescMessage, message: Message): FieldError[] {
  const errors: FieldError[] = [];
  runChecks(schema, message, "", errors);
  return errors;
}

function runChecks(schema: DescMessage, message: Message, prefix: string, errors: FieldError[]): void {
  let checks = checksByMessage.get(schema);
  if (checks === undefined) {
    checks = schema.fields.flatMap((field) => compileCheck(field) ?? []);
    checksByMessage.set(schema, checks);
  }
  for (const check of checks) check(message, prefix, errors);
}

function compileCheck(field: DescMessage["fields"][number]): Check | undefined {
  const { localName, message: nested } = field;
  if (getOption(field, each_alone)) return undefined;
  const checkValue = valueCheck(field.scalar, nested);
  if (checkValue === undefined) return undefined;
  return (message, prefix, errors) => {
    const value: unknown = Reflect.get(message, localName);
    if (value === undefined) return;
    const path = `${prefix}${localName}`;
    if (!Array.isArray(value)) checkValue(value, path, errors);
    else for (const [index, item] of value.entries()) checkValue(item, `${path}[${index}]`, errors);
  };
}

function valueCheck(scalar: ScalarType | undefined, nested: DescMessage | undefined) {
  if (scalar === ScalarType.STRING) return checkString;
  if (nested?.typeName === "google.protobuf.Struct") return checkMetadata;
  if (nested?.typeName === "google.protobuf.Timestamp") return checkTimestamp;
  if (nested === undefined || nested.typeName.startsWith("google.protobuf.")) return undefined;
  return (value: unknown, path: string, errors: FieldError[]) => {
    // A message field holds a message of its type.
    runChecks(nested, value as Message, `${path}.`, errors);
  };
}

function checkString(value: unknown, path: string, errors: FieldError[]): void {
  if (typeof value === "string" && !value.isWellFormed()) {
    errors.push({ field: path, message: "must be well-formed Unicode; it has a lone surrogate" });
  }
}

/** Other values than these could not be kept as a time. JSON cannot say them, the other protocols can. */
function checkTimestamp(value: unknown, path: string, errors: FieldError[]): void {
  // A timestamp field holds a Timestamp.
  if (!isStorableTime(value as Timestamp)) {
    errors.push({ field: path, message: "must be a time of the years 1 to 9999" });
  }
}

/** Whether a time is one of the years 1 to 9999. */
export function isStorableTime({ seconds, nanos }: Timestamp): boolean {
  return seconds >= SECONDS_MIN && seconds <= SECONDS_MAX && nanos >= 0 && nanos <= 999_999_999;
}

function checkMetadata(value: unknown, path: string, errors: FieldError[]): void {
  const problem = metadataProblem(value);
  if (problem !== undefined) errors.push({ field: path, message: problem });
}

/** What keeps metadata from being stored; undefined: nothing. */
export function metadataProblem(value: unknown): string | undefined {
  const problem = findProblem(value, 1);
  if (problem !== undefined) return problem;
  return Buffer.byteLength(JSON.stringify(value)) > METADATA_MAX_BYTES
    ? `must be at most ${METADATA_MAX_BYTES} bytes as JSON`
    : undefined;
}

/** Walks JSON no deeper than the bound, so that a request of a million levels costs as little as one of 33. */
function findProblem(value: unknown, level: number): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : "has a lone surrogate in a text";
  // Neither can be written as JSON: 1e999, and a Value of Protobuf that is not set.
  if (typeof value === "number" && !Number.isFinite(value)) return "has a number that is too large";
  if (value === undefined) return "has a value that is not set";
  if (typeof value !== "object" || value === null) return undefined;
  if (level > METADATA_MAX_LEVELS) return `must have at most ${METADATA_MAX_LEVELS} levels`;
  for (const [key, item] of Object.entries(value)) {
    if (key.includes("\0")) return "must not have a NUL in a key";
    if (!key.isWellFormed()) return "has a lone surrogate in a key";
    const problem = findProblem(item, level + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
