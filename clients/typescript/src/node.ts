/** The middleware for servers of node:http. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { BodyCapture } from "./middleware/body-capture.ts";
import { remember } from "./middleware/context.ts";
import type { Denial } from "./middleware/denial.ts";
import type { Answer } from "./middleware/describe-event.ts";
import { Guard, type GuardControl } from "./middleware/guard.ts";
import { NodeCall } from "./middleware/node-call.ts";
import { enterNode, socketAddress } from "./middleware/node-guard.ts";
import { sendDenial } from "./middleware/node-response.ts";
import type { MiddlewareOptions } from "./middleware/options.ts";

export { decisionOf, validationErrorOf } from "./middleware/context.ts";
export type * from "./middleware/public.ts";

/** Answers a request; it may take its time. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;
/** Takes over a connection. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => unknown;

/** The middleware: `createServer(guard.handler(listener))`. */
export interface NodeGuard extends GuardControl {
  /** Guards a handler. The promise is rejected with what the handler throws: unless you catch that, Node ends the process, as ever. */
  handler(inner: Handler): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Guards the handler of `upgrade`, such as that of a WebSocket server. */
  upgradeHandler(inner: UpgradeHandler): (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
}

/**
 * Guards handlers of node:http. The decision is `decisionOf(request)`.
 *
 * @throws ConfigurationError when an option cannot be used
 */
export function keysvcGuard(options: MiddlewareOptions<IncomingMessage>): NodeGuard {
  const guard = new Guard(options);
  return {
    handler: (inner) => (request, response) => handle(guard, inner, request, response),
    upgradeHandler: (inner) => (request, socket, head) => upgrade(guard, inner, request, socket, head),
    flush: (flushOptions) => guard.flush(flushOptions),
    close: (closeOptions) => guard.close(closeOptions),
  };
}

function sourceOf(request: IncomingMessage) {
  return {
    message: request,
    raw: request,
    target: request.url ?? "/",
    routedTarget: request.url ?? "/",
    address: () => socketAddress(request),
    route: () => undefined,
  };
}

async function handle(
  guard: Guard<IncomingMessage>,
  inner: Handler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const entry = guard.settings && (await enterNode(guard, { ...sourceOf(request), response }));
  if (entry?.admission.kind === "gone") return;
  if (entry?.admission.kind === "deny") return sendDenial(response, entry.admission.denial);
  try {
    await inner(request, response);
  } catch (error) {
    entry?.passage.finish({ status: 500 });
    throw error;
  }
}

async function upgrade(
  guard: Guard<IncomingMessage>,
  inner: UpgradeHandler,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const passage = await guard.enter(new NodeCall(sourceOf(request)));
  if (passage === undefined) return void (await inner(request, socket, head));
  const gone = new AbortController();
  const onClose = () => gone.abort(new Error("the caller has gone"));
  if (socket.destroyed) onClose();
  socket.once("close", onClose);
  // A connection that breaks while the key is looked at must not end the process.
  const ignore = () => undefined;
  socket.on("error", ignore);
  const admission = await passage.admit(gone.signal).finally(() => {
    socket.off("close", onClose);
    socket.off("error", ignore);
  });
  if (admission.kind === "gone") return;
  remember(request, passage);
  if (admission.kind === "deny") {
    const denial = closing(admission.denial);
    passage.finish(answerOf(denial, guard));
    socket.on("error", ignore);
    // Nothing else ends the connection of a caller who does not.
    socket.once("finish", () => socket.destroy());
    socket.end(rawResponse(denial));
    return;
  }
  socket.once("close", () => passage.finish({ status: 101 }));
  try {
    await inner(request, socket, head);
  } catch (error) {
    passage.finish({ status: 500 });
    throw error;
  }
}

/** A denial of an upgrade, after which the connection ends. */
function closing({ status, headers, body }: Denial): Denial {
  const ownHeaders = { "content-length": String(Buffer.byteLength(body)), connection: "close" };
  return { status, headers: { ...headers, ...ownHeaders }, body };
}

/** There is no ServerResponse for an upgrade. */
function rawResponse({ status, headers, body }: Denial): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`;
}

/** What is recorded of it, as of any answer. */
function answerOf({ status, headers, body }: Denial, { settings }: Guard<IncomingMessage>): Answer {
  const capture = settings?.captureResponseBody ? new BodyCapture() : undefined;
  capture?.take(Buffer.from(body));
  return { status, headers: settings?.captureResponseHeaders ? Object.entries(headers) : undefined, body: capture };
}
