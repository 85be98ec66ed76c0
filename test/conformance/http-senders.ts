import { type Agent, request as httpRequest } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request as httpsRequest, type Agent as SecureAgent } from "node:https";
import type { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";

export interface HttpAnswer {
  status: number;
  httpVersion: string;
  header: (name: string) => string | undefined;
  text: string;
}

/** Posts a body to a path. Of rows that are accepted as NDJSON the first one is read, for there may be no last one. */
export type Sender = (path: string, headers: Record<string, string>, body: string) => Promise<HttpAnswer>;

/** Sends over HTTP/1.1, also over TLS, by the connections of the agent. */
export function http1Sender(url: string, agent: Agent | SecureAgent): Sender {
  const request = url.startsWith("https:") ? httpsRequest : httpRequest;
  return (path, headers, body) =>
    new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { method: "POST", headers, agent }, (response) => {
        const header = (name: string) => response.headers[name]?.toString();
        readAnswer(response, headers.accept).then(
          (text) => resolve({ status: response.statusCode ?? 0, httpVersion: response.httpVersion, header, text }),
          reject,
        );
      });
      sent.on("error", reject).end(body);
    });
}

/** Sends over one connection of HTTP/2: by prior knowledge in plain text, by ALPN over TLS. */
export function http2Sender(url: string, ca?: string): { send: Sender; close: () => void } {
  const session = connectHttp2(url, { ...(ca !== undefined && { ca }) });
  const send: Sender = (path, headers, body) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ":method": "POST", ":path": path, ...headers });
      stream.on("response", (received) => {
        const header = (name: string) => received[name]?.toString();
        readAnswer(stream, headers.accept).then(
          (text) => resolve({ status: Number(received[":status"]), httpVersion: "2.0", header, text }),
          reject,
        );
      });
      stream.on("error", reject).end(body);
    });
  return { send, close: () => session.close() };
}

async function readAnswer(body: Readable, accept: string | undefined): Promise<string> {
  if (accept !== "application/x-ndjson") return readText(body);
  let text = "";
  for await (const chunk of body.setEncoding("utf8")) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split("\n", 1)[0] ?? "";
}
