import { methods } from "../gen/gateway.js";
import { AnalyticsService } from "../gen/keysvc/v1/analytics_pb.js";
import { ApiService } from "../gen/keysvc/v1/api_pb.js";
import { AuditService } from "../gen/keysvc/v1/audit_pb.js";
import { ConsumerService } from "../gen/keysvc/v1/consumer_pb.js";
import { IngestService } from "../gen/keysvc/v1/ingest_pb.js";
import { KeyService } from "../gen/keysvc/v1/key_pb.js";
import { PlanService } from "../gen/keysvc/v1/plan_pb.js";
import { ProjectService } from "../gen/keysvc/v1/project_pb.js";
import { WebhookService } from "../gen/keysvc/v1/webhook_pb.js";
import { analyticsService } from "./analytics/service.ts";
import { apiService } from "./api/service.ts";
import { type ApiStore, createApiStore } from "./api/store.ts";
import type { AppOptions } from "./app-options.ts";
import { auditService } from "./audit/service.ts";
import { createAuditStore } from "./audit/store.ts";
import { composeAnalytics } from "./compose-analytics.ts";
import { composeIngest } from "./compose-ingest.ts";
import { countIngested, metricSources } from "./compose-metrics.ts";
import { composeValidation } from "./compose-validation.ts";
import { composeWebhooks, openWebhooks, type WebhookParts } from "./compose-webhooks.ts";
import type { Config } from "./config.ts";
import { givePlanToHolders } from "./consumer/give-plan.ts";
import { purgeGone } from "./consumer/purge-gone.ts";
import { consumerService, lockLiving } from "./consumer/service.ts";
import { settleRefills } from "./consumer/settle-refills.ts";
import { type ConsumerStore, createConsumerStore } from "./consumer/store.ts";
import { adoptDefaultProject } from "./credentials.ts";
import { type Chore, startHousekeeping } from "./housekeeping.ts";
import { ingestService } from "./ingest/service.ts";
import { DrainWorker } from "./journal/drain-worker-client.ts";
import { hasJournaled } from "./journal/waiting-events.ts";
import { keyService } from "./key/service.ts";
import { listKeysOf } from "./key/show-key.ts";
import { createKeyStore, type KeyStore } from "./key/store.ts";
import { createId } from "./lib/id.ts";
import { PRELOADED_MIN } from "./listing/listing.ts";
import { listingService } from "./listing/service.ts";
import { ListingWorker } from "./listing/worker-client.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { MakeChange } from "./mongo/change.ts";
import { classifyMongoError } from "./mongo/classify-error.ts";
import type { Database } from "./mongo/client.ts";
import { databaseTime } from "./mongo/database-time.ts";
import { NodeRegistry } from "./mongo/node-registry.ts";
import { SessionPool } from "./mongo/session-pool.ts";
import { type ApplyPlanOptions, applyPlan, resumeApplications } from "./plan/apply-plan.ts";
import { planService } from "./plan/service.ts";
import { createPlanStore, type PlanStore } from "./plan/store.ts";
import { createAuthenticator } from "./project/authenticate.ts";
import { credentialService } from "./project/credential-service.ts";
import { purgeProjects } from "./project/purge.ts";
import { projectService } from "./project/service.ts";
import { createProjectStore, type ProjectStore } from "./project/store.ts";
import { createInvoker, type Invoker } from "./rpc/invoke.ts";
import { OWNED } from "./schema.ts";
import type { Keyring } from "./secrets/keyring.ts";
import { openKeyring } from "./secrets/store.ts";
import type { Tracing } from "./tracing/tracing.ts";
import { validationService } from "./validation/service.ts";
import { webhookService } from "./webhook/service.ts";
import { createWebhookStore } from "./webhook/store.ts";

