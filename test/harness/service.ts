import { randomBytes } from "node:crypto";
import { MongoClient } from "mongodb";
import { pino } from "pino";
import { inject } from "vitest";
import { type App, startApp } from "../../src/app.ts";
import { type Config, readConfig } from "../../src/config.ts";

export const ADMIN_KEY = "admin-key-of-the-tests";
export const PROJECT_KEY = "project-key-of-the-tests";
export const SECRET = "master-secret-of-the-tests";

/** What a call of a JSON path answered. */
export interface Answer {
  status: number;
  headers: Headers;
  // Tests look into bodies of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: as said
  body: any;
}

/** A service of the tests' own: free ports, a database of its own on the shared MongoDB. */
export interface TestService {
  app: App;
  url: string;
  grpcAddress: string;
  databaseUri: string;
  /** Calls a JSON path with the credential of the default project, or another. */
  call(path: string, body: unknown, credential?: string): Promise<Answer>;
  /** Like call, but throws unless the answer is 200, and returns the body. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  ok(path: string, body: unknown, credential?: string): Promise<any>;
  /** Stops the service and drops its database. */
  close(): Promise<void>;
}

/** A database that no other test has. */
export function freshDatabaseUri(): string {
  const uri = new URL(inject("mongodbUri"));
  uri.pathname = `/test_${randomBytes(8).toString("hex")}`;
  return uri.href;
}

/** Starts a service in this process. `settings` are environment variables; `report` takes its lines for people. */
export async function startService(
  settings: Record<string, string> = {},
  report: (line: string) => void = () => undefined,
): Promise<TestService> {
  const databaseUri = settings.KEYSVC_MONGODB_URI ?? freshDatabaseUri();
  const config: Config = readConfig({
    KEYSVC_PORT: "0",
    KEYSVC_GRPC_PORT: "0",
    KEYSVC_ADMIN_KEY: ADMIN_KEY,
    KEYSVC_PROJECT_KEY: PROJECT_KEY,
    KEYSVC_SECRET: SECRET,
    KEYSVC_MONGODB_URI: databaseUri,
    ...settings,
  });
  const app = await startApp({ config, log: pino({ level: "silent" }), report });
  const url = `http://127.0.0.1:${app.port}`;
  const call: TestService["call"] = (path, body, credential = PROJECT_KEY) =>
    postJson(`${url}${path}`, body, credential);
  return {
    app,
    url,
    grpcAddress: `127.0.0.1:${app.grpcPort}`,
    databaseUri,
    call,
    async ok(path, body, credential) {
      const answer = await call(path, body, credential);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async close() {
      await app.stop();
      await dropDatabase(databaseUri);
    },
  };
}

/** Posts JSON; a string is sent as it is. */
export async function postJson(url: string, body: unknown, credential: string | undefined): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(credential && { authorization: `Bearer ${credential}` }) },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

async function dropDatabase(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  await client.db(new URL(uri).pathname.slice(1)).dropDatabase();
  await client.close();
}

/** A consumer with a key, for tests that need one. */
export async function createConsumerWithKey(
  service: TestService,
  consumer: object = {},
  key: object = {},
): Promise<{ consumerId: string; keyId: string; key: string }> {
  const { consumerId } = await service.ok("/consumer/create", consumer);
  const made = await service.ok("/key/create", { consumerId, ...key });
  return { consumerId, keyId: made.keyId, key: made.key };
}
