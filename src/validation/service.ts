import type { KeyService, KeyServiceValidateRequest } from "../../gen/keysvc/v1/key_pb.js";
import type { Key } from "../key/key.ts";
import type { Handlers } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";
import { toProtoVerdict, type Verdict } from "./convert.ts";
import type { ConsumerAt, ValidationStore } from "./store.ts";
import { judge } from "./verdict.ts";

export interface ValidationOptions {
  store: ValidationStore;
  /** The key of a value, in whichever project; undefined for values that are none of ours. */
  findKey: (value: string) => Promise<Key | undefined>;
  /** Whether the project has an API. */
  isApiKnown: (projectId: string, apiId: string) => Promise<boolean>;
}

/** A charge that fails shows that something changed since the consumer was read; so often the call is judged anew. */
const JUDGEMENTS_MAX = 20;

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
  { store, findKey, isApiKnown }: ValidationOptions,
): Promise<Verdict> {
  const { apiId } = request;
  const cost = Number(request.credits ?? 1n);
  const notFound: Verdict = { code: "NOT_FOUND", requestId, apiId, charged: 0, subject: undefined };
  const isKnown = apiId !== undefined && (await isApiKnown(projectId, apiId));
  for (let judgement = 0; judgement < JUDGEMENTS_MAX; judgement++) {
    const key = await findKey(request.key);
    const found = key?.projectId === projectId ? await store.find(projectId, key.consumerId) : undefined;
    if (key === undefined || found === undefined) return notFound;
    const code = judge(key, found.consumer, { apiId, isApiKnown: isKnown, cost, nowMs: found.nowMs });
    if (code === "NOT_FOUND") return notFound;
    const settled = code === "VALID" ? await settleCharge(store, found, cost) : found;
    // Someone else spent the credits, or changed the consumer, in between.
    if (settled === undefined) continue;
    const charged = code === "VALID" ? cost : 0;
    return { code, requestId, apiId, charged, subject: { keyId: key._id, ...settled } };
  }
  throw new Fault("CONTENDED", "the consumer changes faster than it can be judged", { retryAfterSeconds: 1 });
}

/** Charges what there is to charge: nothing for a check without a rate limit, or for unlimited usage. */
async function settleCharge(store: ValidationStore, found: ConsumerAt, cost: number): Promise<ConsumerAt | undefined> {
  const { credits, rateLimit } = found.consumer;
  const isFree = rateLimit === null && (credits === null || cost === 0);
  return isFree ? found : await store.charge(found.consumer, cost);
}
