import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type ConsumerService,
  type ConsumerServiceCreateRequest,
  type ConsumerServiceUpdateRequest,
  ConsumerServiceUpdateRequestSchema,
  ConsumerStatus as ConsumerStatusProto,
} from "../../gen/keysvc/v1/consumer_pb.js";
import { toProtoCredits } from "../credits/convert.ts";
import { remaining, settle } from "../credits/pool.ts";
import type { Handlers } from "../lib/call.ts";
import { Fault, type FieldError, invalidRequest } from "../lib/fault.ts";
import { present } from "../lib/present.ts";
import { updatedPaths } from "../lib/update-mask.ts";
import { actorOf, type Change, type MakeChange } from "../mongo/change.ts";
import type { Plan } from "../plan/plan.ts";
import { changeEvents, eventsOf, type TellEvents } from "../webhook/event.ts";
import { type Consumer, type ConsumerKey, changeConsumer, RECOVERY_MS } from "./consumer.ts";
import { fromProtoChange, toAudit, toProtoDetails, toProtoKey, toProtoStatus } from "./convert.ts";
import { newConsumer } from "./new-consumer.ts";
import type { ConsumerStore } from "./store.ts";

export interface ConsumerServiceOptions {
  store: ConsumerStore;
  change: MakeChange;
  /** A plan of the project, read within the change; undefined when there is none. */
  findPlan: (change: Change, planId: string) => Promise<Plan | undefined>;
  /** The keys of a consumer, oldest first. */
  listKeys: (projectId: string, consumerId: string) => Promise<ConsumerKey[]>;
  /** Removes the keys of a consumer for good. */
  removeKeys: (change: Change, consumerId: string) => Promise<void>;
  /** What is wrong with a webhook address; undefined: nothing that is known. */
  checkWebhookUrl: (url: string) => Promise<string | undefined>;
  tell: TellEvents;
}

/** Consumers of a project (the specification, Consumer endpoints), without their list. */
export function consumerService(options: ConsumerServiceOptions): Handlers<typeof ConsumerService> {
  const { store, change: makeChange } = options;
  /** Asked before a change begins: it may take as long as a name needs to be resolved. */
  const problemOf = async (webhookUrl: string | undefined) =>
    webhookUrl === undefined ? undefined : options.checkWebhookUrl(webhookUrl);
  const find = async (projectId: string, consumerId: string) => {
    const found = await store.find(projectId, consumerId);
    if (found === undefined) throw noSuchConsumer();
    return found;
  };
  return {
    async create(request, { caller }) {
      const problem = await problemOf(request.webhookUrl);
      const consumer = await makeChange(actorOf(caller), (change) => create(change, request, problem, options));
      return {
        consumerId: consumer._id,
        projectKey: caller.credential,
        createdAt: timestampFromDate(consumer.createdAt),
        status: toProtoStatus(consumer.status),
        tags: consumer.tags,
        ...present({ name: consumer.name, externalId: consumer.externalId }),
      };
    },
    async update(request, { caller }) {
      const problem = await problemOf(request.webhookUrl);
      const work = (change: Change) => update(change, request, problem, options);
      const changed = await makeChange(actorOf(caller), work, request.consumerId);
      const { consumer, nowMs, keysRestored } = changed;
      return {
        consumerId: consumer._id,
        ...present({ name: consumer.name }),
        status: toProtoStatus(consumer.status),
        ...(consumer.credits && { credits: toProtoCredits(consumer.credits, nowMs) }),
        keysRestored,
      };
    },
    async details({ consumerId }, { caller }) {
      const { consumer, nowMs } = await find(caller.projectId, consumerId);
      return toProtoDetails(consumer, caller.credential, nowMs);
    },
    async keys({ consumerId }, { caller }) {
      const { consumer, nowMs } = await find(caller.projectId, consumerId);
      const keys = await options.listKeys(caller.projectId, consumerId);
      const pool = consumer.credits && settle(consumer.credits, nowMs);
      return {
        consumerId,
        ...(pool && {
          credits: { limit: BigInt(pool.limit), remaining: BigInt(remaining(pool, nowMs)), used: BigInt(pool.used) },
        }),
        total: keys.length,
        keys: keys.map((key) => toProtoKey(key, consumer)),
      };
    },
    async delete({ consumerId, permanent }, { caller }) {
      const actor = actorOf(caller);
      const work = (change: Change) =>
        permanent ? removeForGood(change, consumerId, options) : softDelete(change, consumerId, options);
      const { deletedAt, keysAffected, message } = await makeChange(actor, work, consumerId);
      return { consumerId, deleted: true, permanent, deletedAt: timestampFromDate(deletedAt), keysAffected, message };
    },
  };
}

function noSuchConsumer(): Fault {
  return new Fault("NOT_FOUND", "consumerId: there is no such consumer");
}

/** The consumer that a change has locked. Throws for none, and for one that is deleted, which takes no change of its keys. */
export async function lockLiving(
  store: Pick<ConsumerStore, "lock">,
  change: Change,
  consumerId: string,
  keysAdded: number,
): Promise<Consumer> {
  const consumer = await store.lock(change, consumerId, keysAdded);
  if (consumer === undefined) throw noSuchConsumer();
  if (consumer.status === "deleted") throw new Fault("CONFLICT", "consumerId: the consumer is deleted");
  return consumer;
}

