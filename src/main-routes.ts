import { constants, type ServerHttp2Stream } from "node:http2";
import { createContextValues } from "@connectrpc/connect";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { type services as gatewayServices, methods } from "../gen/gateway.js";
import { Health as HealthService } from "../gen/grpc/health/v1/health_pb.js";
import { gatewayRoutes, notFoundHandler } from "./gateway/routes.ts";
import { sayCallerLeft } from "./rpc/caller-left.ts";
import { connectCall } from "./rpc/connect-faults.ts";
import { connectRoutes } from "./rpc/connect-routes.ts";
import { type Health, healthRoutes } from "./rpc/health.ts";
import type { Invoker } from "./rpc/invoke.ts";
import { reflectionRoutes } from "./rpc/reflection.ts";

/** Everything that the main port serves, on one of the servers behind it. */
export async function mainRoutes(
  instance: FastifyInstance,
  rpc: { services: typeof gatewayServices; invoker: Invoker },
  health: Health,
  log: Logger,
): Promise<void> {
  const logError = (err: unknown, requestId: string) => log.error({ err, requestId }, "a call failed");
  const gateway = { methods, invoker: rpc.invoker, logError };
  // On every answer, whoever gives it: handlers, Connect, or Fastify itself.
  instance.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    endStreamWithAnswer(request.raw);
    done();
  });
  // What no route takes is answered without a look at its body.
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser("*", (_request, _payload, done) => done(null));
  // Two scopes, because each has content type parsers of its own.
  await instance.register(async (scope) => gatewayRoutes(scope, gateway));
  await instance.register(async (scope) => {
    scope.addHook("onRequest", (_request, reply, done) => {
      sayCallerLeft(reply.raw);
      done();
    });
    await scope.register(fastifyConnectPlugin, {
      contextValues: ({ id }) => createContextValues().set(connectCall, { requestId: id, isOurs: false }),
      // A field that nobody reads is a mistake, here as on the JSON paths.
      jsonOptions: { ignoreUnknownFields: false, alwaysEmitImplicit: true },
      routes: (router) => {
        connectRoutes(router, rpc);
        healthRoutes(router, health);
        reflectionRoutes(router, [...rpc.services, HealthService]);
      },
    });
  });
  instance.setNotFoundHandler(notFoundHandler(methods));
  instance.get("/healthz", async () => ({ status: "alive" }));
  instance.get("/readyz", async (_request, reply) => {
    return reply.code(health.serving ? 200 : 503).send({ status: health.serving ? "ready" : "stopping" });
  });
}

/** By then trailers have been sent, of which the stream gives no sign. */
const STREAM_END_MS = 250;

/**
 * A body that was not read to its end would keep a stream of HTTP/2 open for ever, its client blocked by flow control. Once
 * the answer is through, the stream is reset without an error, which means "stop sending" (RFC 9113, section 8.1).
 */
function endStreamWithAnswer(request: object): void {
  const stream = "stream" in request ? (request.stream as ServerHttp2Stream) : undefined;
  stream?.once("finish", () => {
    if (stream.readableEnded) return;
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), STREAM_END_MS);
    stream.once("close", () => clearTimeout(timer));
  });
}
