import type { Http2SecureServer, Http2Server } from "node:http2";
import type { Socket } from "node:net";
import { type ConnectionLimits, ConnectionTracker } from "./connection-tracker.ts";

/**
 * Bounds the connections of a server that is not ours as those of the main port are bounded.
 *
 * @param isSecure whether they begin with a handshake of TLS
 * @returns ends it
 */
export function watchGrpcPort(
  server: Http2Server | Http2SecureServer,
  isSecure: boolean,
  limits: ConnectionLimits = {},
): () => void {
  const tracker = new ConnectionTracker(limits);
  tracker.watchSessions(server);
  // Before the server makes a session of it. The event is that of net, which their types do not share.
  const onConnection = (socket: Socket) => (isSecure ? tracker.addHandshake(socket) : tracker.add(socket));
  server.prependListener("connection" as "session", onConnection as never);
  return () => tracker.close();
}