async function create(
  change: Change,
  request: ConsumerServiceCreateRequest,
  webhookProblem: string | undefined,
  { store, findPlan }: ConsumerServiceOptions,
): Promise<Consumer> {
  const plan = await planOf(change, request.planId, findPlan);
  const consumer = newConsumer(request, plan, webhookProblem, { ...change.actor, nowMs: change.nowMs });
  await store.insert(change, consumer);
  const after = toAudit(consumer, change.nowMs);
  change.record({ action: "consumer.create", targetId: consumer._id, before: null, after });
  return consumer;
}

async function planOf(
  change: Change,
  planId: string | null | undefined,
  findPlan: ConsumerServiceOptions["findPlan"],
): Promise<Plan | undefined> {
  if (planId === undefined || planId === null) return undefined;
  const plan = await findPlan(change, planId);
  if (plan === undefined) throw new Fault("NOT_FOUND", "planId: there is no such plan");
  return plan;
}

interface Updated {
  consumer: Consumer;
  nowMs: number;
  keysRestored: number;
}

async function update(
  change: Change,
  request: ConsumerServiceUpdateRequest,
  webhookProblem: string | undefined,
  { store, findPlan, tell }: ConsumerServiceOptions,
): Promise<Updated> {
  const { nowMs } = change;
  const errors: FieldError[] = [];
  const paths = updatedPaths(ConsumerServiceUpdateRequestSchema, request, errors);
  checkStatus(request, paths, errors);
  const requested = fromProtoChange(request, paths);
  if (paths.has("webhook_url") && webhookProblem !== undefined)
    errors.push({ field: "webhookUrl", message: webhookProblem });
  const before = await store.lock(change, request.consumerId, 0);
  if (before === undefined) throw noSuchConsumer();
  const isDeleted = before.status === "deleted";
  if (isDeleted && requested.status !== "active" && errors.length === 0) {
    throw new Fault("CONFLICT", "the consumer is deleted: it takes no update but `status: active`, which restores it");
  }
  const plan = errors.length === 0 ? await planOf(change, requested.planId, findPlan) : undefined;
  const after = changeConsumer(before, requested, plan, nowMs, errors);
  if (errors.length > 0) throw invalidRequest(errors);
  // An update of nothing changes nothing, the time of the last change neither.
  const changed = Object.keys(requested).length === 0 ? before : after;
  const { events, thresholdTold } = changeEvents(before, changed, nowMs);
  const consumer = { ...changed, thresholdTold };
  await store.save(change, consumer);
  await tell(events, change.session);
  change.record({
    action: isDeleted ? "consumer.restore" : "consumer.update",
    targetId: consumer._id,
    before: toAudit(before, nowMs),
    after: toAudit(consumer, nowMs),
  });
  return { consumer, nowMs, keysRestored: isDeleted ? consumer.keyCount : 0 };
}

function checkStatus(request: ConsumerServiceUpdateRequest, paths: ReadonlySet<string>, errors: FieldError[]): void {
  if (!paths.has("status")) return;
  if (request.status === ConsumerStatusProto.DELETED) errors.push({ field: "status", message: "use /consumer/delete" });
  if (request.status === ConsumerStatusProto.UNSPECIFIED)
    errors.push({ field: "status", message: "cannot be cleared" });
}

interface Deleted {
  deletedAt: Date;
  keysAffected: number;
  message: string;
}

/** Keys of a deleted consumer are deleted with it; one that is deleted already stays as it is. */
async function softDelete(
  change: Change,
  consumerId: string,
  { store, tell }: Pick<ConsumerServiceOptions, "store" | "tell">,
): Promise<Deleted> {
  const before = await store.lock(change, consumerId, 0);
  if (before === undefined) throw noSuchConsumer();
  const until = (deletedAt: Date) => new Date(deletedAt.getTime() + RECOVERY_MS).toISOString();
  if (before.deletedAt !== null) {
    const message = `The consumer was deleted before; it can be restored until ${until(before.deletedAt)}.`;
    return { deletedAt: before.deletedAt, keysAffected: 0, message };
  }
  const deletedAt = new Date(change.nowMs);
  const consumer: Consumer = { ...before, status: "deleted", deletedAt, updatedAt: deletedAt };
  await store.save(change, consumer);
  const deletion = { permanent: false, deletedAt: deletedAt.toISOString(), keysAffected: consumer.keyCount };
  await tell(eventsOf(consumer, "consumer.deleted", change.nowMs, deletion), change.session);
  const states = { before: toAudit(before, change.nowMs), after: toAudit(consumer, change.nowMs) };
  change.record({ action: "consumer.delete", targetId: consumerId, ...states });
  const message = `The consumer and its keys are deleted; they can be restored until ${until(deletedAt)}.`;
  return { deletedAt, keysAffected: consumer.keyCount, message };
}

/** Removes a consumer with its keys and its credits. */
async function removeForGood(
  change: Change,
  consumerId: string,
  { store, removeKeys, tell }: Pick<ConsumerServiceOptions, "store" | "removeKeys" | "tell">,
): Promise<Deleted> {
  const before = await store.lock(change, consumerId, 0);
  if (before === undefined) throw noSuchConsumer();
  await removeKeys(change, consumerId);
  await store.remove(change, consumerId);
  const deletedAt = new Date(change.nowMs);
  const deletion = { permanent: true, deletedAt: deletedAt.toISOString(), keysAffected: before.keyCount };
  await tell(eventsOf(before, "consumer.deleted", change.nowMs, deletion), change.session);
  change.record({
    action: "consumer.delete",
    targetId: consumerId,
    before: toAudit(before, change.nowMs),
    after: null,
  });
  const message = "The consumer, its keys and its credits are removed for good.";
  return { deletedAt, keysAffected: before.keyCount, message };
}
