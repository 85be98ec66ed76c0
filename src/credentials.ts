import { join } from "node:path";
import type { Config } from "./config.ts";
import type { MakeChange } from "./mongo/change.ts";
import { DEFAULT_PROJECT } from "./project/project.ts";
import { projectWithCredential, recordCreation, storedValue } from "./project/service.ts";
import type { ProjectStore } from "./project/store.ts";
import type { Keyring } from "./secrets/keyring.ts";
import { createSecret, readOrMakeSecret } from "./secrets/secret-file.ts";

/** The operator's credential and the master secret: from the settings, else from the data folder. */
export async function readSecrets(config: Config): Promise<{ secret: string; adminKey: string }> {
  const secret = await readMasterSecret(config);
  const adminKey = config.adminKey ?? (await fromFile(config, "admin-key", "admin"));
  return { secret, adminKey };
}

/** The master secret: from the settings, else from the data folder. */
export async function readMasterSecret(config: Config): Promise<string> {
  return config.secret ?? (await fromFile(config, "secret", "secret"));
}

function fromFile({ dataDir }: Config, name: string, prefix: string): Promise<string> {
  return readOrMakeSecret(join(dataDir, name), () => createSecret(prefix));
}

export interface AdoptionOptions {
  config: Config;
  store: ProjectStore;
  keyring: Keyring;
  change: MakeChange;
  /** The database's time, epoch milliseconds. */
  nowMs: number;
  /** Takes lines for people. */
  report: (line: string) => void;
}

/**
 * Makes the project `default` at the first start, with the credential of the settings or one of its own.
 *
 * @returns the credential when it was made now and is to be shown, once
 */
export async function adoptDefaultProject(options: AdoptionOptions): Promise<string | undefined> {
  const { config, store, keyring, change: makeChange, nowMs } = options;
  const existing = await store.findDefaultProject();
  if (existing !== undefined) {
    await reportUnused(existing, options);
    return undefined;
  }
  const projectKey = config.projectKey ?? (await fromFile(config, "project-key", "proj"));
  const made = projectWithCredential(DEFAULT_PROJECT, storedValue(projectKey, keyring), nowMs);
  const { project, credential } = made;
  const isMade = await makeChange({ projectId: project._id, credentialId: null }, async (change) => {
    const isFirst = await store.insertDefault(change, project, credential);
    if (isFirst) recordCreation(change, made);
    return isFirst;
  });
  return isMade && config.projectKey === undefined ? projectKey : undefined;
}

/** Says so when what the settings or the data folder hold opens nothing any more. */
async function reportUnused(projectId: string, { config, store, keyring, report }: AdoptionOptions): Promise<void> {
  if (!(await store.exists(projectId))) {
    report("the project `default` was deleted, and is not made again; /project/create makes another project");
  }
  const { projectKey } = config;
  if (projectKey === undefined) return;
  const credential = await store.findCredential(keyring.hashCredential(projectKey));
  if (!credential) report("KEYSVC_PROJECT_KEY is adopted at the first start only, and opens nothing now");
}
