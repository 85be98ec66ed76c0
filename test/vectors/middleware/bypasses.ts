import { bypassed, type Change, denied, passes } from "./build.ts";
import type { MiddlewareCase, Options } from "./case.ts";

/** Without a key: what is guarded is denied, so that a hole shows. */
const keyless = (options: Options, target: string, skip?: Record<string, string>): Change => ({
  options,
  request: { target, headers: [] },
  ...(skip && { skip }),
});

const RESOLVED = { hono: "a Request of the Fetch standard has its path resolved already, for the router too" };
/** What makes a path mean something else to a router than to a comparison of texts. */
const TRICKS: [target: string, what: string, skip?: Record<string, string>][] = [
  ["/public/../admin", "leaves the prefix by .."],
  ["/public/x/../y", "has a .. that stays within the prefix", RESOLVED],
  ["/public/x/..", "ends in ..", RESOLVED],
  ["/public/./x", "has a . segment", RESOLVED],
  ["/public/%2e%2e/admin", "leaves the prefix by %2e%2e"],
  ["/public/%2E%2E/admin", "leaves the prefix by %2E%2E"],
  ["/public/.%2e/admin", "leaves the prefix by .%2e"],
  ["/public/%2e/x", "has an encoded . segment", RESOLVED],
  ["/public//x", "has an empty segment"],
  ["//public/x", "begins with an empty segment"],
  ["/public/x//", "ends in an empty segment"],
  ["/public/..%2fadmin", "has an encoded slash"],
  ["/public/x%2Fy", "has an encoded slash in upper case"],
  [
    "/public\\..\\admin",
    "has a backslash",
    { hono: "no Request has a backslash in its path: it is answered with 400 before" },
  ],
  ["/public/x%5cy", "has an encoded backslash"],
  ["/public/%252e%252e/admin", "has dots that are encoded twice"],
  ["/public/x%252fy", "has a slash that is encoded twice"],
];

/** [patterns, target, whether it is excluded, what that shows]. */
const PATTERNS: [patterns: string[], target: string, excluded: boolean, what: string][] = [
  [["/health"], "/health", true, "an exact path is excluded"],
  [["/health"], "/health?verbose=1", true, "a query is no part of the path that is compared"],
  [["/health"], "/healthz", false, "an exact path is no prefix"],
  [["/health"], "/health/", false, "an exact path has no slash at its end unless it says so"],
  [["/health/"], "/health", false, "an exact path with a slash at its end is another path"],
  [["/health/"], "/health/", true, "an exact path may end in a slash"],
  [["/health"], "/Health", false, "paths are compared with their case"],
  [["/health"], "/v1/health", false, "an exact path begins at the beginning"],
  [["/health"], "/", false, "an exact path does not exclude what it begins with"],
  [["/"], "/", true, "the root can be excluded"],
  [["/"], "/v1/things", false, "the root alone is not everything"],
  [["/public/*"], "/public/logo.png", true, "a prefix excludes what is below it"],
  [["/public/*"], "/public/a/b/c", true, "a prefix excludes what is far below it"],
  [["/public/*"], "/public/", true, "a prefix excludes what is exactly the prefix"],
  [["/public/*"], "/public", false, "a prefix with a slash excludes nothing above it"],
  [["/public/*"], "/publications", false, "a prefix with a slash ends at the slash"],
  [["/public*"], "/publications", true, "a prefix without a slash ends anywhere"],
  [["/public/*"], "/PUBLIC/x", false, "prefixes are compared with their case"],
  [["/public/*"], "/v1/public/x", false, "a prefix begins at the beginning"],
  [["/*"], "/v1/things", true, "a slash and a star exclude every path"],
  [["*"], "/v1/things", true, "a star alone excludes every path"],
  [["/a*b"], "/axb", false, "a star in the middle is no pattern"],
  [["/a*b"], "/a*b", true, "a star in the middle is itself"],
  [["/v1/**"], "/v1/x", false, "of two stars the first is itself"],
  [["/v1/th?ngs"], "/v1/things", false, "nothing but a star at the end is a pattern"],
  [[""], "/", false, "an empty pattern excludes nothing"],
  [["/health", "/ready"], "/ready", true, "each of several patterns excludes"],
  [[], "/health", false, "without patterns nothing is excluded"],
  [["/files/a b"], "/files/a%20b", true, "the path is decoded before it is compared"],
  [["/health"], "/%68ealth", false, "routers may see something else in a letter that is encoded"],
  [["/files/a+b"], "/files/a%2Bb", false, "routers may see something else in a sign that is encoded and need not be"],
  [["/a/*"], "/a/%41", false, "a prefix excludes no path with a letter that is encoded below it"],
  [["/a/*"], "/a/%41|", false, "a letter that is encoded counts beside a sign that ought to be encoded and is not"],
  [["/a/*"], "/a/b|c", true, "a sign that ought to be encoded and is not is itself"],
  [["/files/café"], "/files/caf%C3%A9", true, "the path is decoded as UTF-8"],
  [["/files/a+b"], "/files/a+b", true, "a plus in a path is a plus"],
  [["/public/*"], "/public/..x", true, "two dots at the begin of a name are no .."],
  [["/public/*"], "/public/...", true, "three dots are a name"],
  [["/public/*"], "/public/.well-known/x", true, "a name that begins with a dot is a name"],
];

