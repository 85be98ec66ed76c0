import type { Logger } from "pino";
import { services } from "../gen/gateway.js";
import { Health as HealthService } from "../gen/grpc/health/v1/health_pb.js";
import { composeRooms } from "./compose-rooms.ts";
import { type Config, naming } from "./config.ts";
import { readSecrets } from "./credentials.ts";
import { malformedAnswer } from "./gateway/malformed-answer.ts";
import { sendFault } from "./gateway/routes.ts";
import { Fault } from "./lib/fault.ts";
import { createId } from "./lib/id.ts";
import { listenMainPort, type MainPort, type MainPortOptions } from "./listener/main-port.ts";
import { mainRoutes } from "./main-routes.ts";
import { connectDatabase } from "./mongo/client.ts";
import { prepareSchema, prepareTimeSeries } from "./mongo/schema.ts";
import { superviseMongod } from "./mongod/supervise-mongod.ts";
import { readTls, type Tls } from "./read-tls.ts";
import { type GrpcServer, startGrpcServer } from "./rpc/grpc-server.ts";
import { Health } from "./rpc/health.ts";
import type { Invoker } from "./rpc/invoke.ts";
import { INDEXES, MIGRATIONS, TIME_SERIES } from "./schema.ts";

export interface AppOptions {
  config: Config;
  log: Logger;
  /** Takes lines for people: progress, and what they need to know once. */
  report: (line: string) => void;
}

export interface App {
  port: number;
  /** undefined: the gRPC port is off. */
  grpcPort: number | undefined;
  /** The credential of the default project, when it was made at this start. */
  newProjectKey: string | undefined;
  /** Stops taking calls, lets those under way end, closes everything. */
  stop(): Promise<void>;
}

/** Serving, settling what callers have left, and closing stay together below the 10 s in which a stop is promised. */
const DRAIN_MS = 5_000;
const SETTLE_MS = 1_500;

/** Starts the service: database, schema, secrets, handlers, ports. Rejects, having closed what it opened, when it cannot. */
export async function startApp(options: AppOptions): Promise<App> {
  const opened: (() => Promise<void>)[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    // One that fails must not keep the others open.
    for (const close of opened.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    return await start(options, opened, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: AppOptions, opened: (() => Promise<void>)[], stop: () => Promise<void>): Promise<App> {
  const { config, report } = options;
  const { dataDir, cacheDir, mongodPath } = config;
  const tls = await naming("KEYSVC_TLS_CERT and KEYSVC_TLS_KEY", () => readTls(config));
  const secrets = await naming("KEYSVC_DATA_DIR", () => readSecrets(config));
  const mongod =
    config.mongodbUri === undefined ? await superviseMongod({ dataDir, cacheDir, mongodPath, report }) : undefined;
  if (mongod !== undefined) opened.push(() => mongod.stop());
  const uri = config.mongodbUri ?? mongod?.uri ?? "";
  await naming(config.mongodbUri === undefined ? "KEYSVC_DATA_DIR" : "KEYSVC_MONGODB_URI", () =>
    prepareDatabase(uri, config),
  );
  const database = await connectDatabase(uri, { giveUpHangingSockets: true });
  opened.push(() => database.close());
  const rooms = await composeRooms(options, database, secrets);
  const { invoker, newProjectKey } = rooms;
  opened.push(() => rooms.close());
  const { mainPort, grpcServer, health } = await openPorts(options, invoker, tls);
  opened.push(async () => {
    health.serving = false;
    rooms.stopLongWork();
    await Promise.all([mainPort.stop(DRAIN_MS), grpcServer?.stop(DRAIN_MS)]);
    // Before the database is closed: a charge whose caller has left is finished all the same.
    await invoker.settled(SETTLE_MS);
  });
  return {
    port: mainPort.port,
    grpcPort: grpcServer?.port,
    newProjectKey,
    stop,
  };
}

async function prepareDatabase(uri: string, { retentionDays }: Config): Promise<void> {
  const { db, close } = await connectDatabase(uri, { giveUpHangingSockets: false });
  try {
    await prepareSchema(db, MIGRATIONS, INDEXES);
    await prepareTimeSeries(db, TIME_SERIES, retentionDays);
  } finally {
    await close();
  }
}

async function openPorts(
  { config, log }: AppOptions,
  invoker: Invoker,
  tls: Tls | undefined,
): Promise<{ mainPort: MainPort; grpcServer: GrpcServer | undefined; health: Health }> {
  const { host } = config;
  const createRequestId = () => createId("req", Date.now());
  const health = new Health([...services, HealthService].map(({ typeName }) => typeName));
  const rpc = { services, invoker };
  const mainPortOptions: MainPortOptions = {
    host,
    port: config.port,
    tls,
    createRequestId,
    routes: (instance) => mainRoutes(instance, rpc, health, log),
    frameworkErrors: (_error, request, reply) => {
      sendFault(reply, new Fault("MALFORMED_REQUEST", "the path cannot be decoded"), request.id);
    },
    malformedAnswer: (code) => malformedAnswer(code, createRequestId()),
  };
  const mainPort = await naming("KEYSVC_HOST and KEYSVC_PORT", () => listenMainPort(mainPortOptions));
  try {
    const port = config.grpcPort;
    const listen = (port: number) => startGrpcServer({ ...rpc, createRequestId, health, host, port, tls });
    const grpcServer = port === undefined ? undefined : await naming("KEYSVC_GRPC_PORT", () => listen(port));
    health.serving = true;
    return { mainPort, grpcServer, health };
  } catch (error) {
    await mainPort.stop(0);
    throw error;
  }
}