/** Callers get their 503 within 3 s when the database does not answer. */
const ANSWER_TIMEOUT_MS = 2_700;
export interface Rooms {
  invoker: Invoker;
  /** The credential of the default project, when it was made at this start. */
  newProjectKey: string | undefined;
  /** Ends long work after its next step. To be called before calls under way are waited for. */
  stopLongWork(): void;
  /** Ends what the rooms do by themselves. */
  close(): Promise<void>;
}

/** What more than one room needs. */
interface Parts {
  config: Config;
  keyring: Keyring;
  change: MakeChange;
  now: () => Promise<number>;
  consumers: ConsumerStore;
  keys: KeyStore;
  plans: PlanStore;
  apis: ApiStore;
  projects: ProjectStore;
  listing: ListingWorker;
  webhooks: WebhookParts;
  application: ApplyPlanOptions;
  /** Is aborted when the rooms are closed. */
  closing: AbortSignal;
}

/** Makes the rooms, and hands each what it needs of the others. */
export async function composeRooms(
  options: AppOptions,
  database: Database,
  { secret, adminKey }: { secret: string; adminKey: string },
  { metrics, tracing }: { metrics: Metrics; tracing: Tracing | undefined },
): Promise<Rooms> {
  const { config, log, report } = options;
  const { clockOffsetMs } = config;
  const closing = new AbortController();
  const keyring = await openKeyring(database.db, secret, config.previousSecret);
  const sessions = new SessionPool(database.client);
  const nodeId = createId("node", Date.now());
  const registry = new NodeRegistry(database.db, nodeId, sessions);
  await registry.start();
  const audit = createAuditStore(sessions, database.db, clockOffsetMs);
  const parts = openParts(config, database, keyring, audit.change, closing.signal);
  const { projects, consumers, change, now, listing } = parts;
  const adoption = { config, store: projects, keyring, change, nowMs: await now(), report };
  const newProjectKey = await adoptDefaultProject(adoption);
  const monotonicMs = () => performance.now();
  const invoker = createInvoker({
    methods,
    authenticate: createAuthenticator({ keyring, adminKey, store: projects, monotonicMs }),
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
    classifyError: classifyMongoError,
    logFault: (fault, requestId, path) => log.error({ err: fault.cause ?? fault, requestId, path }, fault.title),
    trace: tracing?.call,
  });
  invoker.register(ProjectService, projectService({ store: projects, keyring, change, now }));
  invoker.register(ProjectService, credentialService({ store: projects, keyring, change, now }));
  invoker.register(ApiService, apiService({ store: parts.apis, change, countKeys: parts.keys.countAllowingEach }));
  invoker.register(AuditService, auditService({ store: audit, keyring }));
  registerConsumers(invoker, parts);
  registerPlans(invoker, parts);
  registerKeys(invoker, parts);
  const logging = (message: string) => (error: unknown) => log.error({ err: error }, message);
  const onFeedFailure = logging("changes of consumers are not followed");
  const { tell } = parts.webhooks;
  const validation = composeValidation({ ...parts, sessions, nodeId, tell, onFeedFailure, metrics, tracing }, database);
  audit.onTouched(validation.forget);
  invoker.register(KeyService, validationService(validation.options));
  const analytics = composeAnalytics({ ...parts, onTailFailure: logging("the journal is not followed") }, database);
  invoker.register(AnalyticsService, analyticsService(analytics.options));
  const { clock, journal } = validation;
  const { onDelivery } = metrics;
  const webhooks = composeWebhooks({ ...parts, clock, onDelivery, onDeliveryFailure: logging("webhooks wait") });
  invoker.register(WebhookService, webhookService(webhooks.options));
  const ingest = composeIngest({ ...parts, clock, journal, tracing }, database);
  invoker.register(IngestService, countIngested(ingestService(ingest), metrics.onIngested));
  metrics.readFrom(metricSources({ ...validation, recorder: ingest.waiting }, database));
  // It only makes first lists faster: no start fails for it where the database is slow.
  if ((await consumers.estimatedCount().catch(() => 0)) > PRELOADED_MIN) listing.preload();
  const housekeeping = startHousekeeping(choresOf(parts, database), (error, chore) => {
    log.error({ err: error, chore }, "a chore failed");
  });
  const drain = new DrainWorker({ mongodbUri: database.uri, onFailure: logging("events wait in the journal") });
  const close = async () => {
    await Promise.all([housekeeping.stop(), drain.stop(), webhooks.close()]);
    await Promise.all([listing.close(), analytics.close()]);
    await validation.close();
    await registry.stop();
    await sessions.close();
  };
  return { invoker, newProjectKey, stopLongWork: () => closing.abort(), close };
}

