import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type JsonField, messages } from "../../gen/gateway.js";
import { fieldEncoder } from "./encode-json.ts";

/** Rows as text/csv (RFC 4180). */
export interface CsvTable {
  /** The line of names, with its end. */
  header: string;
  /** A line of cells, with its end. */
  row: (message: Message) => string;
}

interface Column {
  name: string;
  /** Writes the cell. */
  cell: (message: Message) => string;
}

const LINE_END = "\r\n";
/** What makes a spreadsheet take a cell for a formula, or for what comes before one. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * The table of a message: a column for each field, under its name in JSON. Values are written as in JSON, texts without
 * quotes of JSON, what is unset as an empty cell; lists and objects are JSON in a cell.
 */
export function csvTable(schema: DescMessage): CsvTable {
  const columns = columnsOf(schema, (message) => message);
  return {
    header: columns.map(({ name }) => quote(name)).join(",") + LINE_END,
    row: (message) => columns.map(({ cell }) => cell(message)).join(",") + LINE_END,
  };
}

function columnsOf(schema: DescMessage, locate: (message: Message) => Message | undefined): Column[] {
  const mapping = messages[schema.typeName];
  if (mapping === undefined) throw new Error(`${schema.typeName} is not in the gateway table`);
  return mapping.fields.flatMap((field) => {
    const read = (message: Message): unknown => {
      const holder = locate(message);
      return holder === undefined ? undefined : Reflect.get(holder, field.name);
    };
    const nested = field.inline ? schema.field[field.name]?.message : undefined;
    // A message field holds a message of its type, or nothing.
    if (nested !== undefined) return columnsOf(nested, (message) => read(message) as Message | undefined);
    const write = cellWriter(schema, field);
    return [{ name: field.name, cell: (message) => write(read(message)) }];
  });
}

/** Numbers are no texts: -5 is no formula. */
function cellWriter(schema: DescMessage, field: JsonField): (value: unknown) => string {
  const encode = fieldEncoder(schema, field);
  const toJson = (value: unknown) => (value === undefined ? undefined : encode(value)) ?? "";
  if (field.list) return (value) => text(toJson(value));
  switch (field.kind) {
    case "bool":
    case "int":
    case "long":
      return toJson;
    case "double":
      // Infinity is null in JSON.
      return (value) => (Number.isFinite(value) ? toJson(value) : "");
    case "string":
      return (value) => (value === undefined ? "" : text(String(value)));
    case "enum":
    case "timestamp":
      return (value) => {
        const json = toJson(value);
        return json === "" ? "" : text(String(JSON.parse(json)));
      };
    default:
      return (value) => text(toJson(value));
  }
}

function text(value: string): string {
  return quote(FORMULA.test(value) ? `'${value}` : value);
}

function quote(value: string): string {
  return NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
