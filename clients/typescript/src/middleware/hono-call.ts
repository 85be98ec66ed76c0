import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import { connectionAddress } from "./client-address.ts";
import { type IncomingCall, splitTarget } from "./incoming-call.ts";

/** What runtimes put into a context besides the request. Types of Node's own would be missed elsewhere. */
interface Runtime {
  /** Node: the request. */
  incoming?: { url?: string; rawHeaders: string[]; socket?: { remoteAddress?: string } };
  /** Node: the response. */
  outgoing?: { once(event: "close", listener: () => void): unknown };
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
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly raw: Context;
  readonly #runtime: Runtime;

  constructor(c: Context) {
    this.#runtime = runtimeOf(c);
    const { path, query } = splitTarget(this.#runtime.incoming?.url ?? c.req.url);
    this.method = c.req.method;
    this.path = path;
    this.query = query;
    this.raw = c;
  }

  headerValues(name: string): string[] {
    const { incoming } = this.#runtime;
    if (incoming !== undefined) return this.#pairsOf(incoming, name).map(([, value]) => value);
    const joined = this.raw.req.raw.headers.get(name);
    // No key has white space in it, so that a comma and a space part two values.
    return joined === null ? [] : joined.split(", ");
  }

  headerPairs(): Iterable<readonly [string, string]> {
    const { incoming } = this.#runtime;
    return incoming === undefined ? this.raw.req.raw.headers : this.#pairsOf(incoming);
  }

  #pairsOf({ rawHeaders }: { rawHeaders: string[] }, wanted?: string): [string, string][] {
    const pairs: [string, string][] = [];
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = (rawHeaders[at] ?? "").toLowerCase();
      if (name.startsWith(":") || (wanted !== undefined && wanted !== name)) continue;
      pairs.push([name, rawHeaders[at + 1] ?? ""]);
    }
    return pairs;
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
