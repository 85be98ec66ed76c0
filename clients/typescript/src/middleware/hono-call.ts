import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import { connectionAddress } from "./client-address.ts";
import { type IncomingCall, splitTarget } from "./incoming-call.ts";

/** What runtimes put into a context besides the request. */
interface Runtime {
  /** Node. */
  incoming?: IncomingMessage;
  /** Deno. */
  remoteAddr?: { hostname?: string };
  /** Bun, whose server is the environment. */
  requestIP?(request: Request): { address: string } | null;
}

/** A request of Hono's, as the guard reads it. On Node, as it came; elsewhere as the standard's Request has it, with repeated headers joined. */
export class HonoCall implements IncomingCall<Context> {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly raw: Context;
  readonly #runtime: Runtime;

  constructor(c: Context) {
    // Hono leaves the type of its environment to the application.
    this.#runtime = (c.env ?? {}) as Runtime;
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

  #pairsOf({ rawHeaders }: IncomingMessage, wanted?: string): [string, string][] {
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
