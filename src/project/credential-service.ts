import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ProjectService } from "../../gen/keysvc/v1/project_pb.js";
import type { Caller, Handlers } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";
import { pageOf } from "../lib/page.ts";
import { actorOf, type Change } from "../mongo/change.ts";
import { createSecret } from "../secrets/secret-file.ts";
import { fromProtoScopes, toAuditCredential, toProtoCredential, toProtoListed } from "./convert.ts";
import { type Credential, newCredential, PREVIOUS_MAX, rotateCredential, type StoredValue } from "./project.ts";
import { type ProjectServiceOptions, storedValue } from "./service.ts";
import type { ProjectStore } from "./store.ts";

/** The credentials of the caller's project. Their values are shown once, and kept nowhere. */
export function credentialService(options: ProjectServiceOptions): Handlers<typeof ProjectService> {
  const { store, keyring, change: makeChange, now } = options;
  /** Runs a change of the project's credentials: one after another. */
  const changeCredentials = <Result>(caller: Caller, work: (change: Change) => Promise<Result>) => {
    const locked = async (change: Change) => {
      // Its credentials went with it; this call was let in a moment before.
      if (!(await store.lock(change))) throw new Fault("WRONG_CREDENTIAL", "the project is deleted");
      return work(change);
    };
    return makeChange(actorOf(caller), locked, caller.projectId);
  };
  return {
    async credentialCreate({ name, scopes }, { caller }) {
      const projectKey = createSecret("proj");
      const value = storedValue(projectKey, keyring);
      const settings = { name: name ?? null, scopes: fromProtoScopes(scopes) };
      const credential = await changeCredentials(caller, async (change) => {
        const made = newCredential(caller.projectId, settings, value, change.nowMs);
        await store.insertCredential(change, made);
        const after = toAuditCredential(made, change.nowMs);
        change.record({ action: "credential.create", targetId: made._id, before: null, after });
        return made;
      });
      return { ...toProtoCredential(credential), projectKey };
    },
    async credentialList(request, { caller: { projectId } }) {
      const page = pageOf(request);
      const [{ total, credentials }, nowMs] = await Promise.all([store.listCredentials(projectId, page), now()]);
      return {
        total: BigInt(total),
        page: page.page,
        limit: page.limit,
        credentials: credentials.map((credential) => toProtoListed(credential, nowMs)),
      };
    },
    async credentialRotate({ credentialId, graceSeconds }, { caller }) {
      const projectKey = createSecret("proj");
      const value = storedValue(projectKey, keyring);
      const grace = Number(graceSeconds ?? 0n);
      const { credential, nowMs } = await changeCredentials(caller, async (change) => ({
        credential: await rotate(change, credentialId, value, grace, store),
        nowMs: change.nowMs,
      }));
      return {
        ...toProtoCredential(credential),
        projectKey,
        ...(grace > 0 && { previousValidUntil: timestampFromDate(new Date(nowMs + grace * 1_000)) }),
      };
    },
    async credentialRevoke({ credentialId }, { caller }) {
      await changeCredentials(caller, (change) => revoke(change, credentialId, store));
      return { credentialId, revoked: true };
    },
  };
}

async function find(change: Change, credentialId: string, store: ProjectStore): Promise<Credential> {
  const found = await store.findCredentialOf(change, credentialId);
  if (found === undefined) throw new Fault("NOT_FOUND", "credentialId: there is no such credential");
  return found;
}

async function rotate(
  change: Change,
  credentialId: string,
  value: StoredValue,
  graceSeconds: number,
  store: ProjectStore,
): Promise<Credential> {
  const { nowMs } = change;
  const before = await find(change, credentialId, store);
  const after = rotateCredential(before, value, graceSeconds, nowMs);
  if (after === undefined) {
    const detail = `${PREVIOUS_MAX} earlier values are still in their grace; wait until one ends, or rotate without a grace`;
    throw new Fault("CONFLICT", `credentialId: ${detail}`);
  }
  await store.saveCredential(change, after);
  change.record({
    action: "credential.rotate",
    targetId: credentialId,
    before: toAuditCredential(before, nowMs),
    after: toAuditCredential(after, nowMs),
  });
  return after;
}

/** Nobody could get in again without a credential that manages the project: the last of them stays. */
async function revoke(change: Change, credentialId: string, store: ProjectStore): Promise<void> {
  const before = await find(change, credentialId, store);
  if (before.scopes.includes("manage") && !(await store.hasOtherManager(change, credentialId))) {
    throw new Fault("CONFLICT", "credentialId: it is the last one with the scope manage; make another before");
  }
  await store.removeCredential(change, credentialId);
  const state = toAuditCredential(before, change.nowMs);
  change.record({ action: "credential.revoke", targetId: credentialId, before: state, after: null });
}
