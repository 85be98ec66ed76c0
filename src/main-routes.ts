import { constants, type ServerHttp2Stream } from "node:http2";
import { createContextValues } from "@connectrpc/connect";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { methods } from "../gen/gateway.js";
import { Health as HealthService } from "../gen/grpc/health/v1/health_pb.js";
import { answerNotServed, gatewayRoutes, sendFault } from "./gateway/routes.ts";
import { SECURITY_HEADERS } from "./lib/security-headers.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { referenceRoutes, type StoredAnswer } from "./reference/routes.ts";
import { sayCallerLeft } from "./rpc/caller-left.ts";
import { connectCall } from "./rpc/connect-faults.ts";
import { withAllow } from "./rpc/connect-headers.ts";
import { type ConnectOptions, connectRoutes } from "./rpc/connect-routes.ts";
import { discardUnread } from "./rpc/discard-unread.ts";
import { type Health, healthRoutes } from "./rpc/health.ts";
import { reflectionRoutes } from "./rpc/reflection.ts";
import { dropLongTimeouts } from "./rpc/timeout-headers.ts";

export interface MainRoutesOptions {
  rpc: ConnectOptions;
  health: Health;
  log: Logger;
  metrics: Pick<Metrics, "text" | "contentType">;
  /** Whether the metrics need no credential: only this machine reaches the port. */
  isMetricsOpen: boolean;
  reference: readonly StoredAnswer[];
}

/** Everything that the main port serves, on one of the servers behind it. */
export async function mainRoutes(instance: FastifyInstance, options: MainRoutesOptions): Promise<void> {
  const { rpc, health, log } = options;
  const logError = (err: unknown, requestId: string) => log.error({ err, requestId }, "a call failed");
  const gateway = { methods, invoker: rpc.invoker, logError, onFault: rpc.onFault };
  // On every answer, whoever gives it: handlers, Connect, or Fastify itself.
  instance.addHook("onRequest", (request, reply, done) => {
    reply.headers(SECURITY_HEADERS).header("x-request-id", request.id);
    endStreamWithAnswer(request.raw);
    done();
  });
  if (log.isLevelEnabled("debug")) logAnswers(instance, log);
  // What no route takes is answered without a look at its body.
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser("*", (_request, _payload, done) => done(null));
  answerNotServed(instance, gateway);
  // Two scopes, because each has content type parsers of its own.
  await instance.register(async (scope) => gatewayRoutes(scope, gateway));
  await instance.register(async (scope) => {
    scope.addHook("onRequest", (request, reply, done) => {
      sayCallerLeft(reply.raw);
      dropLongTimeouts(request.raw.headers);
      // Streams of HTTP/2 end with their answers.
      if (request.raw.httpVersionMajor === 1) discardUnread(request.raw, reply.raw);
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
        router.handlers.splice(0, router.handlers.length, ...router.handlers.map(withAllow));
      },
    });
  });
  referenceRoutes(instance, options.reference);
  metricsRoute(instance, options);
  instance.get("/healthz", async () => ({ status: "alive" }));
  instance.get("/readyz", async (_request, reply) => {
    return reply.code(health.serving ? 200 : 503).send({ status: health.serving ? "ready" : "stopping" });
  });
}

/** A line for each answer: by its route, because a path that we do not have may hold anything. */
function logAnswers(instance: FastifyInstance, log: Logger): void {
  instance.addHook("onResponse", (request, reply, done) => {
    const { id: requestId, method, routeOptions } = request;
    const durationMs = Math.round(reply.elapsedTime);
    log.debug({ requestId, method, path: routeOptions.url, status: reply.statusCode, durationMs }, "answered");
    done();
  });
}

/** GET /metrics: for everybody where only this machine reaches the port, else with the operator's credential. */
function metricsRoute(instance: FastifyInstance, { metrics, isMetricsOpen, rpc }: MainRoutesOptions): void {
  const operators = methods.find(({ scope }) => scope === "operator");
  if (operators === undefined) throw new Error("no method is the operator's");
  instance.get("/metrics", async (request, reply) => {
    try {
      const { authorization } = request.headers;
      if (!isMetricsOpen) await rpc.invoker.authorize(operators, { requestId: request.id, authorization });
    } catch (error) {
      return sendFault(reply, error, request.id, rpc);
    }
    return reply.header("content-type", metrics.contentType).send(await metrics.text());
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
