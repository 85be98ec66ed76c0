import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { GatewayMethod } from "../../gen/gateway.js";
import type { Fault } from "../lib/fault.ts";
import { csvTable } from "./csv-table.ts";
import { encodeJson } from "./encode-json.ts";
import { toProblem } from "./problem.ts";

/** How the messages of a stream are written. */
export interface RowFormat {
  headers: Record<string, string>;
  /** What comes before all rows. */
  head: string;
  row: (message: Message) => string;
  /** What comes after the last row. */
  end: string;
  /** What a fault after the beginning is told as; absent: the connection is broken off, so that no part is taken for the whole. */
  fault?: (fault: Fault, requestId: string) => string;
  /** Sent now and then while there are no rows; absent: nothing is. */
  heartbeat?: string;
}

export const EVENT_STREAM = "text/event-stream";
export const NDJSON = "application/x-ndjson";
/** With the parameters of RFC 4180 and RFC 7111. */
export const CSV = "text/csv; charset=utf-8; header=present";

/** Every way to write the messages of a streaming method, by content type; the default first. */
export function rowFormats(method: GatewayMethod): Map<string, RowFormat> {
  const { schema, read } = rowOf(method);
  const toJson = (message: Message) => encodeJson(schema, read(message));
  const events: RowFormat = {
    // Proxies that gather answers are asked not to.
    headers: headers(EVENT_STREAM, { "x-accel-buffering": "no" }),
    head: "",
    row: (message) => `data: ${toJson(message)}\n\n`,
    end: "event: end\ndata: {}\n\n",
    fault: faultEvent,
    heartbeat: ":\n\n",
  };
  const lines: RowFormat = { headers: headers(NDJSON), head: "", row: (message) => `${toJson(message)}\n`, end: "" };
  const table = csvTable(schema);
  const csv: RowFormat = {
    headers: headers(CSV, { "content-disposition": `attachment; filename="${fileName(method)}"` }),
    head: table.header,
    row: (message) => table.row(read(message)),
    end: "",
  };
  const files: [string, RowFormat][] = [
    [NDJSON, lines],
    [CSV, csv],
  ];
  return new Map(method.follows ? [[EVENT_STREAM, events], ...files] : [...files, [EVENT_STREAM, events]]);
}

/** A row is the message in the streamed message's only field, or else the streamed message. */
function rowOf({ rpc, rowField }: GatewayMethod): { schema: DescMessage; read: (message: Message) => Message } {
  const { output } = rpc;
  const schema = rowField === undefined ? undefined : output.field[rowField]?.message;
  if (rowField === undefined || schema === undefined) return { schema: output, read: (message) => message };
  // The field of a message that is streamed is set: it is all that there is to say.
  return { schema, read: (message) => Reflect.get(message, rowField) as Message };
}

function faultEvent(fault: Fault, requestId: string): string {
  const retry = fault.retryAfterSeconds === undefined ? "" : `retry: ${fault.retryAfterSeconds * 1_000}\n`;
  return `event: error\n${retry}data: ${JSON.stringify(toProblem(fault, requestId))}\n\n`;
}

function headers(contentType: string, more: Record<string, string> = {}): Record<string, string> {
  return { "content-type": contentType, ...more };
}

function fileName({ path }: GatewayMethod): string {
  return `${path.slice(1).replaceAll("/", "-")}.csv`;
}
