import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { WebhookService } from "../../gen/keysvc/v1/webhook_pb.js";
import type { Handlers } from "../lib/call.ts";
import { Fault, invalidRequest } from "../lib/fault.ts";
import { actorOf, type Change, type MakeChange } from "../mongo/change.ts";
import { isDuplicateKey } from "../mongo/classify-error.ts";
import { createCursor, readCursor } from "../secrets/cursor.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { fromProtoStatus, fromProtoType, toProtoDelivery, toProtoStatus } from "./convert.ts";
import { type Delivery, freshStart, hostOf } from "./delivery.ts";
import type { FindAddress } from "./event.ts";
import { rotateSecrets, type SigningSecrets } from "./secret.ts";
import { createSigningSecret } from "./signature.ts";
import type { WebhookStore } from "./store.ts";

export interface WebhookServiceOptions {
  store: Pick<WebhookStore, "list" | "findWithin" | "save" | "findSecrets" | "saveSecrets">;
  findAddress: FindAddress;
  keyring: Keyring;
  change: MakeChange;
  /** Takes the project of a change, one change after another. Answers false when it is deleted. */
  lockProject: (change: Change) => Promise<boolean>;
}

const PAGE_SIZE_DEFAULT = 50;
const GRACE_SECONDS_DEFAULT = 86_400n;

/** Events on their way to the addresses of consumers, and the secret that signs them. */
export function webhookService(options: WebhookServiceOptions): Handlers<typeof WebhookService> {
  const { store, keyring, change: makeChange } = options;
  return {
    async deliveries({ consumerId, type, status, cursor, pageSize = PAGE_SIZE_DEFAULT }, { caller: { projectId } }) {
      const query = ["/webhook/deliveries", projectId, consumerId ?? null, type, status];
      const beforeId = cursor === undefined ? undefined : readCursor(keyring, query, cursor);
      if (cursor !== undefined && beforeId === undefined) {
        throw invalidRequest([{ field: "cursor", message: "is none of this list's" }]);
      }
      const filter = { projectId, consumerId, type: fromProtoType(type), status: fromProtoStatus(status) };
      // One more than is shown tells whether there is more.
      const found = await store.list({ ...filter, beforeId, count: pageSize + 1 });
      const deliveries = found.slice(0, pageSize);
      const last = found.length > pageSize ? deliveries.at(-1) : undefined;
      return {
        deliveries: deliveries.map(toProtoDelivery),
        ...(last && { nextCursor: createCursor(keyring, query, last._id) }),
      };
    },
    async replay({ eventId }, { caller }) {
      const delivery = await makeChange(actorOf(caller), (change) => replay(change, eventId, options), eventId);
      const { status, startedAt } = delivery;
      return { eventId, status: toProtoStatus(status), nextAttemptAt: timestampFromDate(startedAt) };
    },
    async secretRotate({ graceSeconds = GRACE_SECONDS_DEFAULT }, { caller }) {
      const secret = createSigningSecret();
      const work = (change: Change) => rotate(change, secret, Number(graceSeconds), options);
      const make = () => makeChange(actorOf(caller), work, caller.projectId);
      const { previous } = await make().catch((error: unknown) => {
        // An event that was just sent has made the first one, which is there now.
        if (isDuplicateKey(error)) return make();
        throw error;
      });
      return { secret, ...(previous && { previousValidUntil: timestampFromDate(previous.validUntil) }) };
    },
  };
}

/** Whatever became of it before, it is as if it had just happened, but for its id and what it says. */
async function replay(
  change: Change,
  eventId: string,
  { store, findAddress }: WebhookServiceOptions,
): Promise<Delivery> {
  const { projectId } = change.actor;
  const before = await store.findWithin(change, eventId);
  if (before === undefined) throw new Fault("NOT_FOUND", "eventId: there is no such event");
  const address = await findAddress(projectId, before.consumerId, change);
  if (address === null) throw new Fault("CONFLICT", "eventId: its consumer has no webhookUrl");
  const url = address ?? before.url;
  const after: Delivery = { ...before, url, host: hostOf(url), ...freshStart(change.nowMs) };
  await store.save(change, after);
  change.record({ action: "webhook.replay", targetId: eventId, before: toAudit(before), after: toAudit(after) });
  return after;
}

function toAudit({ url, status, startedAt }: Delivery): Record<string, unknown> {
  return { url, status, startedAt: startedAt.toISOString() };
}

async function rotate(
  change: Change,
  secret: string,
  graceSeconds: number,
  { store, keyring, lockProject }: WebhookServiceOptions,
): Promise<SigningSecrets> {
  const { projectId } = change.actor;
  // Its credentials went with it; this call was let in a moment before.
  if (!(await lockProject(change))) throw new Fault("WRONG_CREDENTIAL", "the project is deleted");
  const before = (await store.findSecrets(projectId, change)) ?? null;
  const value = keyring.encryptSigningSecret(secret, projectId);
  const after = rotateSecrets(before, projectId, value, graceSeconds, change.nowMs);
  await store.saveSecrets(change, after);
  const until = (secrets: SigningSecrets | null) => secrets?.previous?.validUntil.toISOString() ?? null;
  change.record({
    action: "webhook.secret.rotate",
    targetId: projectId,
    before: { previousValidUntil: until(before) },
    // The time is all that tells of a rotation without a grace.
    after: { previousValidUntil: until(after), rotatedAt: new Date(change.nowMs).toISOString() },
  });
  return after;
}
