import type { DescMessage } from "@bufbuild/protobuf";
import { VERSION } from "../lib/version.ts";
import type { JsonMapping } from "./json-mapping.ts";
import { headerReferences, problemReferences, SHARED_COMPONENTS } from "./openapi-problems.ts";
import { comment, type Schema, SchemaBuilder } from "./openapi-schemas.ts";

type MappedMethod = JsonMapping["methods"][number];

const DESCRIPTION =
  "Key management and analytics. Every path takes POST with a JSON object and a project credential. " +
  "Every operation lists the problems that any of them may answer, whether this one can or not.";

/** A verdict repeats in headers what it says of its rate limit; what was measured over a window and is no page may be kept. */
function headersOf({ field }: DescMessage): Schema {
  if (field.retryAfterSeconds !== undefined) return headerReferences("RateLimit-Policy", "RateLimit", "Retry-After");
  const isKept = field.timeRange !== undefined && field.nextCursor === undefined;
  return isKept ? headerReferences("Age") : headerReferences();
}

function hasRequired({ messages }: JsonMapping, input: DescMessage): boolean {
  return messages.get(input)?.fields.some(({ required }) => required) ?? false;
}

/** Makes the OpenAPI 3.1 document of the JSON paths from the mapping, the comments and the field rules. */
export function openApiDocument(mapping: JsonMapping): Schema {
  const schemas = new Map<string, Schema>();
  const builder = new SchemaBuilder(mapping, schemas);
  const paths = mapping.methods.map(({ row, desc, example }) => {
    const text = comment(desc);
    if (example === undefined) throw new Error(`${desc.parent.typeName}.${desc.name} has no example`);
    const operation = {
      operationId: `${desc.parent.name}.${desc.name}`,
      tags: [desc.parent.name],
      summary: text.split(". ")[0]?.replace(/\.$/, ""),
      description: `${text}\n\nScope: \`${row.scope}\`.`,
      // No body at all is {}.
      requestBody: {
        required: hasRequired(mapping, desc.input),
        content: json(builder.reference(desc.input, "request"), { example }),
      },
      responses: {
        "200": {
          description: "The answer.",
          headers: headersOf(desc.output),
          content: answerContent({ row, desc, example }, mapping, builder),
        },
        ...problemReferences(row.streaming || row.rowsBy !== undefined),
      },
    };
    return [row.path, { post: operation }] as const;
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "keysvc",
      version: VERSION,
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    // Against the address that the document is read from: every service gives its own.
    servers: [{ url: "/", description: "The service that this document is read from." }],
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
      headers: SHARED_COMPONENTS.headers,
      responses: SHARED_COMPONENTS.responses,
      schemas: {
        ...Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
        Problem: SHARED_COMPONENTS.problem,
      },
    },
  };
}

/** What an answer may be, by content type; the first is the default. */
function answerContent(method: MappedMethod, mapping: JsonMapping, builder: SchemaBuilder): Schema {
  const { row, desc } = method;
  const rows = row.rowsBy === undefined ? undefined : mapping.methods.find((other) => other.row.path === row.rowsBy);
  if (!row.streaming) {
    const page = json(builder.reference(desc.output, "response"));
    if (rows === undefined) return page;
    const { "text/event-stream": _events, ...files } = rowContent(rows, builder);
    return { ...page, ...files };
  }
  const { "text/event-stream": events, ...files } = rowContent(method, builder);
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

function json(schema: Schema, more: Schema = {}): Schema {
  return { "application/json": { schema, ...more } };
}
