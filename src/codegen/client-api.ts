import type { DescService } from "@bufbuild/protobuf";
import { ClientTypes, docComment } from "./client-types.ts";
import type { JsonMapping } from "./json-mapping.ts";
import { comment } from "./openapi-schemas.ts";

type MappedMethod = JsonMapping["methods"][number];

const HEADER = [
  "// Generated from proto/keysvc/v1 by protoc-gen-keysvc-client. Do not edit.\n",
  'import type { CallOptions, RowStream, SafeCallOptions } from "../src/call.ts";\n',
];

const DECLARATIONS = `/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
/** A JSON object, with data of the caller's own. */
export type JsonObject = { [name: string]: JsonValue };

/** How a method is called. */
export interface MethodRow {
  /** Below the base URL. */
  readonly path: string;
  /** It changes nothing, so that it may be called again. */
  readonly safe?: true;
  /** Milliseconds that the service may take, where that is more than usual. */
  readonly answerTimeoutMs?: number;
  /** It answers rows: until there are no more, or as they come. */
  readonly rows?: "all" | "following";
}
`;

/** The text of the client's generated file: types of requests and answers, the methods by service, and where they are. */
export function clientApi(mapping: JsonMapping): string {
  const types = new ClientTypes(mapping);
  const services = [...new Set(mapping.methods.map(({ desc }) => desc.parent))];
  const interfaces = services.map((service) => serviceInterface(service, methodsOf(service, mapping), types));
  const properties = services.map(
    (service) =>
      `${docComment(comment(service), "  ")}  ${propertyName(service)}: ${service.name.replace(/Service$/, "Methods")};`,
  );
  const rows = services.map((service) => {
    const lines = methodsOf(service, mapping).map((method) => `    ${method.desc.localName}: ${rowText(method)},`);
    return `  ${propertyName(service)}: {\n${lines.join("\n")}\n  },`;
  });
  return [
    ...HEADER,
    DECLARATIONS,
    `/** Every method, by service. */\nexport interface Services {\n${properties.join("\n")}\n}\n`,
    "/** Where every method is. */",
    `export const METHODS: { readonly [S in keyof Services]: { readonly [M in keyof Services[S]]: MethodRow } } = {`,
    `${rows.join("\n")}\n};\n`,
    ...interfaces,
    ...types.declarations(),
  ].join("\n");
}

function methodsOf(service: DescService, { methods }: JsonMapping): MappedMethod[] {
  return methods.filter(({ desc }) => desc.parent === service);
}

function propertyName(service: DescService): string {
  return service.name.charAt(0).toLowerCase() + service.name.slice(1).replace(/Service$/, "");
}

function serviceInterface(service: DescService, methods: MappedMethod[], types: ClientTypes): string {
  const lines = methods.map((method) => `${docComment(comment(method.desc), "  ")}  ${signature(method, types)};`);
  const name = service.name.replace(/Service$/, "Methods");
  return `${docComment(comment(service), "")}export interface ${name} {\n${lines.join("\n")}\n}\n`;
}

function signature({ row, desc }: MappedMethod, types: ClientTypes): string {
  const request = types.reference(desc.input, "request");
  const isNeeded = types.isNeeded(desc.input);
  const options = isSafe(row) ? "SafeCallOptions" : "CallOptions";
  const rowMessage =
    row.rowField === undefined ? desc.output : (desc.output.field[row.rowField]?.message ?? desc.output);
  const answer = row.streaming
    ? `RowStream<${types.reference(rowMessage, "response")}>`
    : types.reference(desc.output, "response");
  return `${desc.localName}(request${isNeeded ? "" : "?"}: ${request}, options?: ${options}): Promise<${answer}>`;
}

/** What needs no more than the scope to read changes nothing. A stream that broke off is for its reader to take up again. */
function isSafe({ scope, streaming }: MappedMethod["row"]): boolean {
  return scope === "read" && !streaming;
}

function rowText({ row }: MappedMethod): string {
  const parts = [`path: ${JSON.stringify(row.path)}`];
  if (isSafe(row)) parts.push("safe: true");
  if (row.answerTimeoutMs !== undefined) parts.push(`answerTimeoutMs: ${row.answerTimeoutMs}`);
  if (row.streaming) parts.push(`rows: "${row.follows ? "following" : "all"}"`);
  return `{ ${parts.join(", ")} }`;
}
