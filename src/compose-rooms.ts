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
import { givePlanToHolders } from "./consumer/give-plan.ts";
import { purgeGone } from "./consumer/purge-gone.ts";
import { consumerService, lockLiving } from "./consumer/service.ts";
import { createConsumerStore } from "./consumer/store.ts";
import { adoptDefaultProject } from "./credentials.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { createKeyFinder } from "./key/find-key.ts";
import { keyService } from "./key/service.ts";
import { listKeysOf } from "./key/show-key.ts";
import { createKeyStore } from "./key/store.ts";
import { KeyedQueue } from "./lib/keyed-queue.ts";
import { PRELOADED_MIN } from "./listing/listing.ts";
import { listingService } from "./listing/service.ts";
import { ListingWorker } from "./listing/worker-client.ts";
import type { Change } from "./mongo/change.ts";
import { classifyMongoError } from "./mongo/classify-error.ts";
import type { Database } from "./mongo/client.ts";
import { databaseTime } from "./mongo/database-time.ts";
import { type ApplyPlanOptions, applyPlan, resumeApplications } from "./plan/apply-plan.ts";
import { planService } from "./plan/service.ts";
import { createPlanStore } from "./plan/store.ts";
import { createAuthenticator } from "./project/authenticate.ts";
import { credentialService } from "./project/credential-service.ts";
import { purgeProjects } from "./project/purge.ts";
import { projectService } from "./project/service.ts";
import { createProjectStore } from "./project/store.ts";
import { createInvoker, type Invoker } from "./rpc/invoke.ts";
import { OWNED } from "./schema.ts";
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
  { client, db, uri }: Database,
  { secret, adminKey }: { secret: string; adminKey: string },
): Promise<Rooms> {
  const { clockOffsetMs } = config;
  const keyring = await openKeyring(db, secret, config.previousSecret);
  const now = () => databaseTime(db, clockOffsetMs);
  const audit = createAuditStore(client, db, clockOffsetMs);
  const projects = createProjectStore(db, clockOffsetMs);
  const consumers = createConsumerStore(db, clockOffsetMs);
  const keys = createKeyStore(db);
  const apis = createApiStore(db);
  const plans = createPlanStore(db);
  const { change } = audit;
  const lockConsumer = (within: Change, consumerId: string, keysAdded: number) =>
    lockLiving(consumers, within, consumerId, keysAdded);
  const adoption = { config, store: projects, keyring, change, nowMs: await now(), report };
  const newProjectKey = await adoptDefaultProject(adoption);
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
  const projectOptions = { store: projects, keyring, change, now };
  invoker.register(ProjectService, projectService(projectOptions));
  invoker.register(ProjectService, credentialService(projectOptions));
  invoker.register(
    ConsumerService,
    consumerService({
      store: consumers,
      change,
      findPlan: plans.findWithin,
      listKeys: (projectId, consumerId) =>
        listKeysOf({ store: keys, keyring, recoverable: config.keysRecoverable }, projectId, consumerId),
      removeKeys: keys.removeOfConsumer,
    }),
  );
  const listing = new ListingWorker({ mongodbUri: uri, clockOffsetMs });
  if ((await consumers.estimatedCount()) > PRELOADED_MIN) listing.preload();
  const { findMany } = consumers;
  invoker.register(ConsumerService, listingService({ list: (...query) => listing.list(...query), findMany }));
  const closing = new AbortController();
  const application: ApplyPlanOptions = {
    store: plans,
    change,
    findHolders: consumers.findHolders,
    giveToHolders: (within, plan, holderIds) => givePlanToHolders(within, plan, holderIds, consumers),
    now,
  };
  invoker.register(
    PlanService,
    planService({
      store: plans,
      change,
      applyPlan: (plan) => applyPlan(plan, plan.application.since.getTime(), application, closing.signal),
    }),
  );
  invoker.register(ApiService, apiService({ store: apis, change, countKeys: keys.countAllowingEach }));
  invoker.register(
    KeyService,
    keyService({
      store: keys,
      keyring,
      recoverable: config.keysRecoverable,
      change,
      lockConsumer,
      findUnknownApis: apis.findUnknown,
      findConsumer: consumers.find,
      findConsumers: consumers.findMany,
      findGoneConsumers: consumers.findGoneOf,
      now,
    }),
  );
  invoker.register(
    KeyService,
    validationService({
      store: createValidationStore({ client, db, clockOffsetMs, find: consumers.find }),
      findKey: createKeyFinder({ store: keys, keyring, monotonicMs: () => performance.now() }),
      queue: new KeyedQueue(CHARGE_WAIT_MAX_MS, () => performance.now()),
      isApiKnown: async (projectId, apiId) => (await apis.findUnknown(projectId, [apiId])).length === 0,
    }),
  );
  invoker.register(AuditService, auditService({ store: audit, keyring }));
  const chores = {
    purgeGone: (signal: AbortSignal) =>
      purgeGone({ store: consumers, change, removeKeys: keys.removeOfConsumer, now }, signal),
    purgeProjects: (signal: AbortSignal) => purgeProjects({ store: projects, owned: OWNED, now }, signal),
    resumeApplications: (signal: AbortSignal) => resumeApplications(application, signal),
  };
  const housekeeping = startHousekeeping(chores, (error, chore) => log.error({ err: error, chore }, "a chore failed"));
  return {
    invoker,
    newProjectKey,
    async close() {
      closing.abort();
      await housekeeping.stop();
      await listing.close();
    },
  };
}
