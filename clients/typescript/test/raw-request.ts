import { connect } from "node:net";

/** A request that is written as it is. */
export interface RawRequest {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body?: string | undefined;
}

/** What came back. */
export interface RawResponse {
  status: number;
  /** All values of each name, in lower case. */
  headers: Map<string, string[]>;
  body: string;
}

/** Writes a request to a socket, and reads until the connection ends. */
export function sendRaw(port: number, { method, target, headers, body = "" }: RawRequest): Promise<RawResponse> {
  const lines = [`${method} ${target} HTTP/1.1`, "Host: app.test", "Connection: close"];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("end", () => {
      socket.end();
      resolve(parse(Buffer.concat(chunks)));
    });
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  });
}

function parse(bytes: Buffer): RawResponse {
  const split = bytes.indexOf("\r\n\r\n");
  if (split === -1) throw new Error(`no response, but ${bytes.byteLength} bytes`);
  const [statusLine = "", ...lines] = bytes.subarray(0, split).toString("latin1").split("\r\n");
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  const rest = bytes.subarray(split + 4);
  const isChunked = headers.get("transfer-encoding")?.includes("chunked");
  return { status: Number(statusLine.split(" ")[1]), headers, body: (isChunked ? unchunk(rest) : rest).toString() };
}

function unchunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const end = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.subarray(at, end).toString("latin1"), 16);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
