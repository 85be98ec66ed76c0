import { once } from "node:events";
import { connect } from "node:net";
import type { Request } from "../vectors/middleware/case.ts";

/** An answer as it came, header names in lower case, repeated ones joined with a comma. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Writes a request to a port of 127.0.0.1 as it is, without a client that would tidy it up, and reads the whole answer. */
export async function rawRequest(port: number, { method, target, headers, body = "" }: Request): Promise<RawAnswer> {
  const lines = [["Host", `127.0.0.1:${port}`], ["Connection", "close"], ...headers].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const socket = connect({ port, host: "127.0.0.1" });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  await once(socket, "end");
  socket.destroy();
  return parse(Buffer.concat(chunks));
}

function parse(answer: Buffer): RawAnswer {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) throw new Error(`no answer: ${answer}`);
  const [statusLine = "", ...lines] = answer.subarray(0, end).toString().split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const rest = answer.subarray(end + 4);
  const chunked = headers["transfer-encoding"] === "chunked";
  return { status: Number(statusLine.split(" ")[1]), headers, body: chunked ? joinChunks(rest) : rest };
}

/** The data of a chunked body. */
function joinChunks(rest: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < rest.length; ) {
    const lineEnd = rest.indexOf("\r\n", at);
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString(), 16);
    if (!(size > 0)) break;
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
