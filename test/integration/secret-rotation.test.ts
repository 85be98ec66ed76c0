import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { importValues, legacyValue } from "../harness/import-values.ts";
import { createConsumerWithKey, SECRET, startService, type TestService } from "../harness/service.ts";
import { isGenuine, LOCAL_RECEIVERS, type Receiver, startReceiver } from "../harness/webhook-receiver.ts";

const NEW_SECRET = "another-master-secret-of-the-tests";
const OLD = { ...LOCAL_RECEIVERS, KEYSVC_SECRET: SECRET };
const CHANGING = { ...LOCAL_RECEIVERS, KEYSVC_SECRET: NEW_SECRET, KEYSVC_SECRET_PREVIOUS: SECRET };
const NEW = { ...LOCAL_RECEIVERS, KEYSVC_SECRET: NEW_SECRET };

/** The first node, under the old secret. Its database stays until the end. */
let first: TestService;
let receiver: Receiver;
let made: Awaited<ReturnType<typeof makeEverything>>;
const others: TestService[] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  first = await startService(OLD);
  made = await makeEverything(first);
});
afterAll(async () => {
  for (const { app } of others) await app.stop();
  await first.close();
  await receiver.close();
});

async function startNode(settings: Record<string, string>): Promise<TestService> {
  const node = await startService({ ...settings, KEYSVC_MONGODB_URI: first.databaseUri });
  others.push(node);
  return node;
}

/** Everything that is stored under the data key, and what callers hold that was signed with it. */
async function makeEverything(service: TestService) {
  const { secret } = await service.ok("/webhook/secret/rotate", {});
  const { consumerId, keyId, key } = await createConsumerWithKey(service, { webhookUrl: receiver.url });
  const rotated = await service.ok("/key/rotate", { keyId, graceSeconds: 3_600 });
  const imported = legacyValue();
  await importValues(service, [imported]);
  const credential = await service.ok("/project/credential/create", { name: "rotated", scopes: ["validate"] });
  const { credentialId } = credential;
  const next = await service.ok("/project/credential/rotate", { credentialId, graceSeconds: 3_600 });
  const { nextCursor } = await service.ok("/audit/list", { pageSize: 1 });
  return {
    consumerId,
    keys: [key, rotated.key, imported],
    shown: rotated.key,
    credentials: [credential.projectKey, next.projectKey],
    secret,
    cursor: nextCursor,
  };
}

async function expectEverythingWorks(service: TestService): Promise<void> {
  const { keys, credentials, consumerId, shown, cursor, secret } = made;
  for (const credential of credentials) {
    for (const key of keys) {
      expect(await service.ok("/key/validate", { key }, credential)).toMatchObject({ code: "VALID" });
    }
  }
  const listed = await service.ok("/consumer/keys", { consumerId });
  expect(listed.keys.map(({ key }: { key: string }) => key)).toContain(shown);
  expect(await service.ok("/audit/list", { pageSize: 1, cursor })).toMatchObject({ entries: [expect.anything()] });
  const { keyId } = await service.ok("/key/create", { consumerId });
  await receiver.until(1, ({ body }) => body.data.keyId === keyId);
  expect(receiver.received.map((event) => isGenuine(event, secret))).not.toContain(false);
}

async function wrappedDataKey(): Promise<Document | null> {
  const client = await MongoClient.connect(first.databaseUri);
  const stored = await client.db().collection<{ _id: string }>("settings").findOne({ _id: "dataKey" });
  await client.close();
  return stored;
}

it("the master secret is changed node by node: whatever was stored or given out under the old one works throughout", async () => {
  const before = await wrappedDataKey();
  // Two at once, beside one that still runs under the old secret.
  const [second] = await Promise.all([startNode(CHANGING), startNode(CHANGING)]);
  expect((await wrappedDataKey())?.wrapped, "is wrapped anew").not.toEqual(before?.wrapped);
  await expectEverythingWorks(second);
  await expectEverythingWorks(first);
  const { key } = await createConsumerWithKey(first);
  expect(await second.ok("/key/validate", { key }), "made by the old node").toMatchObject({ code: "VALID" });
  const later = await createConsumerWithKey(second);
  expect(await first.ok("/key/validate", { key: later.key }), "made by a new one").toMatchObject({ code: "VALID" });
});

it("once it is changed, the old secret is not needed, and opens nothing", async () => {
  await expectEverythingWorks(await startNode(NEW));
  await expect(startNode(OLD)).rejects.toThrow("KEYSVC_SECRET is not the secret that this database was made with");
  // A node that still has both starts as well, in any order.
  await expectEverythingWorks(await startNode(CHANGING));
});
