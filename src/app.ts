import type { Logger } from "pino";
import { methods, services } from "../gen/gateway.js";
import { Health as HealthService } from "../gen/grpc/health/v1/health_pb.js";
import { ApiService } from "../gen/keysvc/v1/api_pb.js";
import { ConsumerService } from "../gen/keysvc/v1/consumer_pb.js";
import { KeyService } from "../gen/keysvc/v1/key_pb.js";
import { ProjectService } from "../gen/keysvc/v1/project_pb.js";
import { apiService } from "./api/service.ts";
import { apiIndexes, createApiStore } from "./api/store.ts";
import { type Config, naming } from "./config.ts";
import { consumerService } from "./consumer/service.ts";
import { consumerIndexes, createConsumerStore } from "./consumer/store.ts";
import { adoptDefaultProject, readSecrets } from "./credentials.ts";
import { malformedAnswer } from "./gateway/malformed-answer.ts";
import { sendFault } from "./gateway/routes.ts";
import { isKeyValue } from "./key/key-value.ts";
import { keyService } from "./key/service.ts";
import { createKeyStore, keyIndexes } from "./key/store.ts";
import { Fault } from "./lib/fault.ts";
import { createId } from "./lib/id.ts";
import { KeyedQueue } from "./lib/keyed-queue.ts";
import { listenMainPort, type MainPort, type MainPortOptions } from "./listener/main-port.ts";
import { mainRoutes } from "./main-routes.ts";
import { classifyMongoError } from "./mongo/classify-error.ts";
import { connectDatabase, type Database } from "./mongo/client.ts";
import { databaseTime } from "./mongo/database-time.ts";
import { type Migration, prepareSchema } from "./mongo/schema.ts";
import { superviseMongod } from "./mongod/supervise-mongod.ts";
import { createAuthenticator } from "./project/authenticate.ts";
import { projectService } from "./project/service.ts";
import { createProjectStore, credentialIndexes } from "./project/store.ts";
import { readTls, type Tls } from "./read-tls.ts";
import { type GrpcServer, startGrpcServer } from "./rpc/grpc-server.ts";
import { Health } from "./rpc/health.ts";
import { createInvoker, type Invoker } from "./rpc/invoke.ts";
import { openKeyring } from "./secrets/store.ts";
import { validationService } from "./validation/service.ts";
import { createValidationStore, verdictIndexes } from "./validation/store.ts";

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

/** Changes of the schema since the first version, in their order. */
const MIGRATIONS: readonly Migration[] = [];
const INDEXES = [consumerIndexes, keyIndexes, apiIndexes, credentialIndexes, verdictIndexes];

/** Callers get their 503 within 3 s when the database does not answer. */
const ANSWER_TIMEOUT_MS = 2_700;
/** A charge that could not begin by then would come too late for its caller. */
const CHARGE_WAIT_MAX_MS = 1_500;
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
  await naming(config.mongodbUri === undefined ? "KEYSVC_DATA_DIR" : "KEYSVC_MONGODB_URI", () => prepareDatabase(uri));
  const database = await connectDatabase(uri, { giveUpHangingSockets: true });
  opened.push(() => database.close());
  const { invoker, newProjectKey } = await composeRooms(options, database, secrets);
  const { mainPort, grpcServer, health } = await openPorts(options, invoker, tls);
  opened.push(async () => {
    health.serving = false;
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

async function prepareDatabase(uri: string): Promise<void> {
  const { db, close } = await connectDatabase(uri, { giveUpHangingSockets: false });
  try {
    await prepareSchema(db, MIGRATIONS, INDEXES);
  } finally {
    await close();
  }
}

/** Makes the rooms, and hands each what it needs of the others. */
async function composeRooms(
  { config, log, report }: AppOptions,
  { client, db }: Database,
  { secret, adminKey }: { secret: string; adminKey: string },
): Promise<{ invoker: Invoker; newProjectKey: string | undefined }> {
  const { clockOffsetMs } = config;
  const keyring = await openKeyring(db, secret, config.previousSecret);
  const now = () => databaseTime(db, clockOffsetMs);
  const projects = createProjectStore(client, db);
  const consumers = createConsumerStore(db, clockOffsetMs);
  const keys = createKeyStore(db);
  const apis = createApiStore(db);
  const newProjectKey = await adoptDefaultProject(config, projects, keyring, await now(), report);
  const invoker = createInvoker({
    methods,
    authenticate: createAuthenticator({
      keyring,
      adminKey,
      findCredential: projects.findCredential,
      monotonicMs: () => performance.now(),
    }),
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
    classifyError: classifyMongoError,
    logFault: (fault, requestId, path) => log.error({ err: fault.cause ?? fault, requestId, path }, fault.title),
  });
  invoker.register(ProjectService, projectService({ store: projects, keyring, now }));
  invoker.register(ConsumerService, consumerService({ store: consumers, now }));
  invoker.register(ApiService, apiService({ store: apis, countKeys: keys.countAllowing, now }));
  invoker.register(
    KeyService,
    keyService({
      store: keys,
      keyring,
      recoverable: config.keysRecoverable,
      now,
      findConsumer: consumers.find,
      findUnknownApis: apis.findUnknown,
    }),
  );
  invoker.register(
    KeyService,
    validationService({
      store: createValidationStore({ client, db, clockOffsetMs, find: consumers.find }),
      findKey: async (value) => (isKeyValue(value) ? keys.findByHash(keyring.hashKey(value)) : undefined),
      queue: new KeyedQueue(CHARGE_WAIT_MAX_MS, () => performance.now()),
      isApiKnown: async (projectId, apiId) => (await apis.findUnknown(projectId, [apiId])).length === 0,
    }),
  );
  return { invoker, newProjectKey };
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
