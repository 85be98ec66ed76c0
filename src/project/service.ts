import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ProjectService } from "../../gen/keysvc/v1/project_pb.js";
import type { Handlers } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";
import { pageOf } from "../lib/page.ts";
import { actorOf, type Change, type MakeChange } from "../mongo/change.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { createSecret } from "../secrets/secret-file.ts";
import { toAuditCredential, toAuditProject, toProtoProject } from "./convert.ts";
import { type Credential, newCredential, newProject, type Project, type StoredValue } from "./project.ts";
import type { ProjectStore } from "./store.ts";

export interface ProjectServiceOptions {
  store: ProjectStore;
  keyring: Keyring;
  change: MakeChange;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

/** Projects, which the operator makes, lists and deletes. */
export function projectService(options: ProjectServiceOptions): Handlers<typeof ProjectService> {
  const { store, keyring, change: makeChange, now } = options;
  return {
    async create({ name }, { caller }) {
      const projectKey = createSecret("proj");
      const made = projectWithCredential(name, storedValue(projectKey, keyring), await now());
      const { project } = made;
      await makeChange(actorOf(caller, project._id), async (change) => {
        await store.insert(change, project, made.credential);
        recordCreation(change, made);
      });
      return { projectId: project._id, name, projectKey, createdAt: timestampFromDate(project.createdAt) };
    },
    async list(request) {
      const page = pageOf(request);
      const { total, projects } = await store.list(page);
      return { total: BigInt(total), page: page.page, limit: page.limit, projects: projects.map(toProtoProject) };
    },
    async delete({ projectId }, { caller }) {
      // No record of it: the audit log goes with the project.
      const isMarked = await makeChange(actorOf(caller, projectId), store.markDeleted);
      if (!isMarked) throw new Fault("NOT_FOUND", "projectId: there is no such project");
      return { projectId, deleted: true };
    },
  };
}

/** What is stored of the value of a credential. */
export function storedValue(value: string, keyring: Pick<Keyring, "hashCredential">): StoredValue {
  return { hash: keyring.hashCredential(value), lastSix: value.slice(-6) };
}

interface ProjectMade {
  project: Project;
  credential: Credential;
}

/** A new project with its first credential, which has every scope. */
export function projectWithCredential(name: string, value: StoredValue, nowMs: number): ProjectMade {
  const project = newProject(name, nowMs);
  return { project, credential: newCredential(project._id, { name: null, scopes: [] }, value, nowMs) };
}

/** Adds to the audit log of a new project that it and its first credential were made. */
export function recordCreation(change: Change, { project, credential }: ProjectMade): void {
  change.record({ action: "project.create", targetId: project._id, before: null, after: toAuditProject(project) });
  const after = toAuditCredential(credential, change.nowMs);
  change.record({ action: "credential.create", targetId: credential._id, before: null, after });
}
