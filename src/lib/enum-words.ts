import { type DescField, getOption } from "@bufbuild/protobuf";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { enums } from "../../gen/gateway.js";

/** What is said of a value that is none of the words which a field of an enum, or of a list of them, takes by its rules. */
export function mustBeOneOf(field: DescField): string {
  const { type } = getOption(field, fieldRules);
  const rules = type.case === "repeated" ? type.value.items?.type : type;
  const excluded = rules?.case === "enum" ? rules.value.notIn : [];
  const words = enums[field.enum?.typeName ?? ""] ?? [];
  const taken = words.filter((word, number) => word !== null && !excluded.includes(number));
  return `must be one of ${taken.map((word) => JSON.stringify(word)).join(", ")}`;
}
