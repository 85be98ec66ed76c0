import { setTimeout as sleep } from "node:timers/promises";
import type { KeyService, KeyServiceValidateRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Consumer } from "../consumer/consumer.ts";
import type { FoundKey } from "../key/key.ts";
import type { Handlers } from "../lib/call.ts";
import type { ConcurrencyLimit } from "../lib/concurrency-limit.ts";
import { Fault } from "../lib/fault.ts";
import type { KeyedQueue } from "../lib/keyed-queue.ts";
import { toProtoVerdict, type Verdict } from "./convert.ts";
import {
  type CallFingerprint,
  isRemembered,
  isSameCall,
  type RememberedVerdict,
  verdictId,
  withPoolOf,
} from "./idempotency.ts";
import type { ValidationStore } from "./store.ts";
import { type ConsumerAt, hasPassed, type Judged, judge, keyEndsAt, type VerdictCode } from "./verdict.ts";

export interface ValidationOptions {
  store: ValidationStore;
  /** The key of the project that a value belongs to, or has belonged to; undefined when there is none. */
  findKey: (projectId: string, value: string) => Promise<FoundKey | undefined>;
  /**
   * Runs the transactions of one consumer one at a time, and plain charges with them while there are any: at once, they
   * would only make each other start over. Plain charges alone are faster at once, because they share commits.
   */
  queue: KeyedQueue;
  /**
   * For plain charges: they wait in the database for a transaction that holds their consumer, each with a connection, and
   * must leave it those that it needs to end.
   */
  limit: ConcurrencyLimit;
  /** Whether the project has an API. */
  isApiKnown: (projectId: string, apiId: string) => Promise<boolean>;
}

/** A charge that fails shows that something changed since the consumer was read; so often the call is judged anew. */
const JUDGEMENTS_MAX = 20;
/**
 * The pause before the second judgement; it grows by as much each time, to a second in all. The same call on another node
 * may have been made, but not have reached a majority yet.
 */
const PAUSE_MS = 5;

/** Validation of keys: judge what is stored, then charge under the same conditions (README.md). */
export function validationService(options: ValidationOptions): Handlers<typeof KeyService> {
  return {
    async validate(request, { requestId, caller }) {
      return toProtoVerdict(await validate(request, caller.projectId, request.requestId ?? requestId, options));
    },
  };
}

async function validate(
  request: KeyServiceValidateRequest,
  projectId: string,
  requestId: string,
  options: ValidationOptions,
): Promise<Verdict> {
  const { apiId } = request;
  const cost = Number(request.credits ?? 1n);
  const notFound: Verdict = { code: "NOT_FOUND", requestId, apiId, charged: 0, subject: undefined };
  const isApiKnown = apiId !== undefined && (await options.isApiKnown(projectId, apiId));
  for (let judgement = 0; judgement < JUDGEMENTS_MAX; judgement++) {
    if (judgement > 0) await sleep(judgement * PAUSE_MS);
    const match = await options.findKey(projectId, request.key);
    const found = match && (await options.store.find(projectId, match.key.consumerId));
    if (match === undefined || found === undefined || hasPassed(match.valueValidUntil, found.nowMs)) return notFound;
    const { key } = match;
    const verdict = (code: VerdictCode, subject: ConsumerAt): Verdict => {
      return { code, requestId, apiId, charged: code === "VALID" ? cost : 0, subject: { keyId: key._id, ...subject } };
    };
    const call = { _id: callId(request, found.consumer), keyId: key._id, cost, apiId: apiId ?? null };
    const first = await findFirstVerdict(options.store, call, found.nowMs);
    if (first !== undefined) return verdict("VALID", withPoolOf(first, found.consumer));
    const code = judge(key, found.consumer, { apiId, isApiKnown, cost, nowMs: found.nowMs });
    if (code === "NOT_FOUND") return notFound;
    const subject =
      code === "VALID" ? await settleCharge(options, { ...found, keyEndsAt: keyEndsAt(match) }, call) : found;
    // undefined: someone else spent the credits, changed the consumer, or made the same call, in between.
    if (subject !== undefined) return verdict(code, subject);
  }
  throw new Fault("CONTENDED", "the consumer changes faster than it can be judged", { retryAfterSeconds: 1 });
}

/** A call, and the id under which its verdict is remembered; undefined: the caller gave none. */
type IdentifiedCall = CallFingerprint & { _id: string | undefined };

function callId({ requestId }: KeyServiceValidateRequest, { projectId, _id }: Consumer): string | undefined {
  return requestId === undefined ? undefined : verdictId(projectId, _id, requestId);
}

/** What the same call was answered before. Throws CONFLICT when its id was used for another call. */
async function findFirstVerdict(
  store: ValidationStore,
  call: IdentifiedCall,
  nowMs: number,
): Promise<RememberedVerdict | undefined> {
  const remembered = call._id === undefined ? undefined : await store.findVerdict(call._id);
  if (remembered === undefined || !isRemembered(remembered, nowMs)) return undefined;
  if (isSameCall(remembered, call)) return remembered;
  throw new Fault("CONFLICT", "requestId: it was used for a call with another key, credits or apiId");
}

/** Charges what there is to charge, and remembers the verdict where the call has an id. */
async function settleCharge(
  { store, queue, limit }: ValidationOptions,
  judged: Judged,
  call: IdentifiedCall,
): Promise<ConsumerAt | undefined> {
  const { credits, rateLimit, _id: consumerId } = judged.consumer;
  // Nothing, for unlimited usage and for a check without a rate limit.
  const isFree = rateLimit === null && (credits === null || call.cost === 0);
  const { _id } = call;
  if (_id !== undefined) return queue.run(consumerId, () => store.remember({ ...call, _id }, judged, isFree));
  if (isFree) return judged;
  const charge = () => limit.run(() => store.charge(judged, call.cost));
  return queue.isBusy(consumerId) ? queue.run(consumerId, charge) : charge();
}
