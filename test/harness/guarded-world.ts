import { type ServiceProcess, startProcess } from "./process.ts";
import { ADMIN_KEY, freshDatabaseUri, PROJECT_KEY, postJson, SECRET } from "./service.ts";

/** How a key is judged: its value, and the verdict's code. */
export interface JudgedKey {
  key: string;
  code: string;
  consumerId: string;
}

/** A service in a process of its own, with a key for each verdict. */
export interface GuardedWorld {
  service: ServiceProcess;
  databaseUri: string;
  /** A key for each verdict, by its code. */
  keys: Record<string, JudgedKey>;
  /** An API that all of the keys may call, but the one of API_NOT_ALLOWED. */
  createApi(name: string): Promise<string>;
  /** Calls a JSON path; throws unless the answer is 200. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  ok(path: string, body: unknown): Promise<any>;
}

const PAST = "2020-01-01T00:00:00.000Z";
/** Until the window or the refill is over, all is spent. */
const SPENT_LIMIT = { limit: 1, window: 86_400 };

/** What makes a key be judged so: the consumer's fields, the key's, and whether it is spent before. */
const MAKINGS: Record<string, { consumer?: object; key?: object; spend?: boolean; status?: string }> = {
  VALID: {},
  KEY_DISABLED: { key: { enabled: false } },
  KEY_EXPIRED: { key: { expiresAt: PAST } },
  CONSUMER_DISABLED: { status: "disabled" },
  CONSUMER_EXPIRED: {},
  API_NOT_ALLOWED: {},
  RATE_LIMITED: { consumer: { rateLimit: SPENT_LIMIT }, spend: true },
  USAGE_EXCEEDED: { consumer: { credits: { limit: 1 } }, spend: true },
};

/** Starts one. Its log has every level, so that a test can look for what must not be there. */
export async function startGuardedWorld(): Promise<GuardedWorld> {
  const databaseUri = freshDatabaseUri();
  const service = await startProcess({
    KEYSVC_ADMIN_KEY: ADMIN_KEY,
    KEYSVC_PROJECT_KEY: PROJECT_KEY,
    KEYSVC_SECRET: SECRET,
    KEYSVC_MONGODB_URI: databaseUri,
    KEYSVC_LOG_LEVEL: "trace",
  });
  const ok: GuardedWorld["ok"] = async (path, body) => {
    const answer = await postJson(`${service.url}${path}`, body, PROJECT_KEY);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const createApi = async (name: string): Promise<string> => (await ok("/api/create", { name })).apiId;
  const otherApi = await createApi("other");
  const keys: Record<string, JudgedKey> = {};
  for (const [code, { consumer, key, spend, status }] of Object.entries(MAKINGS)) {
    const { consumerId } = await ok("/consumer/create", { name: `Consumer of ${code}`, ...consumer });
    const allowedApis = code === "API_NOT_ALLOWED" ? [otherApi] : ["*"];
    const made = await ok("/key/create", { consumerId, allowedApis, ...key });
    if (spend) await ok("/key/validate", { key: made.key });
    const expiresAt = code === "CONSUMER_EXPIRED" && PAST;
    if (status || expiresAt)
      await ok("/consumer/update", { consumerId, ...(status && { status }), ...(expiresAt && { expiresAt }) });
    keys[code] = { key: made.key, code, consumerId };
  }
  keys.NOT_FOUND = { key: "sk_nobody_has_ever_made_this_key_0123456789", code: "NOT_FOUND", consumerId: "" };
  return { service, databaseUri, keys, createApi, ok };
}
