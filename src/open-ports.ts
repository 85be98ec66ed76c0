import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { services } from "../gen/gateway.js";
import { Health as HealthService } from "../gen/grpc/health/v1/health_pb.js";
import { type Config, naming } from "./config.ts";
import { malformedAnswer, malformedFault } from "./gateway/malformed-answer.ts";
import { sendFault } from "./gateway/routes.ts";
import { Fault } from "./lib/fault.ts";
import { createId } from "./lib/id.ts";
import { listenMainPort, type MainPortOptions } from "./listener/main-port.ts";
import { mainRoutes } from "./main-routes.ts";
import { isLoopback } from "./metrics/is-loopback.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { listenMetricsPort } from "./metrics/metrics-port.ts";
import type { Tls } from "./read-tls.ts";
import { startGrpcServer } from "./rpc/grpc-server.ts";
import { Health } from "./rpc/health.ts";
import type { Invoker } from "./rpc/invoke.ts";

export interface PortOptions {
  config: Pick<Config, "host" | "port" | "grpcPort" | "metricsPort" | "stopDelaySeconds">;
  log: Logger;
  metrics: Metrics;
}

/** The ports of the service, open. */
export interface Ports {
  port: number;
  /** undefined: the gRPC port is off. */
  grpcPort: number | undefined;
  /** undefined: the metrics have no port of their own. */
  metricsPort: number | undefined;
  /** Says that it will stop, and resolves when those who look at /readyz, or at the health of gRPC, have had time to turn away. */
  announceStop(): Promise<void>;
  /** Takes no more calls, and resolves when those under way have ended, or time is up. The database must still be there. */
  stop(): Promise<void>;
}

/** Serving, settling what callers have left, and closing stay together below the 10 s in which a stop is promised. */
const DRAIN_MS = 5_000;
const SETTLE_MS = 1_500;
/** What an export has to come to its end: less than the ports wait, so that its caller is told why it does not. */
const STREAM_GRACE_MS = 3_000;

/** Opens the ports of the service. Rejects with a ConfigError, having closed what it opened, when one cannot be bound. */
export async function openPorts(
  { config, log, metrics }: PortOptions,
  invoker: Invoker,
  tls: Tls | undefined,
): Promise<Ports> {
  const { host, metricsPort } = config;
  const createRequestId = () => createId("req", Date.now());
  const health = new Health([...services, HealthService].map(({ typeName }) => typeName));
  const onAnswered = log.isLevelEnabled("debug")
    ? (path: string, requestId: string, code: number) => log.debug({ requestId, path, code }, "answered over gRPC")
    : undefined;
  const rpc = { services, invoker, onFault: metrics.onFault };
  const mainPortOptions: MainPortOptions = {
    host,
    port: config.port,
    tls,
    createRequestId,
    routes: (instance) => mainRoutes(instance, { rpc, health, log, metrics, isMetricsOpen: isLoopback(host) }),
    frameworkErrors: (_error, request, reply) => {
      sendFault(reply, new Fault("MALFORMED_REQUEST", "the path cannot be decoded"), request.id, rpc);
    },
    malformedAnswer: (code) => {
      const fault = malformedFault(code);
      rpc.onFault(fault.reason);
      return malformedAnswer(fault, createRequestId());
    },
  };
  const mainPort = await naming("KEYSVC_HOST and KEYSVC_PORT", () => listenMainPort(mainPortOptions));
  const opened = [() => mainPort.stop(0)];
  try {
    const metricsServer =
      metricsPort === undefined
        ? undefined
        : await naming("KEYSVC_METRICS_PORT", () => listenMetricsPort(metrics, { host, port: metricsPort }));
    if (metricsServer !== undefined) opened.push(metricsServer.stop);
    const port = config.grpcPort;
    const listen = (port: number) => startGrpcServer({ ...rpc, createRequestId, onAnswered, health, host, port, tls });
    const grpcServer = port === undefined ? undefined : await naming("KEYSVC_GRPC_PORT", () => listen(port));
    health.serving = true;
    const announceStop = async () => {
      health.serving = false;
      // Until they have turned away, calls are taken as before: a balancer cannot know whether one that it has sent on a
      // connection that ends was read.
      if (config.stopDelaySeconds > 0) await sleep(config.stopDelaySeconds * 1_000);
    };
    const stop = async () => {
      health.serving = false;
      invoker.stopStreams(STREAM_GRACE_MS);
      await Promise.all([mainPort.stop(DRAIN_MS), grpcServer?.stop(DRAIN_MS)]);
      // A charge whose caller has left is finished all the same, and a stream lets go of what it read from.
      await invoker.settled(SETTLE_MS);
      await metricsServer?.stop();
    };
    const bound = { port: mainPort.port, grpcPort: grpcServer?.port, metricsPort: metricsServer?.port };
    return { ...bound, announceStop, stop };
  } catch (error) {
    for (const stop of opened) await stop();
    throw error;
  }
}
