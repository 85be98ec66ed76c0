import { pino } from "pino";
import { methods } from "../../gen/gateway.js";
import { AnalyticsService } from "../../gen/keysvc/v1/analytics_pb.js";
import type { Caller, Handlers } from "../../src/lib/call.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import { openPorts, type Ports } from "../../src/open-ports.ts";
import type { Tls } from "../../src/read-tls.ts";
import { createInvoker, type Invoker } from "../../src/rpc/invoke.ts";
import { PROJECT_KEY } from "./service.ts";

/** The ports of the service with handlers of the tests' own behind them, and no database. */
export interface StreamService extends Ports {
  invoker: Invoker;
  url: string;
  grpcAddress: string;
  /** What was logged as a fault of the service: the causes. */
  logged: unknown[];
  /** Makes the credential no longer valid, or valid again. */
  setRevoked(isRevoked: boolean): void;
}

const CALLER: Caller = {
  projectId: "project_1",
  credentialId: "credential_1",
  scopes: new Set(["read"]),
  credential: PROJECT_KEY,
};

/** Starts the ports on free numbers; whoever has PROJECT_KEY may read. */
export async function startStreamService(
  handlers: Handlers<typeof AnalyticsService>,
  tls?: Tls,
): Promise<StreamService> {
  const logged: unknown[] = [];
  let revoked = false;
  const invoker = createInvoker({
    methods,
    authenticate: (credential) => (credential === PROJECT_KEY && !revoked ? CALLER : undefined),
    answerTimeoutMs: 2_700,
    classifyError: () => undefined,
    logFault: (fault) => logged.push(fault.cause ?? fault),
  });
  invoker.register(AnalyticsService, handlers);
  const config = { host: "127.0.0.1", port: 0, grpcPort: 0, metricsPort: undefined, stopDelaySeconds: 0 };
  const ports = await openPorts({ config, log: pino({ level: "silent" }), metrics: new Metrics() }, invoker, tls);
  return {
    ...ports,
    invoker,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${ports.port}`,
    grpcAddress: `127.0.0.1:${ports.grpcPort}`,
    logged,
    setRevoked: (isRevoked) => {
      revoked = isRevoked;
    },
  };
}
