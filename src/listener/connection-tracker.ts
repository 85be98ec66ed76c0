import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/** Idle connections get this long to send what was under way to us when the stop began; then we end our side. */
const IDLE_GRACE_MS = 300;
/** Then, after this long, they are cut. A cut while an answer is on its way could lose it, an end cannot. */
const IDLE_END_MS = 1_500;
const POLL_MS = 20;

interface Connection {
  /** Under way. */
  calls: number;
  /** Of the last call of HTTP/1.1, while it is not through. */
  response: ServerResponse | undefined;
}

/** Knows which connections have calls under way, so that a stop loses no answer and waits for no idle client. */
export class ConnectionTracker {
  readonly #connections = new Map<Socket, Connection>();
  /** Connections over TLS that have not come to be ones, by the address of their client. */
  readonly #handshakes = new Map<string, Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #stopping = false;

  /** Follows a connection until it closes. */
  add(socket: Socket): void {
    if (this.#connections.has(socket)) return;
    this.#connections.set(socket, { calls: 0, response: undefined });
    socket.once("close", () => this.#connections.delete(socket));
  }

  /** Follows a connection that begins with a handshake. */
  addHandshake(socket: Socket): void {
    const remote = remoteOf(socket);
    this.#handshakes.set(remote, socket);
    socket.once("close", () => {
      if (this.#handshakes.get(remote) === socket) this.#handshakes.delete(remote);
    });
  }

  /** Follows the connections and calls of a server. */
  watch(server: Server | Http2Server | Http2SecureServer): void {
    // The events are those of net, http and http2, whose types do not share them.
    const events = server as Server;
    events.on("secureConnection", (socket: Socket) => {
      // From here on the connection is followed as this socket, and no longer as the one below TLS.
      this.#handshakes.delete(remoteOf(socket));
      this.add(socket);
    });
    events.on("session", (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
    });
    events.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
      // HTTP/2 sessions know their own streams.
      if (request.httpVersionMajor !== 1) return;
      // Our side is closed already: what cannot be answered must not be begun.
      if (request.socket.writableEnded) request.socket.destroy();
      this.#follow(request.socket, response);
    });
  }

  #follow(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.calls++;
    connection.response = response;
    if (this.#stopping) response.setHeader("connection", "close");
    response.once("close", () => {
      connection.calls--;
      if (connection.response === response) connection.response = undefined;
    });
  }

  /** Resolves when every connection is closed: idle ones after a grace, all others when their calls end or time is up. */
  async drain(deadlineMs: number): Promise<void> {
    this.#stopping = true;
    for (const session of this.#sessions) session.close();
    // Their clients then send nothing more on these connections, which could not be answered.
    for (const { response } of this.#connections.values()) {
      if (response?.headersSent === false) response.setHeader("connection", "close");
    }
    for (const socket of this.#handshakes.values()) socket.destroy();
    const start = performance.now();
    while (this.#connections.size > 0) {
      const elapsedMs = performance.now() - start;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (elapsedMs > deadlineMs) for (const socket of this.#connections.keys()) socket.destroy();
      else if (elapsedMs > IDLE_END_MS) for (const socket of this.#idleSockets()) socket.destroy();
      else if (elapsedMs > IDLE_GRACE_MS) for (const socket of this.#idleSockets()) socket.end();
    }
  }

  /** Connections of HTTP/1.1 without a call. Sessions of HTTP/2 close by themselves when their streams have ended. */
  #idleSockets(): Socket[] {
    const idle = [...this.#connections].filter(([socket, { calls }]) => calls === 0 && !this.#isHttp2(socket));
    return idle.map(([socket]) => socket);
  }

  #isHttp2(socket: Socket): boolean {
    // A session's socket is a proxy; its ports tell which connection it stands for.
    return [...this.#sessions].some((session) => remoteOf(session.socket) === remoteOf(socket));
  }
}

function remoteOf(socket: Socket | undefined): string {
  return `${socket?.remoteAddress} ${socket?.remotePort}`;
}
