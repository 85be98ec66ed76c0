import { type DescEnum, type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { getComments } from "@bufbuild/protoplugin";
import { type FieldRules, field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { JsonField } from "../../gen/gateway.js";
import type { JsonMapping } from "./json-mapping.ts";

type Schema = Record<string, unknown>;

/** Whether a message is read from a request or written into a response: the two have other rules of presence. */
type Direction = "request" | "response";

/** The statuses of docs/errors.md; every one of them carries a Problem. */
const PROBLEM_STATUSES: Record<string, string> = {
  "400": "The request is malformed or breaks a rule; `errors` names every field.",
  "401": "The credential is missing or wrong.",
  "403": "The credential does not have the scope.",
  "404": "The thing does not exist in this project.",
  "409": "The state of the thing does not allow it.",
  "413": "The request is too large.",
  "415": "The content type is not application/json.",
  "429": "Too many calls; Retry-After tells when to try again.",
  "500": "A fault of the service.",
  "501": "The method is not built yet.",
  "503": "The database is out of reach, or the service is overloaded; Retry-After tells when to try again.",
};

/** Makes the OpenAPI 3.1 document of the JSON paths from the mapping, the comments and the field rules. */
export function openApiDocument(mapping: JsonMapping): Schema {
  const schemas = new Map<string, Schema>();
  const builder = new SchemaBuilder(mapping, schemas);
  const paths = mapping.methods.map(({ row, desc }) => {
    const text = comment(desc);
    const operation = {
      operationId: `${desc.parent.name}.${desc.name}`,
      tags: [desc.parent.name],
      summary: text.split(". ")[0]?.replace(/\.$/, ""),
      description: `${text}\n\nScope: \`${row.scope}\`.`,
      requestBody: { required: true, content: json(builder.reference(desc.input, "request")) },
      responses: {
        "200": {
          description: "The answer.",
          headers: { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } },
          content: json(builder.reference(desc.output, "response")),
        },
        ...Object.fromEntries(
          Object.keys(PROBLEM_STATUSES).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
        ),
      },
    };
    return [row.path, { post: operation }] as const;
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "keysvc",
      version: "1",
      description: "Key management and analytics. Every path takes POST with a JSON object and a project credential.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://127.0.0.1:8080" }],
    security: [{ credential: [] }],
    tags: [...new Set(mapping.methods.map(({ desc }) => desc.parent))].map((service) => ({
      name: service.name,
      description: comment(service),
    })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        credential: { type: "http", scheme: "bearer", description: "A project credential, or the operator's own." },
      },
      headers: { "X-Request-Id": { description: "The id of the call.", schema: { type: "string" } } },
      responses: Object.fromEntries(Object.entries(PROBLEM_STATUSES).map(problemResponse)),
      schemas: { ...Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))), Problem: PROBLEM },
    },
  };
}

