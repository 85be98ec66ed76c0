import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Has Node close a connection of HTTP/1.1 only when the body that was answered is through. Closed under the hands of a client
 * that still writes, it would be reset, and the answer lost before it is read (RFC 9112, section 9.6). The time of a request
 * bounds it.
 *
 * @param answered the request that Node closes the connection after
 */
export function closeAfterBody(socket: Socket, answered: () => IncomingMessage | undefined): void {
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    const request = answered();
    if (request === undefined || request.complete) destroySoon();
    else request.once("end", destroySoon).resume();
  };
}
