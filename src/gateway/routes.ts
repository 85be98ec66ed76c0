import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GatewayMethod } from "../../gen/gateway.js";
import { asFault, Fault } from "../lib/fault.ts";
import { runTogether } from "../lib/run-together.ts";
import type { Authorized, Invoker } from "../rpc/invoke.ts";
import { encodeJson } from "./encode-json.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { problemHeaders, toProblem } from "./problem.ts";
import { readBody } from "./read-body.ts";
import { type Answer, answerByAccept } from "./stream-routes.ts";
import { traceparentOf } from "./traceparent-of.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls a JSON path. */
    authorized: Authorized | undefined;
  }
}

/**
 * Serves the JSON paths of the generated table: POST in, `invoke`, JSON out. Register it in a scope of its own, because it
 * replaces the content type parsers.
 */
export function gatewayRoutes(instance: FastifyInstance, options: GatewayOptions): void {
  instance.removeAllContentTypeParsers();
  // The body is parsed once the caller is known.
  instance.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  instance.decorateRequest("authorized");
  instance.setErrorHandler((error, request, reply) => {
    const fault = fromHttpError(error);
    if (!(fault instanceof Fault)) options.logError(error, request.id);
    sendFault(reply, fault, request.id, options);
  });
  for (const method of options.methods) {
    const answerAlone: Answer = (request, reply) => answer(method, options.invoker, request, reply);
    const givesRows = method.streaming || method.rowsBy !== undefined;
    instance.post(
      method.path,
      { bodyLimit: method.maxRequestBytes, onRequest: authorizeHook(method, options.invoker) },
      givesRows ? answerByAccept(method, options, answerAlone) : answerAlone,
    );
  }
}

/** Before the body is read: whoever may not call must not make the service hold it. */
function authorizeHook(method: GatewayMethod, invoker: Invoker) {
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const goOn = (authorized: Authorized): void => {
      request.authorized = authorized;
      done(encodingFault(request));
    };
    try {
      const found = invoker.authorize(method, { requestId: request.id, authorization: request.headers.authorization });
      // Without a promise where none is needed: each costs a turn of the queue.
      if (found instanceof Promise) found.then(goOn, done);
      else goOn(found);
    } catch (error) {
      done(asFault(error));
    }
  };
}

function answer(method: GatewayMethod, invoker: Invoker, request: FastifyRequest, reply: FastifyReply): void {
  const { id: requestId, authorized } = request;
  const traceparent = traceparentOf(request);
  const read = readBody(method, request);
  const setHeader = (name: string, value: string): void => {
    reply.header(name, value);
  };
  invoker
    .invoke(method, { requestId, authorized, traceparent, read, setHeader })
    .then((message) => {
      const text = encodeJson(method.rpc.output, message);
      runTogether(() => void reply.header("content-type", "application/json; charset=utf-8").send(text));
    })
    .catch((error: unknown) => reply.send(error));
}

/** Answers every other path and method with a problem. Call it before there are routes: it learns of them as they come. */
export function answerNotServed(instance: FastifyInstance, { onFault }: Pick<GatewayOptions, "onFault">): void {
  const methodsOf = new Map<string, string[]>();
  instance.addHook("onRoute", ({ url, method }) => {
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), method].flat());
  });
  instance.setNotFoundHandler((request, reply) => {
    const allowed = methodsOf.get(request.url.split("?", 1)[0] ?? "");
    if (allowed !== undefined) reply.header("allow", allowed.join(", "));
    const fault = allowed
      ? new Fault("METHOD_NOT_ALLOWED", `${request.method} is not served; send ${allowed[0]}`)
      : new Fault("UNKNOWN_PATH", "no such path; GET /docs lists them");
    return sendFault(reply, fault, request.id, { onFault });
  });
}

/** Sends a fault; what is none is internal, and shows nothing. */
export function sendFault(
  reply: FastifyReply,
  error: unknown,
  requestId: string,
  { onFault }: Pick<GatewayOptions, "onFault">,
): FastifyReply {
  const fault = asFault(error);
  onFault(fault.reason);
  return reply
    .code(fault.status)
    .headers({ ...problemHeaders(fault), "x-request-id": requestId })
    .send(JSON.stringify(toProblem(fault, requestId)));
}

/** Bodies are plain UTF-8. */
function encodingFault({ headers }: FastifyRequest): Fault | undefined {
  const encoding = headers["content-encoding"] ?? "identity";
  const charset = /;\s*charset="?([^";\s]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
  if (encoding.toLowerCase() === "identity" && /^utf-?8$/i.test(charset)) return undefined;
  return new Fault("UNSUPPORTED_MEDIA_TYPE", "send plain UTF-8, without Content-Encoding");
}

/** The fault of an error that Fastify raised before the handler ran. */
function fromHttpError(error: unknown): unknown {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new Fault("BODY_TOO_LARGE", "the body is larger than this path takes");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_INVALID_TYPE":
      return new Fault("UNSUPPORTED_MEDIA_TYPE", "send Content-Type: application/json");
    case "ECONNRESET":
      // The caller left; nobody reads this.
      return new Fault("MALFORMED_BODY", "the body ended early");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    case "FST_ERR_CTP_EMPTY_TYPE":
      return new Fault("MALFORMED_BODY", "the body does not have the announced length");
    default:
      return error;
  }
}
