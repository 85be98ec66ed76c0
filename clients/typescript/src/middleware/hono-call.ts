import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import { connectionAddress } from "./client-address.ts";
import { type IncomingCall, splitTarget } from "./incoming-call.ts";

/** A request of Node's, as far as it is used. */
interface Message {
  method?: string;
  url?: string;
  rawHeaders: string[];
  socket?: { remoteAddress?: string };
}

/** What runtimes put into a context besides the request. Types of Node's own would be missed elsewhere. */
export interface Runtime {
  /** Node: the request. */
  incoming?: Message;
  /** Node: the response. */
  outgoing?: { destroyed?: boolean; once(event: "close", listener: () => void): unknown };
  /** Deno. */
  remoteAddr?: { hostname?: string };
  /** Bun, whose server is the environment. */
  requestIP?(request: Request): { address: string } | null;
}

/** What the runtime says of a request. */
export function runtimeOf(c: Context): Runtime {
  // Hono leaves the type of its environment to the application.
  return (c.env ?? {}) as Runtime;
}

/** A request of Hono's, as the guard reads it. On Node, as it came; elsewhere as the standard's Request has it, with repeated headers joined. */
export class HonoCall implements IncomingCall<Context> {
  readonly identity: object;
  readonly method: string;
  readonly path: string;
  readonly routedPath: string;
  readonly query: string;
  readonly raw: Context;
  readonly #runtime: Runtime;
  readonly #message: Message | undefined;

  constructor(c: Context) {
    this.#runtime = runtimeOf(c);
    this.#message = messageOf(c, this.#runtime);
    const { path, query } = splitTarget(this.#message?.url ?? c.req.url);
    this.identity = c;
    this.method = c.req.method;
    this.path = path;
    this.routedPath = path;
    this.query = query;
    this.raw = c;
  }

  headerValues(name: string): string[] {
    if (this.#message !== undefined) return pairsOf(this.#message, name).map(([, value]) => value);
    const joined = this.raw.req.raw.headers.get(name);
    // No key has white space in it, so that a comma and a space part two values.
    return joined === null ? [] : joined.split(", ");
  }

  headerPairs(): Iterable<readonly [string, string]> {
    return this.#message === undefined ? this.raw.req.raw.headers : pairsOf(this.#message);
  }

  headers(): Headers {
    return this.raw.req.raw.headers;
  }

  address(): string | undefined {
    const { incoming, remoteAddr, requestIP } = this.#runtime;
    if (incoming !== undefined) return connectionAddress(incoming.socket?.remoteAddress);
    return connectionAddress(remoteAddr?.hostname ?? requestIP?.call(this.raw.env, this.raw.req.raw)?.address);
  }

  /** The first matched path without a star: those with one are of middleware, or say nothing. */
  route(): string | undefined {
    return matchedRoutes(this.raw).find(({ path }) => !path.includes("*"))?.path;
  }
}

/**
 * What Node says of the request. An application may dispatch requests of its own with the same environment, as batches do:
 * what came over the connection says nothing of those, and the path of an excluded one would let any other pass.
 */
function messageOf(c: Context, { incoming }: Runtime): Message | undefined {
  if (incoming?.url === undefined || incoming.method !== c.req.method) return undefined;
  const { url } = c.req;
  const isSame = url.slice(url.indexOf("/", url.indexOf(":") + 3)) === incoming.url;
  return isSame || targetOf(url) === targetOf(incoming.url) ? incoming : undefined;
}

/** The path and the query as the standard's Request has them. */
function targetOf(url: string): string | undefined {
  const whole = url.startsWith("/") ? `http://app${url}` : url;
  if (!URL.canParse(whole)) return undefined;
  const { pathname, search } = new URL(whole);
  return pathname + search;
}

function pairsOf({ rawHeaders }: Message, wanted?: string): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (name.startsWith(":") || (wanted !== undefined && wanted !== name)) continue;
    pairs.push([name, rawHeaders[at + 1] ?? ""]);
  }
  return pairs;
}
