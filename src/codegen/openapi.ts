import type { DescMessage } from "@bufbuild/protobuf";
import { VERSION } from "../lib/version.ts";
import type { JsonMapping } from "./json-mapping.ts";
import { comment, type Schema, SchemaBuilder } from "./openapi-schemas.ts";

type MappedMethod = JsonMapping["methods"][number];

/** The statuses of docs/errors.md; every one of them carries a Problem. */
const PROBLEM_STATUSES: Record<string, string> = {
  "400": "The request is malformed or breaks a rule; `errors` names every field.",
  "401": "The credential is missing or wrong.",
  "403": "The credential does not have the scope.",
  "404": "The thing does not exist in this project.",
  "406": "None of the content types that Accept names is served here.",
  "409": "The state of the thing does not allow it.",
  "413": "The request is too large.",
  "415": "The content type is not application/json.",
  "429": "Too many calls; Retry-After tells when to try again.",
  "500": "A fault of the service.",
  "501": "The method is not built yet.",
  "503": "The database is out of reach, or the service is overloaded; Retry-After tells when to try again.",
};

const HEADERS: Record<string, string> = {
  "X-Request-Id": "The id of the call.",
  "RateLimit-Policy": "Of a consumer with a rate limit: its calls (q) per window of so many seconds (w).",
  RateLimit: "Of a consumer with a rate limit: the calls left (r), and the seconds until the next window (t).",
  "Retry-After": "Of a denial that passes: the seconds until then, as in `retryAfterSeconds`.",
};

/** A verdict repeats in headers what it says of its rate limit. */
function headersOf(output: DescMessage): Schema {
  const isVerdict = output.field.retryAfterSeconds !== undefined;
  const names = isVerdict ? Object.keys(HEADERS) : ["X-Request-Id"];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function hasRequired({ messages }: JsonMapping, input: DescMessage): boolean {
  return messages.get(input)?.fields.some(({ required }) => required) ?? false;
}

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
      // No body at all is {}.
      requestBody: {
        required: hasRequired(mapping, desc.input),
        content: json(builder.reference(desc.input, "request")),
      },
      responses: {
        "200": {
          description: "The answer.",
          headers: headersOf(desc.output),
          content: answerContent({ row, desc }, mapping, builder),
        },
        ...Object.fromEntries(
          problemStatuses(row).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
        ),
      },
    };
    return [row.path, { post: operation }] as const;
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "keysvc",
      version: VERSION,
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
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
      ),
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

/** Accept is looked at only where there is a choice. */
function problemStatuses({ streaming, rowsBy }: MappedMethod["row"]): string[] {
  const hasChoice = streaming || rowsBy !== undefined;
  return Object.keys(PROBLEM_STATUSES).filter((status) => hasChoice || status !== "406");
}

/** What an answer may be, by content type; the first is the default. */
function answerContent({ row, desc }: MappedMethod, mapping: JsonMapping, builder: SchemaBuilder): Schema {
  const rows = row.rowsBy === undefined ? undefined : mapping.methods.find((other) => other.row.path === row.rowsBy);
  if (!row.streaming) {
    const page = json(builder.reference(desc.output, "response"));
    if (rows === undefined) return page;
    const { "text/event-stream": _events, ...files } = rowContent(rows, builder);
    return { ...page, ...files };
  }
  const { "text/event-stream": events, ...files } = rowContent({ row, desc }, builder);
  return row.follows ? { "text/event-stream": events, ...files } : { ...files, "text/event-stream": events };
}

/** The rows of a streaming method: the schema is that of one row, but for text/csv. */
function rowContent({ row, desc }: MappedMethod, builder: SchemaBuilder): Record<string, Schema> {
  const message = row.rowField === undefined ? desc.output : desc.output.field[row.rowField]?.message;
  const schema = builder.reference(message ?? desc.output, "response");
  return {
    "application/x-ndjson": { schema },
    "text/csv": { schema: { type: "string" } },
    "text/event-stream": { schema },
  };
}

function json(schema: Schema): Schema {
  return { "application/json": { schema } };
}
