import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { FieldMask } from "@bufbuild/protobuf/wkt";
import { type JsonField, messages } from "../../gen/gateway.js";
import type { FieldError } from "./fault.ts";

/** An update request, as every one in proto/ is made. */
type UpdateRequest = Message & { updateMask?: FieldMask | undefined };

const SHOWN_PATH_MAX = 100;

/**
 * The fields that an update changes, as paths of the proto file: `name`, `credits.limit`. A path whose field has no value
 * clears it. Without a mask, every field that is set. A merged message, `credits`, is listed by its fields, and by its own
 * name only when it is cleared as a whole; a mask that names it replaces all of its fields.
 *
 * @param errors gets the paths that the request does not have
 */
export function updatedPaths(schema: DescMessage, request: UpdateRequest, errors: FieldError[]): Set<string> {
  const fields = fieldsOf(schema.typeName).filter(({ unmasked }) => !unmasked);
  const mask = request.updateMask?.paths ?? [];
  if (mask.length === 0) return new Set(fields.flatMap((field) => setPaths(field, request)));
  const known = new Map(fields.flatMap((field) => namedPaths(field, request)));
  const paths = new Set<string>();
  for (const path of mask) {
    const meant = known.get(path);
    if (meant === undefined)
      errors.push({ field: "updateMask", message: `there is no field ${shown(path)} to change` });
    for (const one of meant ?? []) paths.add(one);
  }
  return paths;
}

function fieldsOf(typeName: string): JsonField[] {
  const mapping = messages[typeName];
  if (mapping === undefined) throw new Error(`${typeName} is not in the gateway table`);
  return mapping.fields;
}

/** The paths of a field that is set. */
function setPaths(field: JsonField, message: object): string[] {
  const value: unknown = Reflect.get(message, field.name);
  const isSet = Array.isArray(value)
    ? value.length > 0
    : value !== undefined && !(field.kind === "enum" && value === 0);
  if (!isSet) return [];
  if (!field.merge) return [field.protoName];
  // A message field holds a message.
  const inner = fieldsOf(field.type ?? "").flatMap((one) => setPaths(one, value as object));
  return inner.map((path) => `${field.protoName}.${path}`);
}

/** Every path that a mask may name for a field, with what it stands for. */
function namedPaths(field: JsonField, message: object): [path: string, meant: string[]][] {
  const { protoName } = field;
  if (!field.merge) return [[protoName, [protoName]]];
  const inner = fieldsOf(field.type ?? "").map((one) => `${protoName}.${one.protoName}`);
  const isCleared = Reflect.get(message, field.name) === undefined;
  return [[protoName, isCleared ? [protoName] : inner], ...inner.map((path): [string, string[]] => [path, [path]])];
}

function shown(path: string): string {
  return JSON.stringify(path.length <= SHOWN_PATH_MAX ? path : `${path.slice(0, SHOWN_PATH_MAX)}…`);
}