const PROBLEM: Schema = {
  type: "object",
  description: "What went wrong (RFC 9457).",
  required: ["type", "title", "status", "detail", "code", "requestId"],
  properties: {
    type: { type: "string", format: "uri-reference", description: "Identifies the kind of problem." },
    title: { type: "string", description: "The kind of problem, for people." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "This problem, for people." },
    code: { type: "string", description: "The gRPC code in snake_case." },
    requestId: { type: "string", description: "The id of the call." },
    errors: {
      type: "array",
      description: "The fields that are at fault.",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: { field: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

function problemResponse([status, description]: [string, string]): [string, Schema] {
  return [
    status,
    { description, content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } },
  ];
}

function json(schema: Schema): Schema {
  return { "application/json": { schema } };
}

function comment(desc: Parameters<typeof getComments>[0]): string {
  return (getComments(desc).leading ?? "")
    .split("\n")
    .map((line) => line.trim())
    .join(" ")
    .trim();
}

/** Collects the schemas of messages as they are referred to. */
class SchemaBuilder {
  readonly #mapping: JsonMapping;
  readonly #schemas: Map<string, Schema>;

  constructor(mapping: JsonMapping, schemas: Map<string, Schema>) {
    this.#mapping = mapping;
    this.#schemas = schemas;
  }

  reference(message: DescMessage, direction: Direction): Schema {
    const inRequestOnly = message.name.endsWith("Request");
    const name = direction === "request" && !inRequestOnly ? `${message.name}Input` : message.name;
    if (!this.#schemas.has(name)) {
      // Taken before it is built, so that a message may refer to itself.
      this.#schemas.set(name, {});
      this.#schemas.set(name, this.#build(message, direction));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #build(message: DescMessage, direction: Direction): Schema {
    const fields = this.#mapping.messages.get(message)?.fields ?? [];
    if (fields.some((field) => field.inline)) return this.#anyOf(message, direction);
    const properties = fields.map((field) => {
      return [field.name, this.#property(fieldOf(message, field), field, direction)] as const;
    });
    const required = fields
      .filter((field) => (direction === "request" ? field.required : !field.omitWhenUnset))
      .map((field) => field.name);
    return {
      type: "object",
      description: comment(message),
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(properties),
      additionalProperties: false,
    };
  }

  /** A message whose fields are written in place of it, one at a time. */
  #anyOf(message: DescMessage, direction: Direction): Schema {
    const parts = message.fields.flatMap((field) => (field.message ? [this.reference(field.message, direction)] : []));
    return { description: comment(message), anyOf: parts };
  }

  #property(desc: DescField, field: JsonField, direction: Direction): Schema {
    const rules = getOption(desc, fieldRules);
    const item = this.#value(desc, field, direction, rules);
    const list = field.list && {
      type: "array",
      items: item,
      ...(rules.type.case === "repeated" && bounds(rules.type.value, { minItems: "minItems", maxItems: "maxItems" })),
    };
    const single = list && field.singleOrList && direction === "request" ? { anyOf: [item, list] } : undefined;
    const schema = single ?? list ?? item;
    const nullable = direction === "request" ? !field.required : field.nullable && !field.omitWhenUnset;
    return { description: comment(desc), ...(nullable ? orNull(schema) : schema) };
  }

  #value(desc: DescField, field: JsonField, direction: Direction, rules: FieldRules): Schema {
    const own = rules.type.case === "repeated" ? rules.type.value.items : rules;
    const looser = field.stringOrNumber && direction === "request";
    switch (field.kind) {
      case "string":
        return { type: looser ? ["string", "number"] : "string", ...stringRules(own) };
      case "bool":
        return { type: "boolean" };
      case "int":
      case "long":
        return { type: looser ? ["integer", "string"] : "integer", ...integerRules(own, field.kind) };
      case "double":
        return { type: "number" };
      case "timestamp":
        return { type: "string", format: "date-time" };
      case "struct":
        return { type: "object", additionalProperties: true };
      case "enum":
        return { type: "string", enum: this.#words(desc.enum, own) };
      case "message":
        if (desc.message === undefined) throw new Error(`${desc} is no message`);
        return this.reference(desc.message, direction);
    }
  }

  #words(enumeration: DescEnum | undefined, rules: FieldRules | undefined): (string | null)[] {
    const words = (enumeration && this.#mapping.enums.get(enumeration)) ?? [];
    const excluded = rules?.type.case === "enum" ? rules.type.value.notIn : [];
    return words.filter((word, number) => word !== null && !excluded.includes(number));
  }
}

function fieldOf(message: DescMessage, field: JsonField): DescField {
  const desc = message.field[field.name];
  if (desc === undefined) throw new Error(`${message.typeName} has no field ${field.name}`);
  return desc;
}

function orNull(schema: Schema): Schema {
  if (Array.isArray(schema.enum)) return { ...schema, type: ["string", "null"], enum: [...schema.enum, null] };
  if (typeof schema.type === "string") return { ...schema, type: [schema.type, "null"] };
  if (Array.isArray(schema.type)) return { ...schema, type: [...schema.type, "null"] };
  return { anyOf: [schema, { type: "null" }] };
}

function stringRules(rules: FieldRules | undefined): Schema {
  if (rules?.type.case !== "string") return rules?.required ? { minLength: 1 } : {};
  const { value } = rules.type;
  return {
    ...(rules.required && { minLength: 1 }),
    ...bounds(value, { minLen: "minLength", maxLen: "maxLength" }),
    // JSON Schema counts characters; a bound in bytes can only be looser there.
    ...(Number(value.maxBytes) > 0 && { maxLength: Number(value.maxBytes) }),
    ...(value.pattern !== "" && { pattern: value.pattern }),
  };
}

function integerRules(rules: FieldRules | undefined, kind: "int" | "long"): Schema {
  const format = { format: kind === "int" ? "int32" : "int64" };
  if (rules?.type.case !== "int32" && rules?.type.case !== "int64") return format;
  const { greaterThan, lessThan } = rules.type.value;
  return {
    ...format,
    ...(greaterThan.case === "gte" && { minimum: Number(greaterThan.value) }),
    ...(lessThan.case === "lte" && { maximum: Number(lessThan.value) }),
  };
}

/** The bounds that are set, under their names in JSON Schema. */
function bounds<Rules extends object>(rules: Rules, names: Partial<Record<keyof Rules, string>>): Schema {
  const set = Object.entries(names).filter(([name]) => Number(Reflect.get(rules, name)) > 0);
  return Object.fromEntries(set.map(([name, keyword]) => [keyword, Number(Reflect.get(rules, name))]));
}
