import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ProjectService } from "../../gen/keysvc/v1/project_pb.js";
import type { Handlers } from "../lib/call.ts";
import { createId } from "../lib/id.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { createSecret } from "../secrets/secret-file.ts";
import { type Credential, PROJECT_SCOPES, type Project } from "./project.ts";
import type { ProjectStore } from "./store.ts";

export interface ProjectServiceOptions {
  store: ProjectStore;
  keyring: Keyring;
  /** The database's time, epoch milliseconds. */
  now: () => Promise<number>;
}

/** Projects and their credentials. */
export function projectService({ store, keyring, now }: ProjectServiceOptions): Handlers<typeof ProjectService> {
  return {
    async create({ name }) {
      const projectKey = createSecret("proj");
      const { project, credential } = newProject(name, projectKey, keyring, await now());
      await store.insert(project, credential);
      return { projectId: project._id, name, projectKey, createdAt: timestampFromDate(project.createdAt) };
    },
  };
}

/** A project with its first credential, which has every scope. */
export function newProject(
  name: string,
  projectKey: string,
  keyring: Keyring,
  nowMs: number,
): { project: Project; credential: Credential } {
  const createdAt = new Date(nowMs);
  const project: Project = { _id: createId("project", nowMs), name, createdAt };
  const credential: Credential = {
    _id: createId("credential", nowMs),
    projectId: project._id,
    name: null,
    hash: keyring.hashCredential(projectKey),
    lastSix: projectKey.slice(-6),
    scopes: [...PROJECT_SCOPES],
    createdAt,
  };
  return { project, credential };
}
