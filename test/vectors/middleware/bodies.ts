import { denied, KEY, passes, problem, recorded } from "./build.ts";
import type { Handler, MiddlewareCase } from "./case.ts";

const CAPTURED = { captureResponseBody: true };
const LONG_KEY = "k".repeat(8_000);
const typed = (type: string, body = "hello"): Handler => ({ headers: [["Content-Type", type]], body });

const TEXTUAL = [
  "text/plain",
  "text/html; charset=utf-8",
  "TEXT/PLAIN; Charset=UTF-8",
  'text/csv; charset="utf-8"',
  "text/plain;charset=us-ascii",
  "application/json",
  "application/json; charset=utf-8",
  "application/problem+json",
  "application/vnd.api+json",
  "application/xml",
  "application/atom+xml",
  "image/svg+xml",
  "application/x-www-form-urlencoded",
  "application/javascript",
  "application/x-javascript",
  "application/ndjson",
  "application/x-ndjson",
  "application/jsonl",
  "application/yaml",
  "application/x-yaml",
  "application/graphql-response+json",
];
const NOT_TEXTUAL = [
  "application/octet-stream",
  "image/png",
  "application/pdf",
  "application/grpc",
  "application/protobuf",
  "multipart/form-data; boundary=x",
  "application/jsonish",
  "application/x-json",
  "application/jsonlines",
  "text/event-stream",
  "text/event-stream; charset=utf-8",
  "Text/Event-Stream",
  "text/plain; charset=iso-8859-1",
  "text/plain; charset=utf-16",
  "nonsense",
];

/** [what, handler, what is recorded of its body]. */
const BODIES: [what: string, handler: Handler, recorded: string | null][] = [
  ["an empty body is none", typed("text/plain", ""), null],
  ["1,000 characters are all recorded", typed("text/plain", "a".repeat(1_000)), "a".repeat(1_000)],
  ["of 1,001 characters the first 1,000", typed("text/plain", `${"a".repeat(1_000)}b`), "a".repeat(1_000)],
  ["characters are counted, not bytes", typed("text/plain", "é".repeat(1_001)), "é".repeat(1_000)],
  [
    "a character beyond the first 65,536 counts as one",
    typed("text/plain", "\u{1f511}".repeat(1_001)),
    "\u{1f511}".repeat(1_000),
  ],
  ["no character is cut in half", typed("text/plain", `${"a".repeat(999)}\u{1f511}b`), `${"a".repeat(999)}\u{1f511}`],
  ["a long body is answered whole", typed("text/plain", "x".repeat(5_000)), "x".repeat(1_000)],
  ["JSON is a text like any other", typed("application/json", '{"a": 1, "b": "\\u00e9"}'), '{"a": 1, "b": "\\u00e9"}'],
  [
    "a compressed body is none",
    {
      headers: [
        ["Content-Type", "text/plain"],
        ["Content-Encoding", "gzip"],
      ],
      bodyBase64: "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==",
    },
    null,
  ],
  [
    "a body of an encoding that is none is a text",
    {
      headers: [
        ["Content-Type", "text/plain"],
        ["Content-Encoding", "identity"],
      ],
      body: "hello",
    },
    "hello",
  ],
  [
    "bytes that are no UTF-8 are replaced",
    { headers: [["Content-Type", "text/plain"]], bodyBase64: "YcMoYg==" },
    "a\u{fffd}(b",
  ],
  [
    "a body of an error is recorded",
    { status: 500, headers: [["Content-Type", "text/plain"]], body: "broken" },
    "broken",
  ],
];

/** The bodies of responses. */
export const BODY_CASES: MiddlewareCase[] = [
  recorded("without captureResponseBody no body is recorded", { handler: typed("text/plain") }, { responseBody: null }),
  ...TEXTUAL.map((type) =>
    recorded(
      `a textual body is recorded: ${type}`,
      { options: CAPTURED, handler: typed(type) },
      { responseBody: "hello" },
    ),
  ),
  ...NOT_TEXTUAL.map((type) =>
    recorded(
      `what is no text, or never ends, is not recorded: ${type}`,
      { options: CAPTURED, handler: typed(type) },
      {
        responseBody: null,
      },
    ),
  ),
  ...BODIES.map(([what, handler, responseBody]): MiddlewareCase => {
    const made = recorded(`of a response's body: ${what}`, { options: CAPTURED, handler }, { responseBody });
    const { body } = handler;
    return body === undefined
      ? made
      : { ...made, expect: { ...made.expect, response: { ...made.expect.response, body } } };
  }),
  recorded(
    "a body that HEAD does not send is not recorded",
    { options: CAPTURED, request: { method: "HEAD" }, handler: typed("text/plain") },
    { responseBody: null },
  ),
  passes(
    "the key is gone before the body is cut",
    { options: CAPTURED, handler: typed("text/plain", `${"a".repeat(995)}${KEY}b`) },
    { event: { responseBody: `${"a".repeat(995)}[REDA` } },
  ),
  passes(
    "what follows the key fills the place that it leaves",
    { options: CAPTURED, handler: typed("text/plain", `${KEY}${"b".repeat(2_000)}`) },
    { event: { responseBody: `[REDACTED]${"b".repeat(990)}` } },
  ),
  passes(
    "the begin of a long body is recorded, whatever its characters, also of a request with a long key",
    {
      options: { ...CAPTURED, keyScheme: "raw" },
      request: { headers: [["X-API-Key", LONG_KEY]] },
      handler: typed("text/plain", "\u20ac".repeat(13_000)),
    },
    { validate: { key: LONG_KEY }, event: { responseBody: "\u20ac".repeat(1_000) } },
  ),
  denied(
    "a denial's body is recorded like any other",
    "MISSING_KEY",
    { options: CAPTURED, request: { headers: [] } },
    { event: { responseBody: problem("MISSING_KEY") } },
  ),
];
