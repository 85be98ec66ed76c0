import { ApiError, AuthenticationError } from "./errors.ts";
import { readText } from "./read-text.ts";

const PROBLEM_BYTES_MAX = 65_536;
const MESSAGE_CHARACTERS_MAX = 500;

/** The error that an answer other than 200 stands for, without the secrets of the call, which a proxy may show. */
export async function failedAnswer(response: Response, secrets: readonly string[]): Promise<ApiError> {
  const problem = await readProblem(response, secrets);
  const { status } = response;
  const said = problem?.detail ?? `The service answered with status ${status}.`;
  return makeError(said, response, {
    code: problem?.code,
    fields: problem?.errors,
    requestId: problem?.requestId,
  });
}

/** The error of an answer that is not what the service answers. */
export function noAnswer(response: Response, what: string): ApiError {
  return makeError(`The answer with status ${response.status} ${what}.`, response, {});
}

interface Problem {
  detail?: string | undefined;
  code?: string | undefined;
  requestId?: string | undefined;
  errors?: { field: string; message: string }[] | undefined;
}

function makeError(
  message: string,
  { status, headers }: Response,
  {
    code,
    fields,
    requestId,
  }: { code?: string | undefined; fields?: Problem["errors"]; requestId?: string | undefined },
): ApiError {
  const Kind = status === 401 || status === 403 ? AuthenticationError : ApiError;
  return new Kind(message.slice(0, MESSAGE_CHARACTERS_MAX), {
    statusCode: status,
    code,
    fields,
    requestId: requestId ?? headers.get("x-request-id") ?? undefined,
    retryAfterSeconds: retryAfter(headers.get("retry-after")),
  });
}

/** The body, where it is a problem: nothing else is shown, because nobody knows who wrote it. */
async function readProblem(response: Response, secrets: readonly string[]): Promise<Problem | undefined> {
  const isProblem = /^application\/problem\+json\b/i.test(response.headers.get("content-type") ?? "");
  if (!isProblem) {
    response.body?.cancel().catch(() => undefined);
    return undefined;
  }
  let text = (await readText(response, PROBLEM_BYTES_MAX)) ?? "";
  for (const secret of secrets.filter((one) => one !== "")) {
    text = text.replaceAll(secret, "***").replaceAll(JSON.stringify(secret).slice(1, -1), "***");
  }
  return parseProblem(text);
}

/** A problem, such as an event of a stream carries; undefined when the text is none. */
export function parseProblem(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    const { detail, code, requestId, errors } = value as Record<string, unknown>;
    return {
      detail: textOrUndefined(detail),
      code: textOrUndefined(code),
      requestId: textOrUndefined(requestId),
      errors: Array.isArray(errors) ? errors.filter(isFieldError) : undefined,
    };
  } catch {
    return undefined;
  }
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isFieldError(value: unknown): value is { field: string; message: string } {
  if (typeof value !== "object" || value === null) return false;
  const { field, message } = value as Record<string, unknown>;
  return typeof field === "string" && typeof message === "string";
}

/** Seconds, which the header has as such or as a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
