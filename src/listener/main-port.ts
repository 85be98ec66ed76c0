import type { Server } from "node:http";
import type { Http2SecureServer, Http2Server } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { type ConnectionLimits, ConnectionTracker } from "./connection-tracker.ts";
import { STREAMS_MAX, TIMEOUTS, type Timeouts } from "./timeouts.ts";

export interface MainPortOptions extends ConnectionLimits {
  host: string;
  port: number;
  /** PEM texts; undefined: plain text. */
  tls: { cert: string; key: string } | undefined;
  /** Makes the id of a call. */
  createRequestId: () => string;
  /** Puts routes, hooks and handlers on an instance; called for each of the servers behind the port. */
  routes: (instance: FastifyInstance) => void | Promise<void>;
  /** Answers what fails before routes and hooks are reached, such as a path that cannot be decoded. */
  frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => void;
  /** The whole answer to bytes that are no HTTP, as text. `code` is Node's, such as HPE_HEADER_OVERFLOW. */
  malformedAnswer: (code: string | undefined) => string;
}

export interface MainPort {
  /** The port that was bound. */
  port: number;
  /** Takes no new connection, lets calls under way end, and cuts what is left after the deadline. */
  stop(deadlineMs: number): Promise<void>;
}

type AnyServer = Server | Http2Server | Http2SecureServer;

/** What a connection by HTTP/2 with prior knowledge begins with (RFC 9113, section 3.4), and no HTTP/1.1 method does. */
const HTTP2_PREFACE = "PRI";
/**
 * Serves HTTP/1.1 and HTTP/2 on one port: in plain text by the first bytes of a connection, over TLS by ALPN. Rejects when
 * the port cannot be bound.
 */
export async function listenMainPort(options: MainPortOptions): Promise<MainPort> {
  const { timeouts = TIMEOUTS } = options;
  const tracker = new ConnectionTracker(options);
  const instances =
    options.tls === undefined ? plainInstances(options, tracker) : [secureInstance(options, options.tls)];
  for (const instance of instances) {
    await options.routes(instance);
    await instance.ready();
    bound(instance.server, timeouts);
    tracker.watchSessions(instance.server);
    tracker.watchCalls(instance.server);
  }
  const server = listeningServer(instances);
  if (options.tls !== undefined) server.on("connection", (socket: Socket) => tracker.addHandshake(socket));
  await listen(server, options);
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async stop(deadlineMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      await tracker.drain(deadlineMs);
      await closed;
      tracker.close();
      await Promise.all(instances.map((instance) => instance.close()));
    },
  };
}

/** Sets what Node's servers bound by themselves: the time of requests of HTTP/1.1, the number of streams of HTTP/2. */
function bound(server: AnyServer, { headersMs, requestMs, idleMs }: Timeouts): void {
  if ("headersTimeout" in server) server.headersTimeout = headersMs;
  if ("requestTimeout" in server) server.requestTimeout = requestMs;
  if ("keepAliveTimeout" in server) server.keepAliveTimeout = idleMs;
  if ("updateSettings" in server) server.updateSettings({ maxConcurrentStreams: STREAMS_MAX });
}

function listeningServer([first]: FastifyInstance[]): AnyServer {
  if (first === undefined) throw new Error("there is no server behind the port");
  return first.server;
}

function listen(server: AnyServer, { host, port }: MainPortOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** The first listens, and hands connections that speak HTTP/2 to the second. */
function plainInstances(options: MainPortOptions, tracker: ConnectionTracker): FastifyInstance[] {
  const { timeouts = TIMEOUTS } = options;
  const http1 = fastify({
    ...common(options),
    http: { connectionsCheckingInterval: timeouts.checkMs },
    clientErrorHandler: clientErrorHandler(options),
  });
  // Fastify types an HTTP/2 instance apart; routes and hooks are the same.
  const http2 = fastify({ ...common(options), http2: true }) as unknown as FastifyInstance;
  const [acceptHttp1] = http1.server.listeners("connection");
  if (acceptHttp1 === undefined) throw new Error("the HTTP/1.1 server takes no connections");
  http1.server.removeAllListeners("connection");
  http1.server.on("connection", (socket: Socket) => {
    tracker.add(socket);
    readFirstBytes(socket, timeouts.headersMs, (bytes) => {
      // An HTTP/2 session fetches what was put back by itself; the HTTP/1.1 parser listens, and needs the flow. Servers of
      // HTTP/1.1 leave their side open when the client closes its own, and a session would then stay for ever.
      if (bytes.startsWith(HTTP2_PREFACE)) {
        socket.allowHalfOpen = false;
        return http2.server.emit("connection", socket);
      }
      acceptHttp1.call(http1.server, socket);
      return socket.resume();
    });
  });
  return [http1, http2];
}

/** Reads until the protocol can be told, and puts the bytes back for the server that takes the connection. */
function readFirstBytes(socket: Socket, timeoutMs: number, tell: (bytes: string) => unknown): void {
  let chunks: Buffer[] = [];
  const onError = () => socket.destroy();
  const onReadable = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const text = bytes.toString("latin1", 0, HTTP2_PREFACE.length);
    if (text.length < HTTP2_PREFACE.length && HTTP2_PREFACE.startsWith(text)) return;
    socket.setTimeout(0);
    socket.removeListener("readable", onReadable);
    socket.removeListener("timeout", onError);
    socket.removeListener("end", onError);
    socket.removeListener("error", onError);
    chunks = [];
    socket.pause();
    socket.unshift(bytes);
    tell(text);
  };
  socket.setTimeout(timeoutMs);
  socket.on("timeout", onError);
  // A probe that connects and leaves says nothing; left alone, its connection would stay half open.
  socket.on("end", onError);
  socket.on("error", onError);
  socket.on("readable", onReadable);
}

function secureInstance(options: MainPortOptions, tls: { cert: string; key: string }): FastifyInstance {
  const { timeouts = TIMEOUTS } = options;
  const https = {
    ...tls,
    allowHTTP1: true,
    minVersion: "TLSv1.2" as const,
    // Of Node's server, which Fastify's types do not have.
    connectionsCheckingInterval: timeouts.checkMs,
  };
  return fastify({
    ...common(options),
    http2: true,
    https,
    clientErrorHandler: clientErrorHandler(options),
    // As above: the same routes and hooks.
  }) as unknown as FastifyInstance;
}

function common({ createRequestId, frameworkErrors }: MainPortOptions) {
  return {
    genReqId: createRequestId,
    // Typed apart for each version of HTTP; what it is called with is the same.
    frameworkErrors: frameworkErrors as never,
  };
}

function clientErrorHandler({ malformedAnswer, timeouts = TIMEOUTS }: MainPortOptions) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(malformedAnswer(error.code));
    // A peer that leaves its side open could send for ever.
    const timer = setTimeout(() => socket.destroy(), timeouts.closeMs).unref();
    socket.once("close", () => clearTimeout(timer));
  };
}
