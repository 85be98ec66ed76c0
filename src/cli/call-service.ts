import type { FoundCredential } from "./read-credential.ts";

const TIMEOUT_MS = 30_000;

/** What a problem of the service says, as far as it is there. */
interface Problem {
  detail?: unknown;
  errors?: unknown;
}

/**
 * Calls a JSON path of the service, and resolves with its answer.
 *
 * @throws when there is none, or it is no 200: the message is for people
 */
export async function callService(
  baseUrl: string,
  path: string,
  body: object,
  credential: FoundCredential,
): Promise<unknown> {
  const response = await post(`${baseUrl}${path}`, body, credential.value).catch((error: unknown) => {
    throw new Error(`there is no service at ${baseUrl}: ${reasonOf(error)}`);
  });
  const answer = parse(response.text);
  if (response.status === 200 && answer !== undefined) return answer;
  const hint = response.status === 401 ? ` (it was taken from ${credential.origin})` : "";
  const [detail, ...fields] = describeProblem(answer);
  throw new Error([`${baseUrl} answered ${response.status}: ${detail}${hint}`, ...fields].join("\n"));
}

async function post(url: string, body: object, credential: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${credential}` },
    body: JSON.stringify(body),
    // Nobody else is to get the credential.
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, text: await response.text() };
}

/** Fetch says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  // Several addresses were tried: an AggregateError has no message.
  return cause.message || ("code" in cause ? String(cause.code) : cause.name);
}

function parse(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // A proxy in between writes pages.
    return undefined;
  }
}

/** The detail of a problem, then a line for each field at fault. */
function describeProblem(problem: Problem | undefined): string[] {
  const { detail, errors } = problem ?? {};
  const fields: unknown[] = Array.isArray(errors) ? errors : [];
  if (typeof detail !== "string") return ["no answer of keysvc"];
  if (fields.length === 0) return [detail];
  return ["the request breaks a rule", ...fields.map((field) => `  ${describeField(field)}`)];
}

function describeField(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { field, message } = { field: "", message: "", ...error };
  return field === "" ? message : `${field}: ${message}`;
}
