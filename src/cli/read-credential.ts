import { join } from "node:path";
import { readSecret } from "../secrets/secret-file.ts";
import type { ServiceCall } from "./parse-command.ts";

/** Where credentials are looked for. */
export interface CredentialSettings {
  dataDir: string;
  adminKey: string | undefined;
  projectKey: string | undefined;
}

/** A credential, and where it was found. */
export interface FoundCredential {
  value: string;
  origin: string;
}

/** The operator's credential or the project's: from the settings, else from the data folder. Throws when there is none. */
export async function readCredential(
  whose: ServiceCall["credential"],
  { dataDir, adminKey, projectKey }: CredentialSettings,
): Promise<FoundCredential> {
  const [setting, value, file] =
    whose === "operator"
      ? ["KEYSVC_ADMIN_KEY", adminKey, join(dataDir, "admin-key")]
      : ["KEYSVC_PROJECT_KEY", projectKey, join(dataDir, "project-key")];
  if (value !== undefined) return { value, origin: setting };
  const kept = await readSecret(file);
  if (kept === undefined)
    throw new Error(`there is no credential of the ${whose}: set ${setting}, or put it in ${file}`);
  // It goes into a header, whose errors would repeat it.
  if (!/^[\x21-\x7e]+$/.test(kept)) throw new Error(`${file} holds more than a credential`);
  return { value: kept, origin: file };
}
