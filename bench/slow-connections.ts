import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";

export interface SlowPlan {
  port: number;
  connections: number;
  credential: string;
}

/** How many were opened, and ended by the service. */
export interface SlowFigures {
  opened: number;
  ended: number;
}

/** Opens one connection that is slow in its way, and tells when it is closed. */
type OpenSlow = (plan: SlowPlan, onClose: () => void) => void;

const BYTE_MS = 1_000;
/** So many are opened at once, so that it is not the opening that is measured. */
const BURST = 50;
const BURST_MS = 50;

/** Every way to be slow in turns; one that is closed is opened again. */
export function openSlowConnections(plan: SlowPlan): () => SlowFigures {
  const ways = [slowHeaders, slowBody, slowReader, silent, silentStreams];
  const figures = { opened: 0, ended: 0 };
  const open = (way: OpenSlow): void => {
    figures.opened++;
    way(plan, () => {
      figures.ended++;
      setTimeout(() => open(way), BYTE_MS);
    });
  };
  for (let index = 0; index < plan.connections; index++) {
    const way = ways[index % ways.length];
    if (way !== undefined) setTimeout(() => open(way), Math.floor(index / BURST) * BURST_MS);
  }
  return () => figures;
}

function openSocket({ port }: SlowPlan, onClose: () => void): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  socket.once("close", onClose);
  return socket;
}

/** A byte a second, until the connection is closed. */
function drip(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), BYTE_MS);
  socket.once("close", () => clearInterval(timer));
}

function slowHeaders(plan: SlowPlan, onClose: () => void): void {
  const socket = openSocket(plan, onClose);
  socket.resume();
  socket.write("POST /key/validate HTTP/1.1\r\nhost: a\r\nx-slow: ");
  drip(socket, "a");
}

function slowBody(plan: SlowPlan, onClose: () => void): void {
  const socket = openSocket(plan, onClose);
  socket.resume();
  socket.write(headOf(plan, "/key/validate", 1_000));
  drip(socket, " ");
}

/** Reads its answer slowly. */
function slowReader(plan: SlowPlan, onClose: () => void): void {
  const socket = openSocket(plan, onClose);
  socket.pause();
  const body = '{"limit":200}';
  socket.write(`${headOf(plan, "/consumer/list", body.length)}${body}`);
  const timer = setInterval(() => socket.read(1), BYTE_MS);
  socket.once("close", () => clearInterval(timer));
}

function silent(plan: SlowPlan, onClose: () => void): void {
  openSocket(plan, onClose).resume();
}

/** Streams of HTTP/2 whose bodies never come. */
function silentStreams({ port, credential }: SlowPlan, onClose: () => void): void {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on("error", () => undefined);
  session.once("close", onClose);
  for (let index = 0; index < 10; index++) {
    const headers = { "content-type": "application/json", authorization: `Bearer ${credential}` };
    const stream = session.request({ ":method": "POST", ":path": "/key/validate", ...headers });
    stream.on("error", () => undefined).resume();
  }
}

function headOf({ port, credential }: SlowPlan, path: string, length: number): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    "content-type: application/json",
    `authorization: Bearer ${credential}`,
    `content-length: ${length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n`;
}
