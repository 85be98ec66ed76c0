import { join } from "node:path";
import type { Config } from "./config.ts";
import { DEFAULT_PROJECT } from "./project/project.ts";
import { newProject } from "./project/service.ts";
import type { ProjectStore } from "./project/store.ts";
import type { Keyring } from "./secrets/keyring.ts";
import { createSecret, readOrMakeSecret } from "./secrets/secret-file.ts";

/** The operator's credential and the master secret: from the settings, else from the data folder. */
export async function readSecrets(config: Config): Promise<{ secret: string; adminKey: string }> {
  const secret = config.secret ?? (await fromFile(config, "secret", "secret"));
  const adminKey = config.adminKey ?? (await fromFile(config, "admin-key", "admin"));
  return { secret, adminKey };
}

function fromFile({ dataDir }: Config, name: string, prefix: string): Promise<string> {
  return readOrMakeSecret(join(dataDir, name), () => createSecret(prefix));
}

/**
 * Makes the project `default` at the first start, with the credential of the settings or one of its own.
 *
 * @returns the credential when it was made now and is to be shown, once
 */
export async function adoptDefaultProject(
  config: Config,
  store: ProjectStore,
  keyring: Keyring,
  nowMs: number,
  report: (line: string) => void,
): Promise<string | undefined> {
  const existing = await store.findDefaultProject();
  if (existing !== undefined) {
    const credential = config.projectKey && (await store.findCredential(keyring.hashCredential(config.projectKey)));
    if (config.projectKey && !credential) {
      report("KEYSVC_PROJECT_KEY is adopted at the first start only, and opens nothing now");
    }
    return undefined;
  }
  const projectKey = config.projectKey ?? (await fromFile(config, "project-key", "proj"));
  const { project, credential } = newProject(DEFAULT_PROJECT, projectKey, keyring, nowMs);
  const isMade = await store.insertDefault(project, credential);
  return isMade && config.projectKey === undefined ? projectKey : undefined;
}
