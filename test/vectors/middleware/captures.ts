import { denied, KEY, recorded } from "./build.ts";
import type { MiddlewareCase, Options } from "./case.ts";

type Headers = [string, string][];
type Recorded = Record<string, string | string[] | null>;
const GONE = "[REDACTED]";
const QUERY: Options = { captureQueryParams: true };
const JOINED = { hono: "a Request of the Fetch standard has repeated headers joined" };

const SECRET_NAMES = [
  ...["key", "api_key", "apikey", "x_api_key", "token", "access_token", "refresh_token", "id_token", "auth_token"],
  ...["jwt", "secret", "client_secret", "password", "passwd", "pwd", "auth", "authorization", "signature", "sig"],
  ...["code", "session", "session_id", "credential"],
];

/** [what, query, recorded query]: without a key in it. */
const QUERIES: [what: string, query: string, recorded: string][] = [
  ["order and text stay as they came", "?b=2&a=%20x&c=+&d", "?b=2&a=%20x&c=+&d"],
  ["an empty query is none", "?", ""],
  ["names have no case", "?Api_Key=s&TOKEN=s", `?Api_Key=${GONE}&TOKEN=${GONE}`],
  ["a dash in a name is like an underscore", "?api-key=s&access-token=s", `?api-key=${GONE}&access-token=${GONE}`],
  ["a name is decoded before it is compared", "?t%6Fken=s", `?t%6Fken=${GONE}`],
  ["each of several values is gone", "?token=s&x=1&token=t", `?token=${GONE}&x=1&token=${GONE}`],
  ["a value with an equals sign is gone as a whole", "?token=a=b&x=1", `?token=${GONE}&x=1`],
  ["a value that is empty is like any other", "?token=&x=1", `?token=${GONE}&x=1`],
  ["a name without a value stays", "?token&x=1", "?token&x=1"],
  ["a name that only contains one stays", "?monkey=1&tokens=2&keyword=3", "?monkey=1&tokens=2&keyword=3"],
  ["a broken escape stays as it is", "?x=%zz&token=%zz", `?x=%zz&token=${GONE}`],
];

/** [what, options, headers of the request, what is recorded of them]. */
const HEADERS: [what: string, options: Options, headers: Headers, recorded: Recorded, skip?: Record<string, string>][] =
  [
    [
      "others are recorded",
      {},
      [
        ["X-Other", "1"],
        ["Accept", "text/html"],
      ],
      { "x-other": "1", accept: "text/html" },
    ],
    ["names are in lower case", {}, [["X-OTHER", "1"]], { "x-other": "1", "X-OTHER": null }],
    [
      "several values are a list",
      {},
      [
        ["X-Other", "1"],
        ["X-Other", "2, 3"],
      ],
      { "x-other": ["1", "2, 3"] },
      JOINED,
    ],
    [
      "what never leaves, in whatever case",
      {},
      [
        ["AUTHORIZATION", "Basic eDp5"],
        ["cOOKIE", "a=1"],
        ["Proxy-Authorization", "Basic eDp5"],
        ["set-cookie", "a=1"],
        ["x-Api-Key", "other"],
      ],
      { authorization: null, cookie: null, "proxy-authorization": null, "set-cookie": null, "x-api-key": null },
    ],
    [
      "excludedHeaders, in whatever case",
      { excludedHeaders: ["X-Internal", "x-trace"] },
      [
        ["x-internal", "1"],
        ["X-TRACE", "2"],
        ["X-Tracer", "3"],
      ],
      { "x-internal": null, "x-trace": null, "x-tracer": "3" },
    ],
    [
      "the name of the key, in whatever case",
      { keyName: "X-Tenant-Key" },
      [["x-tenant-KEY", "other"]],
      { "x-tenant-key": null },
    ],
    [
      "a name of a key that is no header says nothing of headers",
      { keyLocation: "query", keyName: "token" },
      [["Token", "1"]],
      { token: "1" },
    ],
  ];

const headerCases = HEADERS.map(([what, options, headers, requestHeaders, skip]) =>
  recorded(
    `request headers: ${what}`,
    { options: { captureRequestHeaders: true, ...options }, request: { headers }, ...(skip && { skip }) },
    { requestHeaders },
  ),
);

const responseCases = HEADERS.map(([what, options, headers, responseHeaders, skip]) =>
  recorded(
    `response headers: ${what}`,
    { options: { captureResponseHeaders: true, ...options }, handler: { headers }, ...(skip && { skip }) },
    { responseHeaders },
  ),
);

/** What is captured of queries and headers, and what is not. */
export const CAPTURES: MiddlewareCase[] = [
  recorded(
    "without captureQueryParams no query is recorded",
    { request: { target: "/v1/things?a=1" } },
    { path: "/v1/things" },
  ),
  ...QUERIES.map(([what, query, kept]) =>
    recorded(
      `captureQueryParams: ${what}`,
      { options: QUERY, request: { target: `/v1/things${query}`, headers: [] } },
      { path: `/v1/things${kept}`, endpoint: "/v1/things" },
    ),
  ),
  recorded(
    "captureQueryParams: the values of names that tell of a secret are gone",
    {
      options: QUERY,
      request: { target: `/v1/things?a=1&${SECRET_NAMES.map((name) => `${name}=hush`).join("&")}&z=1`, headers: [] },
    },
    { path: `/v1/things?a=1&${SECRET_NAMES.map((name) => `${name}=${GONE}`).join("&")}&z=1` },
    { secrets: ["hush"] },
  ),
  recorded(
    "ModeIngest: the value under the name of the key is gone",
    {
      options: { ...QUERY, keyLocation: "query", keyName: "pass" },
      request: { target: `/v1/things?pass=${KEY}`, headers: [] },
    },
    { path: `/v1/things?pass=${GONE}` },
  ),
  ...headerCases,
  ...responseCases,
  recorded(
    "without captureRequestHeaders none are recorded",
    { request: { headers: [["X-Other", "1"]] } },
    { requestHeaders: null },
  ),
  recorded(
    "without captureResponseHeaders none are recorded",
    { options: { captureRequestHeaders: true }, handler: { headers: [["X-Other", "1"]] } },
    { responseHeaders: null },
  ),
  denied(
    "a denial's headers are recorded like any other's",
    "MISSING_KEY",
    { options: { captureResponseHeaders: true }, request: { headers: [] } },
    { event: { responseHeaders: { "content-type": "application/problem+json", "www-authenticate": "Bearer" } } },
  ),
];
