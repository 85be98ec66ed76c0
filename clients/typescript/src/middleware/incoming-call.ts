/** What an adapter tells of a request. Texts are as they were sent. */
export interface IncomingCall<Raw> {
  /** What stands for the request as long as it lives: a guard that meets it again knows it by this. */
  readonly identity: object;
  readonly method: string;
  /** Without the query; empty in a whole URL that has none: what that means is for the router to say. */
  readonly path: string;
  /** The path that the router goes by, where something before the guard may have rewritten it. */
  readonly routedPath: string;
  /** Without the question mark. */
  readonly query: string;
  readonly raw: Raw;
  /** All values of a header, its name in lower case. */
  headerValues(name: string): string[];
  /** Every header, several of one name one after the other. */
  headerPairs(): Iterable<readonly [name: string, value: string]>;
  /** The headers as resolvers get them. */
  headers(): Headers;
  /** The caller's address as the framework says it. */
  address(): string | undefined;
  /** The template of the route, as far as it is known by now. */
  route(): string | undefined;
}

/** The path and the query of a request target, which a proxy's caller may have written as a whole URL. */
export function splitTarget(target: string): { path: string; query: string } {
  const [, origin = ""] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)/i.exec(target) ?? [];
  const rest = target.slice(origin.length);
  const at = rest.indexOf("?");
  return at === -1 ? { path: rest, query: "" } : { path: rest.slice(0, at), query: rest.slice(at + 1) };
}
