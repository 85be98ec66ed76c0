import { type Change, denied, HIDDEN, KEY, MASKED, passes } from "./build.ts";
import type { MiddlewareCase, Options } from "./case.ts";

type Headers = [string, string][];
const sent = (options: Options, headers: Headers, target = "/v1/things"): Change => ({
  options,
  request: { headers, target },
});
/** A Change in which the service lets the key pass, or denies it: for `passes` the former is the default. */
const OTHER = "sk_live_another_key_0123456789";

const QUERY: Options = { keyLocation: "query" };
const COOKIE: Options = { keyLocation: "cookie" };
const RAW: Options = { keyScheme: "raw" };
const JOINED = { hono: "a Request of the Fetch standard has repeated headers joined" };

/** [what it shows, options, headers, target]: the key is found, and is KEY. */
const FOUND: [what: string, options: Options, headers: Headers, target?: string][] = [
  ["nothing is set: Authorization with Bearer", {}, [["Authorization", `Bearer ${KEY}`]]],
  ["header names have no case", {}, [["aUTHORIZATION", `Bearer ${KEY}`]]],
  ["the scheme has no case: bearer", {}, [["Authorization", `bearer ${KEY}`]]],
  ["the scheme has no case: BEARER", {}, [["Authorization", `BEARER ${KEY}`]]],
  ["white space between scheme and key is none of the key", {}, [["Authorization", `Bearer   \t ${KEY}`]]],
  ["white space around the header is none of the key", {}, [["Authorization", `  Bearer ${KEY}  `]]],
  ["the location alone is no setting: header", { keyLocation: "header" }, [["Authorization", `Bearer ${KEY}`]]],
  ["raw without a name: X-API-Key", RAW, [["X-API-Key", KEY]]],
  ["raw without a name: x-api-key", RAW, [["x-api-key", KEY]]],
  ["bearer without a name: Authorization", { keyScheme: "bearer" }, [["Authorization", `Bearer ${KEY}`]]],
  ["a name alone is raw", { keyName: "X-API-Key" }, [["X-API-Key", KEY]]],
  ["a name of one's own is raw", { keyName: "X-Tenant-Key" }, [["x-tenant-key", KEY]]],
  ["the name Authorization alone is bearer", { keyName: "Authorization" }, [["Authorization", `Bearer ${KEY}`]]],
  ["the name authorization is the same", { keyName: "authorization" }, [["Authorization", `Bearer ${KEY}`]]],
  ["Authorization can be raw", { keyName: "Authorization", keyScheme: "raw" }, [["Authorization", KEY]]],
  ["any header can be bearer", { keyName: "X-Token", keyScheme: "bearer" }, [["X-Token", `Bearer ${KEY}`]]],
  ["white space around a raw key is none of it", RAW, [["X-API-Key", `\t ${KEY} `]]],
  ["query without a name: api_key", QUERY, [], `/v1/things?api_key=${KEY}`],
  ["query with a name", { ...QUERY, keyName: "token" }, [], `/v1/things?a=1&token=${KEY}&b=2`],
  ["a scheme is none for a query", { ...QUERY, keyScheme: "bearer" }, [], `/v1/things?api_key=${KEY}`],
  ["a parameter is decoded", QUERY, [], `/v1/things?api_key=${KEY.replaceAll("_", "%5F")}`],
  ["the name of a parameter is decoded", QUERY, [], `/v1/things?api%5fkey=${KEY}`],
  ["a plus at the end of a parameter is white space", QUERY, [], `/v1/things?api_key=${KEY}+`],
  ["white space around a parameter is none of the key", QUERY, [], `/v1/things?api_key=%20${KEY}%20`],
  ["a parameter twice with one value is that value", QUERY, [], `/v1/things?api_key=${KEY}&api_key=${KEY}`],
  ["other parameters, broken ones too, do not matter", QUERY, [], `/v1/things?x=%zz&&=&api_key=${KEY}&y`],
  ["cookie without a name: api_key", COOKIE, [["Cookie", `api_key=${KEY}`]]],
  ["cookie with a name", { ...COOKIE, keyName: "token" }, [["Cookie", `a=1; token=${KEY}; b=2`]]],
  ["a scheme is none for a cookie", { ...COOKIE, keyScheme: "bearer" }, [["Cookie", `api_key=${KEY}`]]],
  ["quotes are none of a cookie", COOKIE, [["Cookie", `a="1"; api_key="${KEY}"; b="2"`]]],
  ["cookies need no white space between them", COOKIE, [["Cookie", `a=1;api_key=${KEY};b=2`]]],
  ["a cookie twice with one value is that value", COOKIE, [["Cookie", `api_key=${KEY}; api_key=${KEY}`]]],
  [
    "a cookie may come in a second header",
    COOKIE,
    [
      ["Cookie", "a=1"],
      ["Cookie", `api_key=${KEY}`],
    ],
  ],
  ["other cookies, broken ones too, do not matter", COOKIE, [["Cookie", `=; ;;x; y=a=b; api_key=${KEY}`]]],
  ["a cookie's name may be part of another's", COOKIE, [["Cookie", `my_api_key=no; api_key=${KEY}; api_key_2=no`]]],
];

