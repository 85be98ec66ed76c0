import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { expect, it } from "vitest";
import { copyDatabase } from "../harness/copy-database.ts";
import { startProcess } from "../harness/process.ts";
import { freshDatabaseUri, PROJECT_KEY, postJson, SECRET, startService } from "../harness/service.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Ok = (path: string, body: object) => Promise<any>;

const LIMIT = 1_000;
const CHARGES = 25;
const EVENTS = 40;

/** What a customer has, and what there is to be known of it. */
interface World {
  consumerId: string;
  key: string;
  verdict: { requestId: string; credits: object };
}

async function fill(ok: Ok): Promise<World> {
  const { consumerId } = await ok("/consumer/create", { name: "Acme", credits: { limit: LIMIT } });
  const { key } = await ok("/key/create", { consumerId });
  await Promise.all(Array.from({ length: CHARGES - 1 }, () => ok("/key/validate", { key })));
  const verdict = await ok("/key/validate", { key, requestId: "paid-before-the-backup" });
  await ok("/ingest", {
    events: Array.from({ length: EVENTS }, () => ({ method: "GET", path: "/", statusCode: 200 })),
  });
  return { consumerId, key, verdict };
}

/** Everything that was answered before is there, to the unit, and nothing more; and the service goes on. */
async function expectRestored(ok: Ok, { consumerId, key, verdict }: World): Promise<void> {
  const { credits } = await ok("/consumer/details", { consumerId });
  expect(credits).toMatchObject({ used: CHARGES, remaining: LIMIT - CHARGES });
  expect((await ok("/consumer/keys", { consumerId })).keys).toMatchObject([{ key }]);
  // A retry of a call from before the backup is known, and charges nothing.
  const again = await ok("/key/validate", { key, requestId: "paid-before-the-backup" });
  expect([again.code, again.credits]).toEqual(["VALID", verdict.credits]);
  const total = async (source: string) => (await ok("/analytics/logs", { source, pageSize: 1 })).total;
  // The events of the retry come on top.
  expect(await total("key_activity")).toBe(CHARGES + 1);
  expect(await total("api_traffic")).toBe(EVENTS);
  expect((await ok("/key/validate", { key })).credits).toMatchObject({ used: CHARGES + 1 });
  expect(await total("key_activity")).toBe(CHARGES + 2);
}

it("a dump of the database, restored as another one, has credits, keys, verdicts and events exactly", async () => {
  const original = await startService();
  const world = await fill(original.ok);
  await original.app.stop();
  const uri = freshDatabaseUri();
  const client = await MongoClient.connect(original.databaseUri);
  await copyDatabase(client.db(), client.db(new URL(uri).pathname.slice(1)));
  const restored = await startService({ KEYSVC_MONGODB_URI: uri });
  await expectRestored(restored.ok, world);
  await restored.close();
  await client.db().dropDatabase();
  await client.close();
});

it("a copy of the data folder of a stopped service is a backup: another service starts from it, with secrets and all", async () => {
  const folder = await mkdtemp(join(tmpdir(), "keysvc-backup-"));
  const settings = { KEYSVC_PROJECT_KEY: PROJECT_KEY };
  const start = async (dataDir: string) => {
    const service = await startProcess({ ...settings, KEYSVC_DATA_DIR: dataDir });
    const ok: Ok = async (path, body) => {
      const answer = await postJson(service.url + path, body, PROJECT_KEY);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    return { service, ok };
  };
  const original = await start(join(folder, "data"));
  const world = await fill(original.ok);
  expect(await original.service.stop("SIGTERM")).toBe(0);
  await cp(join(folder, "data"), join(folder, "backup"), { recursive: true, preserveTimestamps: true });
  // What happens after the backup is not in it.
  const later = await start(join(folder, "data"));
  await later.ok("/key/validate", { key: world.key, credits: 100 });
  const restored = await start(join(folder, "backup"));
  await expectRestored(restored.ok, world);
  expect(await restored.service.stop("SIGTERM")).toBe(0);
  expect(await later.service.stop("SIGTERM")).toBe(0);
  await rm(folder, { recursive: true });
}, 90_000);

it("a restored database does not open with another secret, whatever else is right", async () => {
  const original = await startService();
  await original.app.stop();
  const settings = { KEYSVC_MONGODB_URI: original.databaseUri, KEYSVC_SECRET: `${SECRET}-of-somebody-else` };
  await expect(startService(settings)).rejects.toThrow(/KEYSVC_SECRET is not the secret/);
  const again = await startService({ KEYSVC_MONGODB_URI: original.databaseUri });
  await again.close();
});
