import { type DescField, getOption } from "@bufbuild/protobuf";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { JsonField } from "../../gen/gateway.js";

/** The largest integer that an integer field can hold and JSON can carry. */
export function largestInteger({ kind }: JsonField): number {
  return kind === "int" ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
}

/** What an integer field takes: by its rules, and by its type where they say nothing. */
export function integerBounds(desc: DescField, field: JsonField): { min: number; max: number } {
  const largest = largestInteger(field);
  const rules = getOption(desc, fieldRules);
  const { type } = (rules.type.case === "repeated" ? rules.type.value.items : rules) ?? {};
  if (type?.case !== "int32" && type?.case !== "int64") return { min: -largest, max: largest };
  const { greaterThan, lessThan } = type.value;
  return {
    min: greaterThan.case === "gte" ? Number(greaterThan.value) : -largest,
    max: lessThan.case === "lte" ? Number(lessThan.value) : largest,
  };
}