/** [what it shows, options, headers, target]: there is no key. */
const MISSING: [what: string, options: Options, headers: Headers, target?: string][] = [
  ["no header", {}, []],
  ["an empty header", {}, [["Authorization", ""]]],
  ["the scheme alone", {}, [["Authorization", "Bearer"]]],
  ["the scheme and white space", {}, [["Authorization", "Bearer   "]]],
  ["another scheme", {}, [["Authorization", "Basic c2tfbGl2ZTpw"]]],
  ["a scheme that only begins like it", {}, [["Authorization", `Bearers ${KEY}`]]],
  ["a key without its scheme", {}, [["Authorization", KEY]]],
  ["a scheme and a key in one word", {}, [["Authorization", `Bearer:${KEY}`]]],
  ["nothing is set: X-API-Key is not looked at", {}, [["X-API-Key", KEY]]],
  ["nothing is set: the query is not looked at", {}, [], `/v1/things?api_key=${KEY}`],
  ["nothing is set: cookies are not looked at", {}, [["Cookie", `api_key=${KEY}`]]],
  ["raw: Authorization is not looked at", RAW, [["Authorization", `Bearer ${KEY}`]]],
  ["an empty raw header", RAW, [["X-API-Key", ""]]],
  ["a raw header of white space", RAW, [["X-API-Key", "  \t "]]],
  ["query: headers are not looked at", QUERY, [["Authorization", `Bearer ${KEY}`]]],
  ["query: no parameter", QUERY, [], "/v1/things"],
  ["query: an empty parameter", QUERY, [], "/v1/things?api_key="],
  ["query: a parameter without a value", QUERY, [], "/v1/things?api_key"],
  ["query: a parameter of white space", QUERY, [], "/v1/things?api_key=%20+"],
  ["query: a name in another case", QUERY, [], `/v1/things?API_KEY=${KEY}`],
  ["query: a name that only begins like it", QUERY, [], `/v1/things?api_key2=${KEY}`],
  ["cookie: no cookie", COOKIE, []],
  ["cookie: an empty cookie", COOKIE, [["Cookie", "api_key="]]],
  ["cookie: an empty one in quotes", COOKIE, [["Cookie", 'api_key=""']]],
  ["cookie: a name in another case", COOKIE, [["Cookie", `Api_Key=${KEY}`]]],
  ["cookie: another cookie", COOKIE, [["Cookie", `key=${KEY}`]]],
  ["cookie: headers are not looked at", COOKIE, [["X-API-Key", KEY]]],
];

