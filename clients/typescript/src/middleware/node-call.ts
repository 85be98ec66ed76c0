import type { IncomingMessage } from "node:http";
import { type IncomingCall, splitTarget } from "./incoming-call.ts";

/** What a framework on top of Node knows better than Node. */
export interface NodeCallSource<Raw> {
  message: IncomingMessage;
  /** The target as it came, before a router took anything off. */
  target: string;
  /** The target that the router goes by, whole; it is another one where something has rewritten it. */
  routedTarget: string;
  raw: Raw;
  address(): string | undefined;
  route(): string | undefined;
}

/** A request of Node's, as the guard reads it: from the raw headers, because Node drops repeated ones. */
export class NodeCall<Raw> implements IncomingCall<Raw> {
  readonly identity: object;
  readonly method: string;
  readonly path: string;
  readonly routedPath: string;
  readonly query: string;
  readonly raw: Raw;
  readonly #source: NodeCallSource<Raw>;

  constructor(source: NodeCallSource<Raw>) {
    const { path, query } = splitTarget(source.target);
    this.identity = source.message;
    this.method = source.message.method ?? "GET";
    this.path = path;
    this.routedPath = source.routedTarget === source.target ? path : splitTarget(source.routedTarget).path;
    this.query = query;
    this.raw = source.raw;
    this.#source = source;
  }

  headerValues(name: string): string[] {
    const values: string[] = [];
    for (const [other, value] of this.headerPairs()) if (other.toLowerCase() === name) values.push(value);
    return values;
  }

  *headerPairs(): Iterable<[string, string]> {
    const { rawHeaders } = this.#source.message;
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? "";
      // HTTP/2 has the request line among its headers.
      if (!name.startsWith(":")) yield [name, rawHeaders[at + 1] ?? ""];
    }
  }

  headers(): Headers {
    const headers = new Headers();
    for (const [name, value] of this.headerPairs()) headers.append(name, value);
    return headers;
  }

  address(): string | undefined {
    return this.#source.address();
  }

  route(): string | undefined {
    const route = this.#source.route();
    // A route that takes everything says nothing of this one.
    return route === undefined || /^\/?\*$|^\/?\{?\*\w+\}?$/.test(route) ? undefined : route;
  }
}
