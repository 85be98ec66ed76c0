import { connect, type Socket } from "node:net";

/** Calls of HTTP/1.1 at a rate, over a few connections that are kept. */
export interface Pace {
  port: number;
  connections: number;
  callsPerSecond: number;
}

export interface PacedCalls {
  /** The bytes of the next call. */
  next(): string;
  /** @param elapsedMs since the call was due: what it waited for a free connection is part of it */
  ended(elapsedMs: number, status: number): void;
  /** A connection broke, with a call on it or without. */
  broken(): void;
}

const TICK_MS = 1;
/** Calls that are due and find no connection free; beyond it the rate is not what it should be, and is told as it was. */
const WAITING_MAX = 20_000;

/**
 * An open loop: calls are sent when they are due, however late the answers are, and are timed from when they were due. One
 * call at a time on a connection.
 */
export function startPacedCalls({ port, connections, callsPerSecond }: Pace, calls: PacedCalls): void {
  const free: ((dueMs: number) => void)[] = [];
  const waiting: number[] = [];
  for (let index = 0; index < connections; index++) open();
  let nextMs = performance.now();
  setInterval(() => {
    const nowMs = performance.now();
    for (; nextMs <= nowMs; nextMs += 1_000 / callsPerSecond) {
      const send = free.pop();
      if (send !== undefined) send(nextMs);
      else if (waiting.length < WAITING_MAX) waiting.push(nextMs);
    }
  }, TICK_MS);

  function open(): void {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let dueMs = 0;
    const send = (due: number): void => {
      dueMs = due;
      socket.write(calls.next());
    };
    const ready = (): void => {
      const due = waiting.shift();
      if (due === undefined) free.push(send);
      else send(due);
    };
    onAnswers(socket, (status) => {
      calls.ended(performance.now() - dueMs, status);
      ready();
    });
    socket.once("connect", ready);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      calls.broken();
      const at = free.indexOf(send);
      if (at >= 0) free.splice(at, 1);
      setTimeout(open, 100);
    });
  }
}

/** Tells the status of each answer once it is there as a whole. */
function onAnswers(socket: Socket, tell: (status: number) => void): void {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    const headEnd = text.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const lengthAt = text.indexOf("content-length: ");
    if (lengthAt < 0 || text.length < headEnd + 4 + Number.parseInt(text.slice(lengthAt + 16, lengthAt + 26), 10))
      return;
    const status = Number(text.slice(9, 12));
    text = "";
    tell(status);
  });
}