function openParts(
  config: Config,
  { db, uri }: Database,
  keyring: Keyring,
  change: MakeChange,
  closing: AbortSignal,
): Parts {
  const { clockOffsetMs } = config;
  const now = () => databaseTime(db, clockOffsetMs);
  const consumers = createConsumerStore(db, clockOffsetMs);
  const plans = createPlanStore(db);
  const webhooks = openWebhooks(config, createWebhookStore(db, clockOffsetMs));
  const { tell } = webhooks;
  const application: ApplyPlanOptions = {
    store: plans,
    change,
    findHolders: consumers.findHolders,
    giveToHolders: (within, plan, holderIds) => givePlanToHolders(within, plan, holderIds, consumers, tell),
    now,
  };
  return {
    ...{ config, keyring, change, now, consumers, plans, webhooks, application, closing },
    keys: createKeyStore(db),
    apis: createApiStore(db),
    projects: createProjectStore(db, clockOffsetMs),
    listing: new ListingWorker({ mongodbUri: uri, clockOffsetMs }),
  };
}

function registerConsumers(
  invoker: Invoker,
  { config, keyring, change, consumers, plans, keys, listing, webhooks }: Parts,
): void {
  const shown = { store: keys, keyring, recoverable: config.keysRecoverable };
  const service = consumerService({
    store: consumers,
    change,
    findPlan: plans.findWithin,
    listKeys: (projectId, consumerId) => listKeysOf(shown, projectId, consumerId),
    removeKeys: keys.removeOfConsumer,
    checkWebhookUrl: webhooks.checkWebhookUrl,
    tell: webhooks.tell,
  });
  invoker.register(ConsumerService, service);
  const { findMany } = consumers;
  invoker.register(ConsumerService, listingService({ list: (...query) => listing.list(...query), findMany }));
}

function registerPlans(invoker: Invoker, { change, plans, application, closing }: Parts): void {
  const service = planService({
    store: plans,
    change,
    applyPlan: (plan) => applyPlan(plan, plan.application.since.getTime(), application, closing),
  });
  invoker.register(PlanService, service);
}

function registerKeys(
  invoker: Invoker,
  { config, keyring, change, now, consumers, keys, apis, webhooks }: Parts,
): void {
  const service = keyService({
    store: keys,
    keyring,
    recoverable: config.keysRecoverable,
    change,
    now,
    lockConsumer: (within, consumerId, keysAdded) => lockLiving(consumers, within, consumerId, keysAdded),
    findUnknownApis: apis.findUnknown,
    findConsumer: consumers.find,
    findConsumers: consumers.findMany,
    findGoneConsumers: consumers.findGoneOf,
    tell: webhooks.tell,
  });
  invoker.register(KeyService, service);
}

function choresOf(
  { consumers, change, keys, now, projects, application, webhooks: { tell } }: Parts,
  { db }: Database,
): Record<string, Chore> {
  const removeKeys = keys.removeOfConsumer;
  const emptying = { store: projects, owned: OWNED, hasJournaled: (id: string) => hasJournaled(db, id), now };
  return {
    purgeGone: (signal) => purgeGone({ store: consumers, change, removeKeys, now }, signal),
    settleRefills: (signal) => settleRefills({ store: consumers, change, tell, now }, signal),
    purgeProjects: (signal) => purgeProjects(emptying, signal),
    resumeApplications: (signal) => resumeApplications(application, signal),
  };
}