const exclusions = PATTERNS.map(([excludePaths, target, excluded, what]) => {
  const name = `${what}: ${JSON.stringify(excludePaths)} and ${target}`;
  return excluded
    ? bypassed(name, keyless({ excludePaths }, target))
    : denied(name, "MISSING_KEY", keyless({ excludePaths }, target));
});

const tricks = TRICKS.map(([target, what, skip]) =>
  denied(
    `a path that ${what} is never excluded: ${target}`,
    "MISSING_KEY",
    keyless({ excludePaths: ["/public/*", "/public*", "/*", "*", target, decodeURIComponent(target)] }, target, skip),
  ),
);

/** What is bypassed, and what is not. */
export const BYPASSES: MiddlewareCase[] = [
  bypassed("switched off, the middleware lets everything pass", keyless({ enabled: false }, "/v1/things")),
  bypassed("switched off, the middleware neither asks nor records", {
    options: { enabled: false, captureQueryParams: true, captureResponseBody: true },
  }),
  bypassed("switched off, ModeIngest records nothing", { options: { enabled: false, mode: "ingest" } }),
  bypassed("switched off, what the handler answers stands", {
    options: { enabled: false },
    handler: { status: 404, body: "none" },
  }),
  passes("switched on in so many words, it guards", { options: { enabled: true } }),
  bypassed("OPTIONS is skipped when nothing else is said", { request: { method: "OPTIONS", headers: [] } }),
  denied("no other method is skipped when nothing else is said", "MISSING_KEY", {
    request: { method: "DELETE", headers: [] },
  }),
  bypassed("a method in skipMethods is skipped", {
    options: { skipMethods: ["GET", "POST"] },
    request: { method: "POST", headers: [] },
  }),
  bypassed("a method in skipMethods is named in any case", {
    options: { skipMethods: ["post"] },
    request: { method: "POST", headers: [] },
  }),
  passes("skipMethods that are given replace OPTIONS", {
    options: { skipMethods: ["GET"] },
    request: { method: "OPTIONS" },
  }),
  passes("an empty skipMethods skips nothing", { options: { skipMethods: [] }, request: { method: "OPTIONS" } }),
  denied(
    "to skip GET is not to skip HEAD",
    "MISSING_KEY",
    { options: { skipMethods: ["GET"] }, request: { method: "HEAD", headers: [] } },
    { body: "" },
  ),
  bypassed("ModeIngest records no skipped method", { options: { mode: "ingest" }, request: { method: "OPTIONS" } }),
  bypassed("ModeIngest records no excluded path", {
    options: { mode: "ingest", excludePaths: ["/v1/*"] },
  }),
  bypassed("a request that shouldProtect does not want protected is not asked about or recorded", {
    options: { shouldProtect: { value: false } },
  }),
  bypassed("ModeIngest records no request that shouldProtect does not want", {
    options: { mode: "ingest", shouldProtect: { value: false } },
  }),
  passes("a request that shouldProtect wants protected is guarded", { options: { shouldProtect: { value: true } } }),
  bypassed("a fault of the handler passes a bypass unseen", {
    options: { excludePaths: ["*"] },
    handler: { status: 503, body: "down" },
  }),
  ...exclusions,
  ...tricks,
];
