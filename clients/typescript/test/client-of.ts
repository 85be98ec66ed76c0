import { KeysvcClient } from "../src/index.ts";

/** The credential of the client, which no error shows. */
export const SECRET = "project-key-that-nobody-sees";

/** A call that was made. */
export interface Sent {
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

/** A client whose calls are answered one after the other; the last answer stays. */
export function clientOf(...answers: (Response | Error | "never")[]): { client: KeysvcClient; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    sent.push({
      url: String(url),
      headers: init.headers as Record<string, string>,
      body: JSON.parse(String(init.body)),
    });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Response) return answer.clone();
    if (answer instanceof Error) throw answer;
    return new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  };
  return { client: new KeysvcClient({ projectKey: SECRET, baseURL: "http://keysvc.test/", fetch }), sent };
}

/** An answer of JSON. */
export const json = (body: unknown, status = 200, headers = {}) => Response.json(body, { status, headers });
/** An answer that is a problem. */
export const problem = (status: number, body: object = {}, headers = {}) =>
  new Response(JSON.stringify({ detail: "no", code: "a_code", requestId: "req_p", ...body }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