/** [what it shows, options, headers, target, skip]: what is there cannot be a key, so nobody is asked. */
const REFUSED: [string, Options, Headers, string?, Record<string, string>?][] = [
  [
    "a header twice",
    RAW,
    [
      ["X-API-Key", KEY],
      ["X-API-Key", OTHER],
    ],
  ],
  [
    "Authorization twice",
    {},
    [
      ["Authorization", `Bearer ${KEY}`],
      ["Authorization", `Bearer ${OTHER}`],
    ],
  ],
  [
    "Authorization twice with two schemes",
    {},
    [
      ["Authorization", "Basic x"],
      ["Authorization", `Bearer ${KEY}`],
    ],
    "/v1/things",
    JOINED,
  ],
  ["a parameter twice", QUERY, [], `/v1/things?api_key=${KEY}&api_key=${OTHER}`],
  ["a parameter twice, once empty", QUERY, [], `/v1/things?api_key=&api_key=${KEY}`],
  ["a parameter twice, once encoded", QUERY, [], `/v1/things?api_key=${OTHER}&api%5Fkey=${KEY}`],
  ["a cookie twice", COOKIE, [["Cookie", `api_key=${KEY}; api_key=${OTHER}`]]],
  [
    "a cookie twice in two headers",
    COOKIE,
    [
      ["Cookie", `api_key=${KEY}`],
      ["Cookie", `api_key=${OTHER}`],
    ],
  ],
  ["white space in a raw key", RAW, [["X-API-Key", "sk_live_3f9a 1c7e5b2d8064"]]],
  ["white space in a bearer key", {}, [["Authorization", "Bearer sk_live_3f9a 1c7e5b2d8064"]]],
  ["a plus in a parameter, which is white space", QUERY, [], "/v1/things?api_key=sk_live_3f9a+1c7e5b2d8064"],
  ["a line break in a parameter", QUERY, [], "/v1/things?api_key=sk_live_3f9a%0D%0A1c7e5b2d8064"],
  ["a NUL in a parameter", QUERY, [], "/v1/things?api_key=sk_live_3f9a%001c7e5b2d8064"],
  ["what is not ASCII in a parameter", QUERY, [], "/v1/things?api_key=sk_live_%C3%A91c7e5b2d8064"],
  ["what is not ASCII in a header", RAW, [["X-API-Key", "sk_live_é1c7e5b2d8064"]]],
  ["what is not ASCII in a cookie", COOKIE, [["Cookie", "api_key=sk_live_é1c7e5b2d8064"]]],
  ["a key of 8,193 bytes", RAW, [["X-API-Key", "k".repeat(8_193)]]],
  ["a bearer key of 8,193 bytes", {}, [["Authorization", `Bearer ${"k".repeat(8_193)}`]]],
];

/** What a denial says of how keys are sent. */
function challenge({ keyLocation = "header", keyName, keyScheme }: Options, code: string): string {
  const unset = keyName === undefined && keyScheme === undefined;
  const bearer =
    keyScheme === "bearer" || (keyScheme !== "raw" && (unset || keyName?.toLowerCase() === "authorization"));
  if (keyLocation === "header" && bearer) return code === "MISSING_KEY" ? "Bearer" : 'Bearer error="invalid_token"';
  const name = keyName ?? (keyLocation === "header" ? "X-API-Key" : "api_key");
  return `ApiKey in="${keyLocation}", name="${name}"`;
}

const longKey = "k".repeat(8_192);

/** Where keys are found, and what becomes of those that cannot be any. */
export const KEYS: MiddlewareCase[] = [
  ...FOUND.map(([what, options, headers, target]) =>
    passes(`the key is found: ${what}`, sent(options, headers, target), { event: { apiKey: MASKED } }),
  ),
  ...MISSING.map(([what, options, headers, target]) =>
    denied(`without a key nobody is asked: ${what}`, "MISSING_KEY", sent(options, headers, target), {
      headers: { "www-authenticate": challenge(options, "MISSING_KEY") },
      event: { apiKey: null },
    }),
  ),
  ...REFUSED.map(([what, options, headers, target, skip]) =>
    denied(
      `what cannot be a key is not found without asking: ${what}`,
      "NOT_FOUND",
      { ...sent(options, headers, target), ...(skip && { skip }) },
      { headers: { "www-authenticate": challenge(options, "NOT_FOUND") }, event: { apiKey: HIDDEN } },
    ),
  ),
  {
    ...passes(
      "a header twice with one value is that value",
      sent(RAW, [
        ["X-API-Key", KEY],
        ["X-API-Key", KEY],
      ]),
    ),
    skip: JOINED,
  },
  passes("a key of 8,192 bytes is asked about", sent(RAW, [["X-API-Key", longKey]]), {
    validate: { key: longKey },
    event: { apiKey: "********kkkkkk" },
    secrets: [longKey],
  }),
  passes("of a key of 17 characters nothing is recorded", sent(RAW, [["X-API-Key", "sk_01234567890123"]]), {
    validate: { key: "sk_01234567890123" },
    event: { apiKey: HIDDEN },
  }),
  passes("of a key of 18 characters the last 6 are recorded", sent(RAW, [["X-API-Key", "sk_012345678901234"]]), {
    validate: { key: "sk_012345678901234" },
    event: { apiKey: "********901234" },
  }),
  passes(
    "every visible ASCII character may be in a key",
    sent(RAW, [["X-API-Key", "sk_!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~"]]),
    {
      validate: { key: "sk_!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~" },
      event: { apiKey: "********^`{|}~" },
    },
  ),
  passes("an escape in a cookie is not decoded", sent(COOKIE, [["Cookie", "api_key=sk_live%5F3f9a1c7e5b2d8064"]]), {
    validate: { key: "sk_live%5F3f9a1c7e5b2d8064" },
  }),
];
