import { BEARER, type Change, denied, KEY, passes, recorded } from "./build.ts";
import type { ExpectedEvent, MiddlewareCase, Options } from "./case.ts";

const GONE = "[REDACTED]";
const QUERY: Options = { captureQueryParams: true };
/** The key as a URL may have it. */
const ENCODED = `%73k%5Flive%5f${KEY.slice(8)}`;

/** The key, where it has nothing to do: [what, what changes, what is recorded]. */
const PLACES: [what: string, change: Change, event: ExpectedEvent, validate?: Record<string, unknown>][] = [
  [
    "in the path",
    { request: { target: `/v1/${KEY}/x` } },
    { path: `/v1/${GONE}/x`, endpoint: `/v1/${GONE}/x` },
    { endpoint: `/v1/${GONE}/x` },
  ],
  [
    "in the path, encoded",
    { request: { target: `/v1/${ENCODED}/x` } },
    { path: `/v1/${GONE}/x`, endpoint: `/v1/${GONE}/x` },
    { endpoint: `/v1/${GONE}/x` },
  ],
  [
    "within a segment, and twice",
    { request: { target: `/v1/a${KEY}${KEY}b` } },
    { path: `/v1/a${GONE}${GONE}b` },
    { endpoint: `/v1/a${GONE}${GONE}b` },
  ],
  [
    "in what pathResolver says",
    { options: { pathResolver: { value: `/of/${KEY}` } } },
    { endpoint: `/of/${GONE}` },
    { endpoint: `/of/${GONE}` },
  ],
  [
    "in the query under a harmless name",
    { options: QUERY, request: { target: `/v1/things?q=a${KEY}b&x=1` } },
    { path: `/v1/things?q=a${GONE}b&x=1` },
  ],
  [
    "in the query, encoded",
    { options: QUERY, request: { target: `/v1/things?q=${ENCODED}&x=1` } },
    { path: `/v1/things?q=${GONE}&x=1` },
  ],
  [
    "as the name of a parameter",
    { options: QUERY, request: { target: `/v1/things?${KEY}=1` } },
    { path: `/v1/things?${GONE}=1` },
  ],
  [
    "in the user agent",
    { request: { headers: [BEARER, ["User-Agent", `curl/8 (${KEY})`]] } },
    { userAgent: `curl/8 (${GONE})` },
    { userAgent: `curl/8 (${GONE})` },
  ],
  [
    "in a header",
    { options: { captureRequestHeaders: true }, request: { headers: [BEARER, ["X-Debug", `key=${KEY};x`]] } },
    { requestHeaders: { "x-debug": `key=${GONE};x` } },
  ],
  [
    "in a header, encoded",
    {
      options: { captureRequestHeaders: true },
      request: { headers: [BEARER, ["Referer", `https://a.example/?k=${ENCODED}`]] },
    },
    { requestHeaders: { referer: `https://a.example/?k=${GONE}` } },
  ],
  [
    "in a header of the response",
    { options: { captureResponseHeaders: true }, handler: { headers: [["X-Echo", KEY]] } },
    { responseHeaders: { "x-echo": GONE } },
  ],
  [
    "in the body of the response",
    {
      options: { captureResponseBody: true },
      handler: { headers: [["Content-Type", "application/json"]], body: `{"key":"${KEY}"}` },
    },
    { responseBody: { key: GONE } },
  ],
  [
    "in a consumer's name",
    { options: { consumerNameResolver: { value: `Acme ${KEY}` } } },
    { consumerName: `Acme ${GONE}` },
  ],
];

/** In ModeIngest, where a key may stand although nobody is asked about it: [where, options, headers, query]. */
const UNASKED: [where: string, options: Options, headers: [string, string][], query?: string][] = [
  ["in its header", {}, [BEARER]],
  ["in its header, raw", { keyScheme: "raw" }, [["X-API-Key", KEY]]],
  ["in its parameter", { keyLocation: "query" }, [], `&api_key=${KEY}`],
  ["in its cookie", { keyLocation: "cookie", keyName: "token" }, [["Cookie", `token=${KEY}`]]],
  ["besides another", {}, [BEARER, ["Authorization", "Bearer sk_live_other_0123456789"]]],
  ["where getConsumerKey is not asked", { getConsumerKey: { panic: true } }, [BEARER]],
];

