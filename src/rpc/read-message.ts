import type { Message } from "@bufbuild/protobuf";
import type { GatewayMethod } from "../../gen/gateway.js";
import type { ElementErrors } from "../lib/call.ts";
import { type FieldError, invalidRequest } from "../lib/fault.ts";
import { checkFieldRules } from "./field-rules.ts";

const FIELD_ERRORS_MAX = 100;

/** Of protocols that read a request as a whole or not at all. */
const NONE: ElementErrors = new Map();

/** Makes a message of a request. `errors` are of fields that could not be read. */
export type ReadMessage = () => {
  message: Message;
  errors: readonly FieldError[];
  elementErrors?: ElementErrors;
};

/** Reads a request, and checks it by the field rules. Throws INVALID_REQUEST, naming every field. */
export function readMessage(
  method: GatewayMethod,
  read: ReadMessage,
): { message: Message; elementErrors: ElementErrors } {
  const { message, errors, elementErrors = NONE } = read();
  const violations = mergeErrors(errors, checkFieldRules(method.rpc.input, message));
  if (violations.length > 0) throw invalidRequest(violations);
  return { message, elementErrors };
}

/** A field that could not be read is unset, or a placeholder, and what the rules say of it and within it says nothing. */
function mergeErrors(unreadable: readonly FieldError[], violations: readonly FieldError[]): FieldError[] {
  const said = unreadable.map(({ field }) => field);
  const isSaid = ({ field }: FieldError) =>
    said.some((path) => field === path || (field.startsWith(path) && /^[.[]/.test(field.slice(path.length))));
  return [...unreadable, ...violations.filter((violation) => !isSaid(violation))].slice(0, FIELD_ERRORS_MAX);
}
