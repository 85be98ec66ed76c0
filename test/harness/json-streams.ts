import { request as httpRequest, type IncomingMessage } from "node:http";
import type { ClientHttp2Session } from "node:http2";
import { request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { type StreamClient, StreamFailure } from "./stream-clients.ts";

/** An answer whose body is still coming. */
export interface OpenAnswer {
  status: number;
  header: (name: string) => string | undefined;
  body: Readable;
}

/** Posts a body, and resolves with the headers of the answer. */
export type OpenSender = (
  path: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
) => Promise<OpenAnswer>;

/** Over HTTP/1.1, on a connection of its own. */
export function http1Opener(url: string, ca?: string): OpenSender {
  const request = url.startsWith("https:") ? httpsRequest : httpRequest;
  return (path, headers, body, signal) =>
    new Promise((resolve, reject) => {
      const options = { method: "POST", headers, signal, agent: false as const, ...(ca !== undefined && { ca }) };
      const sent = request(`${url}${path}`, options, (response: IncomingMessage) => {
        const header = (name: string) => response.headers[name]?.toString();
        resolve({ status: response.statusCode ?? 0, header, body: response });
      });
      sent.on("error", reject).end(body);
    });
}

/** Over a session of HTTP/2. */
export function http2Opener(session: ClientHttp2Session): OpenSender {
  return (path, headers, body, signal) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ":method": "POST", ":path": path, ...headers }, { signal });
      stream.on("response", (received) => {
        const header = (name: string) => received[name]?.toString();
        resolve({ status: Number(received[":status"]), header, body: stream });
      });
      stream.on("error", reject).end(body);
    });
}

/** A client of a JSON path that accepts rows of a content type. */
export function jsonStreamClient(name: string, accept: keyof typeof READERS, send: OpenSender): StreamClient {
  return {
    name,
    async open({ path }, request, { credential, signal }) {
      const headers = { "content-type": "application/json", authorization: `Bearer ${credential}`, accept };
      const { status, header, body } = await send(path, headers, JSON.stringify(request), signal);
      const requestId = header("x-request-id") ?? null;
      if (status === 200) return { requestId, rows: READERS[accept](textLines(body)) };
      throw problemFailure((await linesOf(textLines(body))).join("\n"));
    },
  };
}

type Rows = AsyncIterable<Record<string, unknown>>;
type Lines = AsyncGenerator<string>;

const READERS = {
  "text/event-stream": eventRows,
  "application/x-ndjson": jsonRows,
  "text/csv": csvRows,
};

function problemFailure(text: string): StreamFailure {
  const { code, type, detail } = JSON.parse(text);
  const reason = type.replace("urn:keysvc:problem:", "").replaceAll("-", "_").toUpperCase();
  return new StreamFailure({ code, reason, message: detail });
}

async function* textLines(body: Readable): Lines {
  let rest = "";
  body.setEncoding("utf8");
  try {
    for await (const chunk of body) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch {
    throw new StreamFailure({ code: "broken", reason: undefined, message: "the answer was broken off" });
  }
  if (rest !== "") yield rest;
}

async function linesOf(lines: Lines): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

async function* jsonRows(lines: Lines): Rows {
  for await (const line of lines) yield JSON.parse(line);
}

/** For rows without quotes; the names are those of the first line. */
async function* csvRows(lines: Lines): Rows {
  const header = await lines.next();
  const names = String(header.value).trimEnd().split(",");
  for await (const line of lines) {
    const cells = line.trimEnd().split(",");
    yield Object.fromEntries(names.map((name, index) => [name, cells[index]]));
  }
}

async function* eventRows(lines: Lines): Rows {
  let event = "message";
  for await (const line of lines) {
    if (line === "") event = "message";
    else if (line.startsWith("event: ")) event = line.slice(7);
    else if (!line.startsWith("data: ")) continue;
    else if (event === "end") return;
    else if (event === "error") throw problemFailure(line.slice(6));
    else yield JSON.parse(line.slice(6));
  }
  throw new StreamFailure({ code: "broken", reason: undefined, message: "the events ended without an end" });
}
