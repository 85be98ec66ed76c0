import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import type { JsonField } from "../../gen/gateway.js";
import type { JsonMapping } from "./json-mapping.ts";
import { comment } from "./openapi-schemas.ts";

/** Whether a message is read from a request or written into a response: the two have other rules of presence. */
export type Direction = "request" | "response";

/** Collects the TypeScript declarations of messages and enums, as the JSON paths have them, while they are referred to. */
export class ClientTypes {
  readonly #mapping: JsonMapping;
  readonly #declarations = new Map<string, string>();
  readonly #owners = new Map<string, DescMessage | DescEnum>();

  constructor(mapping: JsonMapping) {
    this.#mapping = mapping;
  }

  /** The name of a message's type. */
  reference(message: DescMessage, direction: Direction): string {
    const plain = withoutService(message.name);
    const name = direction === "request" && !message.name.endsWith("Request") ? `${plain}Input` : plain;
    this.#declare(name, message, () => this.#message(name, message, direction));
    return name;
  }

  /** Whether a request has a field that must be given. */
  isNeeded(message: DescMessage): boolean {
    return this.#mapping.messages.get(message)?.fields.some(({ required }) => required) ?? false;
  }

  /** Every declaration, by name. */
  declarations(): string[] {
    return [...this.#declarations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  #declare(name: string, owner: DescMessage | DescEnum, text: () => string): void {
    const known = this.#owners.get(name);
    if (known !== undefined && known !== owner) throw new Error(`${name} would be ${known} and ${owner}`);
    if (known === owner) return;
    // Taken before it is built, so that a message may refer to itself.
    this.#owners.set(name, owner);
    this.#declarations.set(name, text());
  }

  #message(name: string, message: DescMessage, direction: Direction): string {
    const fields = this.#mapping.messages.get(message)?.fields ?? [];
    const doc = docComment(comment(message), "");
    if (fields.some(({ inline }) => inline)) {
      const parts = fields.map((field) => this.#value(fieldOf(message, field), field, direction));
      return `${doc}export type ${name} = ${parts.join(" | ")};\n`;
    }
    const lines = fields.map((field) => {
      const desc = fieldOf(message, field);
      return `${docComment(comment(desc), "  ")}  ${this.#property(desc, field, direction)};`;
    });
    return `${doc}export interface ${name} {${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}}\n`;
  }

  #property(desc: DescField, field: JsonField, direction: Direction): string {
    const item = this.#value(desc, field, direction);
    const list = field.list ? `${item.includes(" | ") ? `(${item})` : item}[]` : item;
    if (direction === "response") {
      if (field.omitWhenUnset) return `${field.name}?: ${list}`;
      return `${field.name}${field.omitWithout === undefined ? "" : "?"}: ${list}${field.nullable ? " | null" : ""}`;
    }
    const type = field.list && field.singleOrList ? `${item} | ${list}` : list;
    return field.required ? `${field.name}: ${type}` : `${field.name}?: ${type} | null | undefined`;
  }

  #value(desc: DescField, field: JsonField, direction: Direction): string {
    const looser = field.stringOrNumber && direction === "request";
    switch (field.kind) {
      case "string":
        return looser ? "string | number" : "string";
      case "bool":
        return "boolean";
      case "int":
      case "long":
      case "double":
        return looser ? "number | string" : "number";
      case "timestamp":
        return "string";
      case "struct":
        return "JsonObject";
      case "enum":
        return this.#enum(desc);
      case "message":
        if (desc.message === undefined) throw new Error(`${desc} is no message`);
        return this.reference(desc.message, direction);
    }
  }

  #enum(desc: DescField): string {
    const { enum: enumeration } = desc;
    if (enumeration === undefined) throw new Error(`${desc} is no enum`);
    const words = this.#mapping.enums.get(enumeration)?.filter((word) => word !== null) ?? [];
    const text = () =>
      `${docComment(comment(enumeration), "")}export type ${enumeration.name} = ${words.map((word) => JSON.stringify(word)).join(" | ")};\n`;
    this.#declare(enumeration.name, enumeration, text);
    return enumeration.name;
  }
}

/** `ConsumerServiceCreateRequest` is `ConsumerCreateRequest` to a user of the client, `IngestServiceIngestRequest` `IngestRequest`. */
function withoutService(name: string): string {
  const [, service, rest] = /^([A-Z][A-Za-z]*?)Service([A-Z]\w*)$/.exec(name) ?? [];
  if (service === undefined || rest === undefined) return name;
  return rest.startsWith(service) ? rest : service + rest;
}

function fieldOf(message: DescMessage, field: JsonField): DescField {
  const desc = message.field[field.name];
  if (desc === undefined) throw new Error(`${message.typeName} has no field ${field.name}`);
  return desc;
}

/** A TSDoc comment of one text, on lines of its own. */
export function docComment(text: string, indent: string): string {
  const safe = text.replaceAll("*/", "* /");
  return safe === "" ? "" : `${indent}/** ${safe} */\n`;
}
