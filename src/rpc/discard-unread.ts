import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Discards what Connect leaves of a body of HTTP/1.1, once the call is answered. It would destroy the request instead, of which
 * Node then reads no more: a client that writes before it reads would never come to the answer.
 */
export function discardUnread(request: IncomingMessage, response: ServerResponse): void {
  request[Symbol.asyncIterator] = () => request.iterator({ destroyOnReturn: false });
  response.once("finish", () => request.resume());
}
