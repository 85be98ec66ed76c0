import type { HandlerContext } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { type AcceptedStream, connectCall } from "./connect-faults.ts";

/**
 * Sends the headers of a stream as soon as the call is accepted. Connect waits for the first message, and a stream that
 * follows may not have one for hours, in which its caller would not know from when on it follows.
 */
export function withEarlyHeaders(handler: UniversalHandler): UniversalHandler {
  if (handler.method.methodKind !== "server_streaming") return handler;
  const handle = async (request: UniversalServerRequest): Promise<UniversalServerResponse> => {
    const accepted = Promise.withResolvers<AcceptedStream>();
    const call = request.contextValues?.get(connectCall);
    if (call !== undefined) call.onAccepted = accepted.resolve;
    const answer = handler(request);
    // Who goes on without it hears of its failure when it is read, and else nobody does.
    answer.catch(() => undefined);
    const early = accepted.promise.then((headers) => ({ status: 200, ...headers, body: emptyThen(answer) }));
    return Promise.race([answer, early]);
  };
  return Object.assign(handle, handler);
}

/** Says with a 405, which Connect answers by itself, what is served: no method of ours may be called by GET. */
export function withAllow(handler: UniversalHandler): UniversalHandler {
  const handle = async (request: UniversalServerRequest): Promise<UniversalServerResponse> => {
    const answer = await handler(request);
    if (answer.status !== 405) return answer;
    const header = new Headers(answer.header);
    header.set("allow", "POST");
    return { ...answer, header };
  };
  return Object.assign(handle, handler);
}

/** Called by the handler of a stream that was accepted. */
export function announce({ values, protocolName, responseHeader, responseTrailer }: HandlerContext): void {
  const trailer = protocolName === "grpc" ? { trailer: responseTrailer } : {};
  values.get(connectCall).onAccepted?.({ header: responseHeader, ...trailer });
}

/** The first write sends the headers; it has no bytes. */
async function* emptyThen(answer: Promise<UniversalServerResponse>): AsyncGenerator<Uint8Array> {
  yield new Uint8Array();
  const { body } = await answer;
  if (body !== undefined) yield* body;
}
