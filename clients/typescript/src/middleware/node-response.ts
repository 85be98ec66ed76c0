import type { IncomingMessage, ServerResponse } from "node:http";
import { BodyCapture, isTextual } from "./body-capture.ts";
import type { Denial } from "./denial.ts";
import type { Answer } from "./describe-event.ts";

/** What is to be captured of a response. */
export interface Captured {
  headers: boolean;
  body: boolean;
}

type HeaderPairs = [name: string, value: string][];
/** The caller has left before there was an answer: what proxies record then. */
const STATUS_GONE = 499;

/**
 * Calls `onEnd` once, when the response has ended or its connection has. What is captured is copied while it passes: nothing
 * is held back, and nothing is changed.
 */
export function watchResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, body }: Captured,
  onEnd: (answer: Answer) => void,
): void {
  const isUpgradable = request.headers.upgrade !== undefined;
  // Over HTTP/2, where nothing is upgraded, asking a socket that has gone throws.
  const written = isUpgradable ? (request.socket?.bytesWritten ?? 0) : 0;
  const watch = headers || body ? captureFrom(request, response, body) : undefined;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    const status = statusOf(request, response, written);
    onEnd({ status, headers: headers ? watch?.headers() : undefined, body: watch?.body() });
  };
  response.once("finish", end);
  response.once("close", end);
  if (isGone(response)) end();
}

/** Whether the connection has ended already: then the response says nothing of it any more. */
export function isGone(response: ServerResponse): boolean {
  // Over HTTP/2 its stream says so, of which the type of a response knows nothing.
  const { stream } = response as { stream?: { destroyed?: boolean } };
  return response.destroyed || stream?.destroyed === true;
}

/** Of a connection that was upgraded, the application has written to the socket itself. */
function statusOf(request: IncomingMessage, response: ServerResponse, writtenBefore: number): number {
  if (response.headersSent || response.writableEnded) return response.statusCode;
  const isUpgraded = request.headers.upgrade !== undefined && (request.socket?.bytesWritten ?? 0) > writtenBefore;
  return isUpgraded ? 101 : STATUS_GONE;
}

/** Looks on while headers and body are written. */
function captureFrom(request: IncomingMessage, response: ServerResponse, wantsBody: boolean) {
  let pairs: HeaderPairs | undefined;
  let body: BodyCapture | undefined;
  let isDecided = false;
  const headers = () => pairs ?? pairsOf(response.getHeaders());
  const writeHead = response.writeHead;
  response.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    const result = Reflect.apply(writeHead, this, args);
    // Node keeps what it was given here only where other headers had been set before.
    const kept = pairsOf(response.getHeaders());
    pairs = [...kept, ...givenHeaders(args).filter(([name]) => !response.hasHeader(name))];
    return result;
  };
  const take = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return;
    // The first piece comes when the headers are known.
    if (!isDecided && isRecordable(request, response, headers())) body = new BodyCapture();
    isDecided = true;
    body?.take(typeof chunk === "string" ? Buffer.from(chunk, isEncoding(encoding) ? encoding : "utf8") : chunk);
  };
  if (wantsBody) lookAtPieces(response, take);
  return { headers, body: () => body };
}

/** Hands on every piece of a body before it is written. */
function lookAtPieces(response: ServerResponse, look: (chunk: unknown, encoding: unknown) => void): void {
  // Over HTTP/2, end calls write.
  let isWithin = false;
  for (const name of ["write", "end"] as const) {
    const original: (...args: never[]) => unknown = response[name];
    const looking = function (this: ServerResponse, ...args: unknown[]) {
      if (isWithin) return Reflect.apply(original, this, args);
      look(args[0], args[1]);
      isWithin = true;
      try {
        return Reflect.apply(original, this, args);
      } finally {
        isWithin = false;
      }
    };
    Object.assign(response, { [name]: looking });
  }
}

function isRecordable({ method }: IncomingMessage, { statusCode }: ServerResponse, pairs: HeaderPairs): boolean {
  const hasBody = method !== "HEAD" && statusCode !== 204 && statusCode !== 304;
  return hasBody && isTextual(lastOf(pairs, "content-type"), lastOf(pairs, "content-encoding"));
}

function isEncoding(value: unknown): value is BufferEncoding {
  return typeof value === "string" && Buffer.isEncoding(value);
}

/** Headers that were given to writeHead and may be nowhere else: an object, a flat list, or a list of pairs. */
function givenHeaders(args: unknown[]): HeaderPairs {
  const given = args.slice(1).find((arg) => typeof arg === "object" && arg !== null);
  if (given === undefined) return [];
  if (!Array.isArray(given)) return pairsOf(given as object);
  if (Array.isArray(given[0])) return given.flatMap(([name, value]) => pairsOf({ [String(name)]: value }));
  return given.flatMap((name, at) => (at % 2 === 0 ? pairsOf({ [String(name)]: given[at + 1] }) : []));
}

function pairsOf(headers: object): HeaderPairs {
  // HTTP/2 has the status among its headers.
  const named = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return named.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [name, String(one)]),
  );
}

function lastOf(pairs: HeaderPairs, name: string): string | undefined {
  return pairs.findLast(([other]) => other.toLowerCase() === name)?.[1];
}

/** Aborted when the connection ends before the response does. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableEnded) controller.abort(new Error("the caller has gone"));
  });
  return controller.signal;
}

/** Answers a denied caller. Node leaves the body out for HEAD. */
export function sendDenial(response: ServerResponse, { status, headers, body }: Denial): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
