import { BEARER, denied, KEY, passes, recorded } from "./build.ts";
import { type MiddlewareCase, ROUTE } from "./case.ts";

const ip = (name: string, value: string) => ({
  options: { captureClientIP: true, clientIPResolver: { value: name } },
  request: { headers: [BEARER, [name, value]] as [string, string][] },
});
const LONG_AGENT = `agent/${"1".repeat(8_300)}`;

/** [header, what is recorded]: the first entry where it looks like an address, else what the framework says. */
const ADDRESSES: [header: string, address: string][] = [
  ["203.0.113.9", "203.0.113.9"],
  ["203.0.113.9, 10.0.0.1, 10.0.0.2", "203.0.113.9"],
  ["  203.0.113.9  ,10.0.0.1", "203.0.113.9"],
  ["203.0.113.9:51234", "203.0.113.9"],
  ["2001:db8::17", "2001:db8::17"],
  ["[2001:db8::17]:443, 10.0.0.1", "2001:db8::17"],
  ["[2001:db8::17]", "2001:db8::17"],
  ["unknown, 203.0.113.9", "127.0.0.1"],
  ["_hidden", "127.0.0.1"],
  ["", "127.0.0.1"],
  [", 203.0.113.9", "127.0.0.1"],
  ["<script>", "127.0.0.1"],
  ["1".repeat(300), "127.0.0.1"],
];

