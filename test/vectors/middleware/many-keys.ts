import { denied, HIDDEN } from "./build.ts";
import type { ExpectedEvent, MiddlewareCase, Options } from "./case.ts";

const GONE = "[REDACTED]";
const OPTIONS: Options = {
  ...{ keyLocation: "query", captureQueryParams: true },
  ...{ captureRequestHeaders: true, captureResponseHeaders: true, captureResponseBody: true },
};

/** Denied, because nobody can say which of so many keys is meant; each of them is sent twice. */
function many(name: string, count: number, event: ExpectedEvent): MiddlewareCase {
  const keys = Array.from({ length: count }, (_, at) => `sk_many_${String.fromCharCode(97 + at)}_0123456789`);
  const headers: [string, string][] = [
    ["User-Agent", "agent/1"],
    ["X-Debug", "text"],
  ];
  const target = `/v1/things?${[...keys, ...keys].map((key) => `api_key=${key}`).join("&")}`;
  return denied(name, "NOT_FOUND", { options: OPTIONS, request: { target, headers } }, { event });
}

/** More keys than are sought. */
export const MANY_KEYS: MiddlewareCase[] = [
  many("16 different values at the place of the key are each gone from what is recorded", 16, {
    ...{ apiKey: HIDDEN, userAgent: "agent/1", requestHeaders: { "x-debug": "text" } },
    path: `/v1/things?${Array(32).fill(`api_key=${GONE}`).join("&")}`,
  }),
  many("of 17 different values at the place of the key, every text that could hold them is gone as a whole", 17, {
    ...{ apiKey: HIDDEN, userAgent: GONE, endpoint: GONE, path: `${GONE}?${GONE}`, responseBody: GONE },
    ...{ requestHeaders: { "x-debug": null }, responseHeaders: { "content-type": null } },
  }),
];
