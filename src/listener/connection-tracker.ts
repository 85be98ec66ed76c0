import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { closeAfterBody } from "./close-after-body.ts";
import { SlowPeers } from "./slow-peers.ts";
import { CONNECTIONS_MAX, TIMEOUTS, type Timeouts } from "./timeouts.ts";

/** Idle connections get this long to send what was under way to us when the stop began; then we end our side. */
const IDLE_GRACE_MS = 300;
/** Then, after this long, they are cut. A cut while an answer is on its way could lose it, an end cannot. */
const IDLE_END_MS = 1_500;
const POLL_MS = 20;

interface Connection {
  /** Under way. */
  calls: number;
  hasCalled: boolean;
  isHttp2: boolean;
  /** Of the last call of HTTP/1.1, while it is not through. */
  response: ServerResponse | undefined;
}

export interface ConnectionLimits {
  /** Of slow peers; absent: those of the service. */
  timeouts?: Timeouts;
  /** How many connections there may be; beyond it, the oldest without a call gives way to a new one. Absent: CONNECTIONS_MAX. */
  connectionsMax?: number;
}

/** Knows which connections have calls under way, so that a stop loses no answer and waits for no idle client. */
export class ConnectionTracker {
  readonly #connections = new Map<Socket, Connection>();
  /** Connections over TLS that have not come to be ones, by the address of their client. */
  readonly #handshakes = new Map<string, Socket>();
  /** By the address of their client: the socket of a session is a proxy, which is no key. */
  readonly #byRemote = new Map<string, Connection>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #connectionsMax: number;
  readonly #timeouts: Timeouts;
  readonly #slowPeers: SlowPeers;
  #stopping = false;

  constructor({ timeouts = TIMEOUTS, connectionsMax = CONNECTIONS_MAX }: ConnectionLimits) {
    this.#connectionsMax = connectionsMax;
    this.#timeouts = timeouts;
    this.#slowPeers = new SlowPeers(timeouts);
  }

  /** Follows a connection until it closes. */
  add(socket: Socket): void {
    if (this.#connections.has(socket)) return;
    this.#makeRoom();
    const remote = remoteOf(socket);
    const connection = { calls: 0, hasCalled: false, isHttp2: false, response: undefined };
    this.#connections.set(socket, connection);
    this.#byRemote.set(remote, connection);
    this.#slowPeers.addWritable(socket, () => socket.destroy());
    socket.once("close", () => {
      this.#connections.delete(socket);
      if (this.#byRemote.get(remote) === connection) this.#byRemote.delete(remote);
    });
  }

  /** Follows a connection that begins with a handshake. */
  addHandshake(socket: Socket): void {
    this.#makeRoom();
    const remote = remoteOf(socket);
    this.#handshakes.set(remote, socket);
    const cut = () => {
      if (this.#handshakes.get(remote) === socket) socket.destroy();
    };
    const timer = setTimeout(cut, this.#timeouts.handshakeMs).unref();
    socket.once("close", () => {
      clearTimeout(timer);
      if (this.#handshakes.get(remote) === socket) this.#handshakes.delete(remote);
    });
  }

  /** Follows what becomes of the connections of a server: the end of their handshakes, their sessions and streams. */
  watchSessions(server: Server | Http2Server | Http2SecureServer): void {
    // The events are those of net, http and http2, whose types do not share them.
    const events = server as Server;
    // Before the server makes a session of it.
    events.prependListener("secureConnection", (socket: Socket) => {
      // From here on the connection is followed as this socket, and no longer as the one below TLS.
      this.#handshakes.delete(remoteOf(socket));
      this.add(socket);
    });
    events.on("session", (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      this.#slowPeers.addSession(session);
      const connection = this.#byRemote.get(remoteOf(session.socket));
      if (connection !== undefined) followStreams(session, connection);
    });
  }

  /** Follows the calls of HTTP/1.1 of a server. One that has no listener of this event yet is changed by it. */
  watchCalls(server: Server | Http2Server | Http2SecureServer): void {
    const events = server as Server;
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
    if (!connection.hasCalled) closeAfterBody(socket, () => connection.response?.req);
    connection.calls++;
    connection.hasCalled = true;
    connection.response = response;
    if (this.#stopping) response.setHeader("connection", "close");
    response.once("close", () => {
      connection.calls--;
      if (connection.response === response) connection.response = undefined;
    });
  }

  /** Looks after slow peers no more. */
  close(): void {
    this.#slowPeers.close();
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
    const idle = [...this.#connections].filter(([, { calls, isHttp2 }]) => calls === 0 && !isHttp2);
    return idle.map(([socket]) => socket);
  }

  /** Closes the oldest connection that nothing is lost with, where there are too many. */
  #makeRoom(): void {
    if (this.#connections.size + this.#handshakes.size < this.#connectionsMax) return;
    const given = this.#oldest(({ calls, hasCalled }) => calls === 0 && !hasCalled);
    const [handshake] = this.#handshakes.values();
    (given ?? handshake ?? this.#oldest(({ calls }) => calls === 0))?.destroy();
  }

  #oldest(mayGo: (connection: Connection) => boolean): Socket | undefined {
    for (const [socket, connection] of this.#connections) if (!socket.destroyed && mayGo(connection)) return socket;
    return undefined;
  }
}

function followStreams(session: ServerHttp2Session, connection: Connection): void {
  connection.isHttp2 = true;
  session.on("stream", (stream) => {
    connection.calls++;
    connection.hasCalled = true;
    stream.once("close", () => connection.calls--);
  });
}

function remoteOf(socket: Socket | undefined): string {
  return `${socket?.remoteAddress} ${socket?.remotePort}`;
}