/** The caller's key is recorded nowhere. */
export const REDACTION: MiddlewareCase[] = [
  ...UNASKED.map(([where, options, headers, query = ""]) =>
    recorded(
      `ModeIngest: the key that stands ${where} is recorded nowhere`,
      {
        options: { ...QUERY, captureRequestHeaders: true, captureResponseBody: true, ...options },
        request: {
          target: `/v1/${KEY}/${ENCODED}?q=${KEY}${query}`,
          headers: [...headers, ["User-Agent", KEY], ["X-Debug", KEY]],
        },
        handler: { body: `of ${KEY}` },
      },
      {
        path: `/v1/${GONE}/${GONE}?q=${GONE}${query === "" ? "" : `&api_key=${GONE}`}`,
        endpoint: `/v1/${GONE}/${GONE}`,
        userAgent: GONE,
        requestHeaders: { "x-debug": GONE },
        responseBody: `of ${GONE}`,
      },
    ),
  ),
  ...PLACES.map(([what, change, event, validate]) =>
    passes(`the caller's key is recorded nowhere: ${what}`, change, { event, ...(validate && { validate }) }),
  ),
  denied(
    "the caller's key is recorded nowhere, of a denied request too",
    "NOT_FOUND",
    {
      options: { ...QUERY, captureRequestHeaders: true },
      request: {
        target: `/v1/${KEY}?q=${KEY}`,
        headers: [BEARER, ["User-Agent", KEY], ["X-Debug", KEY]],
      },
      service: { verdict: { valid: false, code: "NOT_FOUND", requestId: "req_denied" } },
    },
    {
      validate: { endpoint: `/v1/${GONE}`, userAgent: GONE },
      body: {
        type: "urn:keysvc:problem:not-found",
        title: "The API key is not valid",
        status: 401,
        detail: "The API key is not known here.",
        code: "NOT_FOUND",
        requestId: "req_denied",
      },
      event: {
        requestId: "req_denied",
        path: `/v1/${GONE}?q=${GONE}`,
        userAgent: GONE,
        requestHeaders: { "x-debug": GONE, authorization: null },
      },
    },
  ),
  denied(
    "what cannot be a key is recorded nowhere either",
    "NOT_FOUND",
    {
      options: { ...QUERY, keyLocation: "query", captureRequestHeaders: true },
      request: {
        target: "/v1/things?api_key=sk_one_0123456789abcdef&api_key=sk_two_0123456789abcdef&q=sk_one_0123456789abcdef",
        headers: [
          ["X-Debug", "sk_two_0123456789abcdef"],
          ["User-Agent", "sk_one_0123456789abcdef"],
        ],
      },
    },
    {
      event: {
        path: `/v1/things?api_key=${GONE}&api_key=${GONE}&q=${GONE}`,
        userAgent: GONE,
        requestHeaders: { "x-debug": GONE },
      },
    },
  ),
  passes(
    "the key of a getConsumerKey is recorded nowhere: in its header",
    {
      options: { getConsumerKey: { header: "x-tenant-key" }, captureRequestHeaders: true },
      request: { headers: [["X-Tenant-Key", KEY]] },
    },
    { event: { requestHeaders: { "x-tenant-key": GONE } } },
  ),
  passes(
    "the key in the query is gone",
    {
      options: { ...QUERY, keyLocation: "query" },
      request: { target: `/v1/things?a=1&api_key=${KEY}&b=2`, headers: [] },
    },
    { event: { path: `/v1/things?a=1&api_key=${GONE}&b=2` } },
  ),
  passes(
    "a key under a name of one's own in the query is gone, and only under that name in that case",
    {
      options: { ...QUERY, keyLocation: "query", keyName: "Pass" },
      request: { target: `/v1/things?Pass=${KEY}&b=2`, headers: [] },
    },
    { event: { path: `/v1/things?Pass=${GONE}&b=2` } },
  ),
  passes(
    "a key with characters that are encoded in a query is gone",
    {
      options: { ...QUERY, keyScheme: "raw" },
      request: {
        target: "/v1/things?q=sk_a%2Bb%2fc%3d%3d0123456789&r=sk_a+b",
        headers: [["X-API-Key", "sk_a+b/c==0123456789"]],
      },
    },
    {
      validate: { key: "sk_a+b/c==0123456789" },
      event: { path: `/v1/things?q=${GONE}&r=sk_a+b` },
      secrets: ["sk_a+b/c=="],
    },
  ),
  passes(
    "a key with characters that mean something in patterns is gone as a text",
    {
      options: { captureRequestHeaders: true, keyScheme: "raw" },
      request: {
        headers: [
          ["X-API-Key", "sk_.*(a|b)$[0-9]+^01"],
          ["X-Debug", "1 sk_.*(a|b)$[0-9]+^01 sk_xx"],
        ],
      },
    },
    {
      validate: { key: "sk_.*(a|b)$[0-9]+^01" },
      event: { requestHeaders: { "x-debug": `1 ${GONE} sk_xx` } },
      secrets: ["sk_.*(a|b)"],
    },
  ),
];