/** Endpoints and paths, names, user agents and addresses of an event. */
export const LABELS: MiddlewareCase[] = [
  recorded(
    "the endpoint is the path without its query",
    {
      request: { target: "/v1/things/17?page=2" },
    },
    { endpoint: "/v1/things/17", path: "/v1/things/17" },
  ),
  recorded(
    "the path is recorded as it came, not decoded",
    {
      request: { target: "/v1/th%69ngs/a%20b" },
    },
    { endpoint: "/v1/th%69ngs/a%20b", path: "/v1/th%69ngs/a%20b" },
  ),
  recorded(
    "the path is recorded as it came, not encoded either",
    {
      request: { target: "/v1/th%69ngs/a|b" },
    },
    { endpoint: "/v1/th%69ngs/a|b", path: "/v1/th%69ngs/a|b" },
  ),
  recorded(
    "the endpoint is the route's template, the path is the path",
    {
      request: { target: "/v1/things/17", route: "/v1/things/{id}" },
    },
    { endpoint: ROUTE, path: "/v1/things/17" },
  ),
  passes(
    "the endpoint of a guarded route is its template",
    {
      request: { target: "/v1/things/17/parts/4?x=1", route: "/v1/things/{id}/parts/{part}" },
    },
    { validate: { endpoint: ROUTE }, event: { endpoint: ROUTE, path: "/v1/things/17/parts/4" } },
  ),
  passes(
    "pathResolver wins over the template, also in the question",
    {
      options: { pathResolver: { value: "things.read" } },
      request: { target: "/v1/things/17", route: "/v1/things/{id}" },
    },
    { validate: { endpoint: "things.read" }, event: { endpoint: "things.read", path: "/v1/things/17" } },
  ),
  recorded(
    "ModeIngest takes the endpoint from pathResolver",
    {
      options: { pathResolver: { value: "/v1/things/:id" } },
      request: { target: "/v1/things/17" },
    },
    { endpoint: "/v1/things/:id", path: "/v1/things/17" },
  ),
  recorded(
    "an empty answer of pathResolver is none",
    { options: { pathResolver: { value: "" } } },
    {
      endpoint: "/v1/things",
    },
  ),
  recorded(
    "in ModeIngest a pathResolver that panics is told, and the path is recorded",
    {
      options: { pathResolver: { panic: true } },
    },
    { endpoint: "/v1/things" },
    { errors: ["record"] },
  ),

  passes(
    "consumerNameResolver names the consumer",
    {
      options: { consumerNameResolver: { value: "Acme, Inc." } },
    },
    { event: { consumerName: "Acme, Inc." } },
  ),
  recorded(
    "ModeIngest names the consumer",
    {
      options: { consumerNameResolver: { header: "x-customer" } },
      request: { headers: [["X-Customer", "Acme"]] },
    },
    { consumerName: "Acme" },
  ),
  passes(
    "an empty name is none",
    { options: { consumerNameResolver: { value: "" } } },
    { event: { consumerName: null } },
  ),
  denied(
    "a denied request has its name too",
    "MISSING_KEY",
    {
      options: { consumerNameResolver: { header: "x-customer" } },
      request: { headers: [["X-Customer", "Acme"]] },
    },
    { event: { consumerName: "Acme" } },
  ),
  passes(
    "a consumerNameResolver that panics is told, and the event is recorded without a name",
    {
      options: { consumerNameResolver: { panic: true } },
    },
    { event: { consumerName: null }, errors: ["record"] },
  ),
  passes(
    "a consumerNameResolver that panics does not change the answer, whatever OnError does",
    {
      options: { consumerNameResolver: { panic: true }, onError: { panic: true } },
      handler: { body: "mine" },
    },
    { response: { status: 200, body: "mine" }, event: { consumerName: null }, errors: ["record"] },
  ),

  passes(
    "the user agent is asked with and recorded",
    {
      request: { headers: [BEARER, ["User-Agent", "curl/8.5.0 (x)"]] },
    },
    { validate: { userAgent: "curl/8.5.0 (x)" }, event: { userAgent: "curl/8.5.0 (x)" } },
  ),
  passes(
    "without captureUserAgent the user agent stays here, also in headers",
    {
      options: { captureUserAgent: false, captureRequestHeaders: true },
      request: { headers: [BEARER, ["User-Agent", "curl/8.5.0"], ["X-Other", "1"]] },
    },
    { event: { userAgent: null, requestHeaders: { "user-agent": null, "x-other": "1" } } },
  ),
  recorded(
    "ModeIngest records the user agent",
    { request: { headers: [["User-Agent", "curl/8.5.0"]] } },
    {
      userAgent: "curl/8.5.0",
    },
  ),
  passes(
    "a user agent is cut at the 8,192 characters that the service takes",
    {
      request: { headers: [BEARER, ["User-Agent", LONG_AGENT]] },
    },
    {
      validate: { userAgent: LONG_AGENT.slice(0, 8_192) },
      event: { userAgent: LONG_AGENT.slice(0, 8_192) },
    },
  ),

  passes(
    "without captureClientIP no address is recorded, and clientIPResolver is not asked",
    {
      options: { clientIPResolver: { panic: true } },
      request: { headers: [BEARER, ["X-Real-IP", "203.0.113.9"]] },
    },
    { event: { clientIp: null } },
  ),
  passes(
    "captureClientIP records what the framework says, also in the question",
    {
      options: { captureClientIP: true },
    },
    { validate: { clientIp: "127.0.0.1" }, event: { clientIp: "127.0.0.1" } },
  ),
  ...ADDRESSES.map(([header, clientIp]) =>
    passes(
      `of the header that clientIPResolver names the first address is recorded: ${JSON.stringify(header.slice(0, 40))}`,
      ip("X-Client-Address", header),
      { validate: { clientIp }, event: { clientIp } },
    ),
  ),
  passes(
    "of a repeated header the first one has the address",
    {
      options: { captureClientIP: true, clientIPResolver: { value: "x-client-address" } },
      request: { headers: [BEARER, ["X-Client-Address", "203.0.113.9"], ["X-Client-Address", "203.0.113.10"]] },
    },
    { validate: { clientIp: "203.0.113.9" }, event: { clientIp: "203.0.113.9" } },
  ),
  passes(
    "without the header that clientIPResolver names the framework says the address",
    {
      options: { captureClientIP: true, clientIPResolver: { value: "X-Client-Address" } },
    },
    { validate: { clientIp: "127.0.0.1" }, event: { clientIp: "127.0.0.1" } },
  ),
  passes(
    "when clientIPResolver names no header the framework says the address",
    {
      options: { captureClientIP: true, clientIPResolver: { value: "" } },
    },
    { validate: { clientIp: "127.0.0.1" }, event: { clientIp: "127.0.0.1" } },
  ),
  recorded(
    "in ModeIngest a clientIPResolver that panics is told, and no address is recorded",
    {
      options: { captureClientIP: true, clientIPResolver: { panic: true } },
    },
    { clientIp: null },
    { errors: ["record"] },
  ),
  recorded(
    "a key in clear in what is not captured is not recorded",
    {
      options: { captureUserAgent: false },
      request: {
        headers: [
          ["User-Agent", KEY],
          ["X-Debug", KEY],
        ],
        target: `/v1/things?api_key=${KEY}`,
      },
    },
    { path: "/v1/things" },
  ),
];
