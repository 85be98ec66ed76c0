import { KeysvcError, TimeoutError, TransportError } from "./errors.ts";
import { failedAnswer, noAnswer } from "./failed-answer.ts";
import { readText } from "./read-text.ts";
import type { Fetch } from "./settings.ts";
import { untilAborted } from "./timers.ts";

/** Where the service is, and with what it is called. */
export interface ConnectionSettings {
  baseURL: string;
  projectKey: string;
  /** Default: the global one, as it is at the time of the call. */
  fetch?: Fetch | undefined;
}

/** How a call is made. */
export interface PostOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  accept?: string | undefined;
  /** The most that an answer may have. */
  bytesMax: number;
  /** What no error may show, besides the credential. */
  secret?: string | undefined;
}

/** Calls the JSON paths of the service. It never makes a call twice. */
export class Connection {
  readonly #settings: ConnectionSettings;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** The JSON of an answer of 200. Throws TransportError, TimeoutError, ApiError, or the reason of the signal. */
  post(path: string, body: unknown, options: PostOptions): Promise<unknown> {
    return withinTime(options, async (signal) => {
      const response = await this.#send(path, body, options, signal);
      if (response.status !== 200) throw await failedAnswer(response, this.#secretsOf(options));
      const text = await readText(response, options.bytesMax);
      if (text === undefined) throw noAnswer(response, "is too large");
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw noAnswer(response, "is no JSON");
      }
    });
  }

  /** The body of an answer of 200, as it comes: the timeout is for its begin, the signal for all of it. */
  async open(path: string, body: unknown, options: PostOptions): Promise<ReadableStream<Uint8Array>> {
    const all = new AbortController();
    const { signal } = options;
    signal?.addEventListener("abort", () => all.abort(signal.reason), { once: true });
    const response = await withinTime(options, async (begin) => {
      begin.addEventListener("abort", () => all.abort(begin.reason), { once: true });
      const answer = await this.#send(path, body, options, all.signal);
      if (answer.status !== 200) throw await failedAnswer(answer, this.#secretsOf(options));
      return answer;
    });
    if (response.body === null) throw noAnswer(response, "has no body");
    return response.body;
  }

  #secretsOf({ secret }: PostOptions): string[] {
    return secret === undefined ? [this.#settings.projectKey] : [this.#settings.projectKey, secret];
  }

  async #send(path: string, body: unknown, { accept }: PostOptions, signal: AbortSignal): Promise<Response> {
    const { baseURL, projectKey, fetch = globalThis.fetch } = this.#settings;
    return await fetch(baseURL + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${projectKey}`,
        ...(accept !== undefined && { accept }),
      },
      body: JSON.stringify(body),
      redirect: "manual",
      signal,
    });
  }
}

/** Runs with a signal that is aborted when the time is over, or the caller's is. What is thrown is one of our errors, or the caller's reason. */
async function withinTime<T>({ timeoutMs, signal }: PostOptions, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (signal?.aborted) throw signal.reason;
  const controller = new AbortController();
  const timeout = new TimeoutError(`the service did not answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => controller.abort(timeout), timeoutMs);
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    // A fetch of the application's own may not heed the signal.
    return await untilAborted(run(controller.signal), controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw transportError(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** What is thrown on the way is a failure of the connection, unless it is one of our errors already. */
export function transportError(error: unknown): KeysvcError {
  if (error instanceof KeysvcError) return error;
  return new TransportError("the service cannot be reached, or the connection broke", { cause: error });
}
