import { ConfigurationError } from "./errors.ts";

/** Where the service is and who calls it, as it is written in options. */
export interface ServiceOptions {
  /** The project credential. Default: the environment's `KEYSVC_PROJECT_KEY`, else `KEYSVC_ROOT_KEY`. */
  projectKey?: string | undefined;
  /** An older name of projectKey; never set both. */
  rootKey?: string | undefined;
  /** Where the service is. Default: the environment's `KEYSVC_BASE_URL`, else `http://127.0.0.1:8080`. */
  baseURL?: string | undefined;
  /** Milliseconds that a validation, and each try to send events, may take. Default: 2,000. */
  timeoutMs?: number | undefined;
  /** Makes the calls instead of the global `fetch`. */
  fetch?: Fetch | undefined;
}

/** What is used of `fetch`: the global ones of runtimes have more, each its own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The same, read and checked. */
export interface ServiceSettings {
  projectKey: string;
  baseURL: string;
  timeoutMs: number;
  fetch: Fetch | undefined;
}

export const TIMEOUT_MS_DEFAULT = 2_000;
const TIMEOUT_MS_MAX = 2 ** 31 - 1;
const BASE_URL_DEFAULT = "http://127.0.0.1:8080";

/**
 * Reads the options, adding to `problems` by the name of the option, or of the variable of the environment that stands for it. No
 * value is ever in a problem: it may be a credential.
 *
 * @param needsCredential false where somebody else calls the service
 */
export function readServiceOptions(
  options: ServiceOptions,
  problems: Record<string, string>,
  needsCredential = true,
): ServiceSettings {
  const { projectKey, rootKey, timeoutMs = TIMEOUT_MS_DEFAULT } = options;
  if (projectKey && rootKey) problems.rootKey = "must not be set beside projectKey";
  const credential = findSetting({ projectKey, rootKey }, "KEYSVC_PROJECT_KEY", "KEYSVC_ROOT_KEY");
  if (needsCredential) checkCredential(credential, problems);
  const base = findSetting({ baseURL: options.baseURL }, "KEYSVC_BASE_URL");
  const problem = base && problemOfUrl(base.value);
  if (base !== undefined && problem !== undefined) problems[base.name] = problem;
  if (!(timeoutMs > 0 && timeoutMs <= TIMEOUT_MS_MAX)) problems.timeoutMs = "must be a positive number of milliseconds";
  const baseURL = (base?.value ?? BASE_URL_DEFAULT).replace(/\/+$/, "");
  return { projectKey: credential?.value ?? "", baseURL, timeoutMs, fetch: options.fetch };
}

/** What was set, and where. */
interface Setting {
  name: string;
  value: string;
}

/** The first of the options that is set, else of the variables. What is empty is as if it were not set. */
function findSetting(options: Record<string, string | undefined>, ...variables: string[]): Setting | undefined {
  for (const [name, value] of Object.entries(options)) if (value) return { name, value };
  for (const name of variables) {
    const value = readEnvironment(name);
    if (value) return { name, value };
  }
  return undefined;
}

function checkCredential(credential: Setting | undefined, problems: Record<string, string>): void {
  if (credential === undefined) problems.projectKey = "is required, or KEYSVC_PROJECT_KEY in the environment";
  else if (!/^[!-~]+$/.test(credential.value)) problems[credential.name] = "must be visible ASCII characters";
}

/** Throws when there are problems. */
export function refuseProblems(problems: Record<string, string>): void {
  if (Object.keys(problems).length > 0) throw new ConfigurationError(problems);
}

function problemOfUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be a URL";
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must be an http or https URL";
  if (username + password + search + hash !== "") return "must have no user, query or fragment";
  return undefined;
}

/** A variable of the environment, where there is one. */
function readEnvironment(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name];
  } catch {
    // Deno without the permission to read it.
    return undefined;
  }
}
