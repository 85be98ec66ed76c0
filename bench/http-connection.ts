import { connect } from "node:net";
import type { OpenConnection } from "./open-connection.ts";

/** One call after the other on a raw HTTP/1.1 connection: much cheaper than the client of Node. */
export const openHttpConnection: OpenConnection = ({ port, credential }, keys, calls) =>
  new Promise((_resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let startMs = 0;
    let text = "";
    const send = () => {
      startMs = performance.now();
      text = "";
      socket.write(requestOf(keys[calls.next()] ?? "", port, credential));
    };
    socket.on("connect", send);
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (!isWhole(text)) return;
      // HTTP/1.1 200
      calls.ended(startMs, text.startsWith("200", 9));
      send();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed a connection")));
  });

/** A validation, as it goes over the wire. */
export function requestOf(key: string, port: number, credential: string): string {
  const body = JSON.stringify({ key });
  const head = [
    "POST /key/validate HTTP/1.1",
    `host: 127.0.0.1:${port}`,
    "content-type: application/json",
    `authorization: Bearer ${credential}`,
    `content-length: ${body.length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  return length !== undefined && text.length >= headEnd + 4 + Number(length);
}
