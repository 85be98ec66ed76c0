import type { AppOptions } from "./app-options.ts";
import { composeRooms } from "./compose-rooms.ts";
import { type Config, naming } from "./config.ts";
import { readSecrets } from "./credentials.ts";
import { seldom } from "./lib/seldom.ts";
import { Metrics } from "./metrics/metrics.ts";
import { connectDatabase } from "./mongo/client.ts";
import { prepareExpiry, prepareSchema, prepareTimeSeries } from "./mongo/schema.ts";
import { superviseMongod } from "./mongod/supervise-mongod.ts";
import { openPorts } from "./open-ports.ts";
import { readTls } from "./read-tls.ts";
import { INDEXES, MIGRATIONS, TIME_SERIES } from "./schema.ts";
import { segmentExpiry } from "./segments/store.ts";
import type { Tracing } from "./tracing/tracing.ts";
import { deliveryExpiry } from "./webhook/store.ts";

export interface App {
  port: number;
  /** undefined: the gRPC port is off. */
  grpcPort: number | undefined;
  /** undefined: the metrics have no port of their own. */
  metricsPort: number | undefined;
  /** The credential of the default project, when it was made at this start. */
  newProjectKey: string | undefined;
  /** Stops taking calls, lets those under way end, closes everything. */
  stop(): Promise<void>;
}

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
    prepareDatabase(uri, config, report),
  );
  const metrics = new Metrics();
  const tracing = await naming("KEYSVC_OTLP_ENDPOINT", () => startTracing(options));
  if (tracing !== undefined) opened.push(() => tracing.close());
  const observers = [metrics.onCommand, ...(tracing === undefined ? [] : [tracing.onCommand])];
  const database = await connectDatabase(uri, { giveUpHangingSockets: true, observers });
  opened.push(() => database.close());
  const rooms = await composeRooms(options, database, secrets, { metrics, tracing });
  const { invoker, newProjectKey } = rooms;
  opened.push(() => rooms.close());
  const ports = await openPorts({ ...options, metrics }, invoker, tls);
  opened.push(async () => {
    await ports.announceStop();
    rooms.stopLongWork();
    await ports.stop();
  });
  const { port, grpcPort, metricsPort } = ports;
  return { port, grpcPort, metricsPort, newProjectKey, stop };
}

/** Tracing is loaded only where it is wanted: its packages are many. */
async function startTracing({ config: { otlpEndpoint }, log }: AppOptions): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { Tracing } = await import("./tracing/tracing.ts");
  return new Tracing({ endpoint: otlpEndpoint, onFailure: seldom((message) => log.error(message)) });
}

async function prepareDatabase(uri: string, { retentionDays }: Config, report: (line: string) => void): Promise<void> {
  const { db, close } = await connectDatabase(uri, { giveUpHangingSockets: false });
  try {
    await prepareSchema(db, MIGRATIONS, INDEXES, report);
    await prepareTimeSeries(db, TIME_SERIES, retentionDays);
    await prepareExpiry(db, [...segmentExpiry, deliveryExpiry], retentionDays);
  } finally {
    await close();
  }
}
