import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { Path } from "@bufbuild/protobuf/reflect";
import { createValidator, type Violation } from "@bufbuild/protovalidate";
import { mustBeOneOf } from "../lib/enum-words.ts";
import type { FieldError } from "../lib/fault.ts";
import { isSurelyGood } from "./quick-rules.ts";
import { checkText } from "./text-rules.ts";

const validator = createValidator();

/**
 * Checks a request against the rules of the proto files, and its texts and metadata against those of docs/json.md. The
 * same for every protocol.
 *
 * @returns every violation; empty when the request is good
 */
export function checkFieldRules(schema: DescMessage, request: Message): FieldError[] {
  return isSurelyGood(schema, request) ? [] : checkThoroughly(schema, request);
}

/** The same without the short cut. */
export function checkThoroughly(schema: DescMessage, request: Message): FieldError[] {
  const errors = checkText(schema, request);
  const result = validator.validate(schema, request);
  if (result.kind === "error") throw result.error;
  if (result.kind === "invalid") {
    for (const violation of result.violations) {
      errors.push({ field: fieldPath(violation.field), message: describeViolation(violation) });
    }
  }
  return errors;
}

/** Of words, what may be said instead: the validator knows their numbers alone. */
function describeViolation({ field: path, message, ruleId }: Violation): string {
  const field = path.findLast((segment) => segment.kind === "field");
  return ruleId.startsWith("enum.") && field !== undefined ? mustBeOneOf(field) : message;
}

/** A path as JSON spells it: `credits.limit`, `tags[3]`. */
function fieldPath(path: Path): string {
  let text = "";
  for (const segment of path) {
    if (segment.kind === "field") text += text === "" ? segment.jsonName : `.${segment.jsonName}`;
    else if (segment.kind === "list_sub") text += `[${segment.index}]`;
    else if (segment.kind === "map_sub") text += `[${JSON.stringify(segment.key)}]`;
  }
  return text;
}
