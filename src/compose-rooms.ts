import { methods } from "../gen/gateway.js";
import { ApiService } from "../gen/keysvc/v1/api_pb.js";
import { AuditService } from "../gen/keysvc/v1/audit_pb.js";
import { ConsumerService } from "../gen/keysvc/v1/consumer_pb.js";
import { KeyService } from "../gen/keysvc/v1/key_pb.js";
import { PlanService } from "../gen/keysvc/v1/plan_pb.js";
import { ProjectService } from "../gen/keysvc/v1/project_pb.js";
import { apiService } from "./api/service.ts";
import { createApiStore } from "./api/store.ts";
import type { AppOptions } from "./app.ts";
import { auditService } from "./audit/service.ts";
import { createAuditStore } from "./audit/store.ts";
import { consumerService, lockLiving } from "./consumer/service.ts";
import { createConsumerStore } from "./consumer/store.ts";
import { adoptDefaultProject } from "./credentials.ts";
import { isKeyValue } from "./key/key-value.ts";
import { keyService } from "./key/service.ts";
import { listKeysOf } from "./key/show-key.ts";
import { createKeyStore } from "./key/store.ts";
import { KeyedQueue } from "./lib/keyed-queue.ts";
import type { Change } from "./mongo/change.ts";
import { classifyMongoError } from "./mongo/classify-error.ts";
import type { Database } from "./mongo/client.ts";
import { databaseTime } from "./mongo/database-time.ts";
import { planService } from "./plan/service.ts";
import { createPlanStore } from "./plan/store.ts";
import { createAuthenticator } from "./project/authenticate.ts";
import { projectService } from "./project/service.ts";
import { createProjectStore } from "./project/store.ts";
import { createInvoker, type Invoker } from "./rpc/invoke.ts";
import { openKeyring } from "./secrets/store.ts";
import { validationService } from "./validation/service.ts";
import { createValidationStore } from "./validation/store.ts";

/** Callers get their 503 within 3 s when the database does not answer. */
const ANSWER_TIMEOUT_MS = 2_700;
/** A charge that could not begin by then would come too late for its caller. */
const CHARGE_WAIT_MAX_MS = 1_500;

export interface Rooms {
  invoker: Invoker;
  /** The credential of the default project, when it was made at this start. */
  newProjectKey: string | undefined;
  /** Ends what the rooms do by themselves. */
  close(): Promise<void>;
}

/** Makes the rooms, and hands each what it needs of the others. */
export async function composeRooms(
  { config, log, report }: AppOptions,
  { client, db }: Database,
  { secret, adminKey }: { secret: string; adminKey: string },
): Promise<Rooms> {
  const { clockOffsetMs } = config;
  const keyring = await openKeyring(db, secret, config.previousSecret);
  const now = () => databaseTime(db, clockOffsetMs);
  const audit = createAuditStore(client, db, clockOffsetMs);
  const projects = createProjectStore(client, db);
  const consumers = createConsumerStore(db, clockOffsetMs);
  const keys = createKeyStore(db);
  const apis = createApiStore(db);
  const plans = createPlanStore(db);
  const { change } = audit;
  const lockConsumer = (within: Change, consumerId: string, keysAdded: number) =>
    lockLiving(consumers, within, consumerId, keysAdded);
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
  invoker.register(
    ConsumerService,
    consumerService({
      store: consumers,
      change,
      findPlan: plans.find,
      listKeys: (projectId, consumerId) => listKeysOf(keys, keyring, projectId, consumerId),
      removeKeys: keys.removeOfConsumer,
    }),
  );
  invoker.register(PlanService, planService({ store: plans, change }));
  invoker.register(ApiService, apiService({ store: apis, countKeys: keys.countAllowing, now }));
  invoker.register(
    KeyService,
    keyService({
      store: keys,
      keyring,
      recoverable: config.keysRecoverable,
      change,
      lockConsumer,
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
  invoker.register(AuditService, auditService({ store: audit, keyring }));
  return { invoker, newProjectKey, close: async () => undefined };
}
