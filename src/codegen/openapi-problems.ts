import type { Schema } from "./openapi-schemas.ts";

/**
 * The statuses of docs/errors.md that a POST to one of the paths may get, whichever it is: which of 404 and 409 one cannot
 * have is written nowhere. 405 is for other methods, 501 for what is not built, 504 for the deadlines of the other protocols.
 */
const PROBLEM_STATUSES: Record<string, string> = {
  "400": "The request is malformed or breaks a rule; `errors` names every field.",
  "401": "The credential is missing or wrong.",
  "403": "The credential does not have the scope.",
  "404": "Something that the request names does not exist in this project.",
  "406": "None of the content types that Accept names is served here.",
  "408": "The request did not arrive in time.",
  "409": "The state of something that the request names does not allow it.",
  "413": "The request is too large.",
  "415": "The content type is not application/json.",
  "429": "Too many calls; Retry-After tells when to try again.",
  "431": "The headers are too large.",
  "500": "A fault of the service.",
  "503": "The database is out of reach, or the service is overloaded; Retry-After tells when to try again.",
};

/** Headers of some problems, besides those of all. */
const PROBLEM_HEADERS: Record<string, string> = {
  "401": "WWW-Authenticate",
  "429": "Retry-After",
  "503": "Retry-After",
};

const HEADERS: Record<string, string> = {
  "X-Request-Id": "The id of the call.",
  Age: "For how many seconds the answer has been kept; where the window is given by timeRange.",
  "RateLimit-Policy": "Of a consumer with a rate limit: its calls (q) per window of so many seconds (w).",
  RateLimit: "Of a consumer with a rate limit: the calls left (r), and the seconds until the next window (t).",
  "Retry-After":
    "After how many seconds to try again: of a denial that passes, as in `retryAfterSeconds`, and of a problem that passes.",
  "WWW-Authenticate": "That a credential is to be sent as a bearer token.",
};

const PROBLEM: Schema = {
  type: "object",
  description: "What went wrong (RFC 9457).",
  required: ["type", "title", "status", "detail", "code", "requestId"],
  properties: {
    type: { type: "string", format: "uri-reference", description: "Identifies the kind of problem." },
    title: { type: "string", description: "The kind of problem, for people." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "This problem, for people." },
    code: { type: "string", description: "The gRPC code in snake_case." },
    requestId: { type: "string", description: "The id of the call." },
    errors: {
      type: "array",
      description: "The fields that are at fault.",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: { field: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

/** What the document has once of headers and problems. */
export const SHARED_COMPONENTS = {
  headers: Object.fromEntries(
    Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  ),
  responses: Object.fromEntries(
    Object.entries(PROBLEM_STATUSES).map(([status, description]) => [status, problemResponse(status, description)]),
  ),
  problem: PROBLEM,
};

/** References to headers by their names, those of every answer among them. */
export function headerReferences(...names: string[]): Schema {
  return Object.fromEntries(["X-Request-Id", ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * References to the problems that an operation may answer.
 *
 * @param hasChoice whether there is more than one content type: Accept is looked at only there
 */
export function problemReferences(hasChoice: boolean): Schema {
  const statuses = Object.keys(PROBLEM_STATUSES).filter((status) => hasChoice || status !== "406");
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}

function problemResponse(status: string, description: string): Schema {
  const own = PROBLEM_HEADERS[status];
  return {
    description,
    headers: headerReferences(...(own === undefined ? [] : [own])),
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
}
