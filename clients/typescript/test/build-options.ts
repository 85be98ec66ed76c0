import type { Answer, Options } from "../../../test/vectors/middleware/case.ts";
import { ApiError, AuthenticationError, TimeoutError, TransportError } from "../src/index.ts";
import type { MiddlewareErrorEvent, MiddlewareOptions, MiddlewareRequest } from "../src/middleware/options.ts";

/** What onError was told. */
export interface Told {
  errors: string[];
  kinds: string[][];
  /** All that was told, as text. */
  text: string;
}

const FUNCTIONS = [
  ...(["getConsumerKey", "creditsResolver", "shouldProtect", "consumerNameResolver", "clientIPResolver"] as const),
  ...(["pathResolver", "requestIDResolver"] as const),
];

/** Options of a file as a middleware takes them. What onError is told goes into `told`. */
// biome-ignore lint/suspicious/noExplicitAny: the same options for every framework
export function buildOptions(options: Options, told: Told): Omit<MiddlewareOptions<any>, "apiId"> {
  const functions = FUNCTIONS.flatMap((name) => {
    const answer = options[name];
    return answer === undefined ? [] : [[name, build(name, answer)]];
  });
  const onError = (event: MiddlewareErrorEvent) => {
    told.errors.push(event.operation);
    told.kinds.push(kindsOf(event.error));
    told.text += `${event.method} ${event.path} ${String(event.error)}`;
    if (options.onError?.panic) throw new Error("onError panics");
  };
  return { ...options, ...Object.fromEntries(functions), onError };
}

function build(name: string, answer: Answer) {
  return (request: MiddlewareRequest) => {
    if (answer.panic || answer.error !== undefined) throw new Error(answer.error ?? `${name} panics`);
    if (answer.header === undefined) return answer.value;
    const value = request.headers.get(answer.header) ?? "";
    return name === "creditsResolver" ? Number(value) : value;
  };
}

function kindsOf(error: unknown): string[] {
  const kinds = {
    transport: TransportError,
    timeout: TimeoutError,
    api: ApiError,
    authentication: AuthenticationError,
  };
  return Object.entries(kinds).flatMap(([kind, Kind]) => (error instanceof Kind ? [kind] : []));
}
