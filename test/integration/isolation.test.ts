import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { methods } from "../../gen/gateway.js";
import { OWNED } from "../../src/schema.ts";
import { createData, createEstate, type Estate, EXTERNAL_VALUE, REQUEST_ID } from "../harness/estate.ts";
import { expectProblem } from "../harness/problem.ts";
import { startService, type TestService } from "../harness/service.ts";
import { untilDrained } from "../harness/until-drained.ts";
import { LOCAL_RECEIVERS, type Receiver, startReceiver, untilTold } from "../harness/webhook-receiver.ts";

/** Questions about events, which analytics-isolation.test.ts asks of projects with many. */
const isQuestion = (path: string) => path.startsWith("/analytics/");

/** What the drainer makes of events again and again, at times of its own. */
const MADE = new Set(["segments", "segment_days"]);

interface Row {
  /** A call in one's own project that names things of theirs. */
  request: (theirs: Estate, own: Estate) => object;
  /** What the answer has, of a call that is no error; absent: 404. */
  answer?: object;
}

/** Nothing is found, whatever else the request has. */
const noId = (name: keyof Estate, more: object = {}): Row => ({
  request: (theirs) => ({ [name]: theirs[name], ...more }),
});
/** There is nothing of another project that such a call could name. */
const namesNothing = (request: object): Row => ({ request: () => request, answer: {} });
const listOf = (total: number): Row => ({ request: () => ({}), answer: { total } });

const ROWS: Record<string, Row[]> = {
  "/api/create": [namesNothing({ name: "another" })],
  "/api/update": [noId("apiId", { name: "taken" }), noId("apiId")],
  "/api/details": [noId("apiId")],
  "/api/list": [listOf(1)],
  "/api/delete": [noId("apiId")],
  "/audit/list": [
    { request: ({ consumerId }) => ({ targetId: consumerId }), answer: { entries: [], nextCursor: null } },
    { request: () => ({ pageSize: 200 }), answer: {} },
  ],
  "/consumer/create": [noId("planId")],
  "/consumer/update": [
    noId("consumerId", { name: "taken" }),
    noId("consumerId"),
    { request: (theirs, own) => ({ consumerId: own.consumerId, planId: theirs.planId }) },
  ],
  "/consumer/details": [noId("consumerId")],
  "/consumer/list": [
    { request: () => ({}), answer: { total: 1, filtered: 1 } },
    { request: ({ consumerId }) => ({ search: consumerId }), answer: { total: 1, filtered: 0, consumers: [] } },
    { request: ({ planId }) => ({ planId }), answer: { total: 1, filtered: 0, consumers: [] } },
  ],
  "/consumer/keys": [noId("consumerId")],
  "/consumer/delete": [noId("consumerId"), noId("consumerId", { permanent: true })],
  "/ingest": [
    {
      request: ({ consumerId, apiId, key }) => {
        const traffic = { method: "GET", path: "/", statusCode: 200, requestId: consumerId };
        return { events: [{ ...traffic, consumerId, apiId, apiKey: key }] };
      },
      answer: { accepted: 1, duplicates: 0, rejected: [] },
    },
  ],
  "/key/create": [
    noId("consumerId"),
    { request: (theirs, own) => ({ consumerId: own.consumerId, allowedApis: [own.apiId, theirs.apiId] }) },
  ],
  "/key/update": [
    noId("keyId", { enabled: false }),
    noId("keyId"),
    { request: (theirs, own) => ({ keyId: own.keyId, allowedApis: [theirs.apiId] }) },
  ],
  "/key/details": [noId("keyId"), { request: ({ importedKeyId }) => ({ keyId: importedKeyId }) }],
  "/key/list": [listOf(2), noId("consumerId")],
  "/key/rotate": [noId("keyId", { graceSeconds: 60 }), noId("keyId")],
  "/key/delete": [noId("keyId")],
  "/key/import": [
    noId("consumerId", { keys: [{ sha256: "a".repeat(64) }] }),
    {
      request: (theirs, own) => ({
        consumerId: own.consumerId,
        keys: [{ sha256: "b".repeat(64), allowedApis: [theirs.apiId] }],
      }),
    },
  ],
  "/key/validate/batch": [
    {
      request: ({ key }) => ({ requests: [{ key }, { key, requestId: REQUEST_ID }] }),
      answer: {
        results: [
          { valid: false, code: "NOT_FOUND", consumer: null },
          { valid: false, code: "NOT_FOUND", consumer: null },
        ],
      },
    },
  ],
  "/key/validate": [
    { request: ({ key }) => ({ key }), answer: { valid: false, code: "NOT_FOUND", consumer: null, credits: null } },
    {
      request: ({ key }) => ({ key, requestId: REQUEST_ID }),
      answer: { valid: false, code: "NOT_FOUND", consumer: null, credits: null },
    },
    { request: ({ apiId }, { key }) => ({ key, apiId }), answer: { valid: false, code: "API_NOT_ALLOWED" } },
  ],
  "/plan/create": [namesNothing({ name: "another", credits: { limit: 1 } })],
  "/plan/update": [
    noId("planId", { name: "taken", applyToConsumers: true }),
    noId("planId", { credits: { limit: 1 } }),
    noId("planId"),
  ],
  "/plan/details": [noId("planId")],
  "/plan/list": [listOf(1)],
  "/plan/delete": [noId("planId")],
  "/project/credential/create": [namesNothing({ name: "another" })],
  "/project/credential/list": [listOf(2)],
  "/project/credential/rotate": [noId("credentialId", { graceSeconds: 60 })],
  "/project/credential/revoke": [noId("credentialId")],
  "/webhook/deliveries": [
    { request: ({ consumerId }) => ({ consumerId }), answer: { deliveries: [], nextCursor: null } },
    { request: () => ({ type: "key.created", status: "delivered", pageSize: 200 }), answer: {} },
  ],
  "/webhook/replay": [noId("eventId")],
  "/webhook/secret/rotate": [namesNothing({ graceSeconds: 60 })],
};
/** Lists come first, while it is known how much there is to count. */
const CASES = Object.entries(ROWS).sort(
  ([one], [other]) => Number(other.endsWith("list")) - Number(one.endsWith("list")),
);

let service: TestService;
let client: MongoClient;
let theirs: Estate;
let own: Estate;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService(LOCAL_RECEIVERS);
  client = await MongoClient.connect(service.databaseUri);
  [theirs, own] = await Promise.all([createEstate(service, receiver.url), createEstate(service, receiver.url)]);
  await createData(service, theirs.projectKey, receiver.url);
  await untilTold(service, theirs.projectKey);
});
afterAll(async () => {
  await client.close();
  await service.close();
  await receiver.close();
});

/** Everything that is stored of their project. */
async function storedOfTheirs(): Promise<unknown[]> {
  const { projectId } = theirs;
  await untilDrained(client.db());
  const ofProject = { $or: [{ projectId }, { _id: { $regex: `^${projectId}(:|$)` } }] };
  const collections = ["projects", ...OWNED.map(({ collection }) => collection)].filter((name) => !MADE.has(name));
  // Ids are texts here, which the type of a collection of anything does not know.
  const find = (name: string) =>
    client
      .db()
      .collection(name)
      .find(ofProject as object)
      // Events have a time and no id.
      .sort({ _id: 1, at: 1, requestId: 1 })
      .toArray();
  return Promise.all(collections.map(async (name) => [name, await find(name)]));
}

describe("of another project,", () => {
  it("every method of a project is in the table", () => {
    const ofProject = methods
      .filter(({ scope, path }) => scope !== "operator" && !isQuestion(path))
      .map(({ path }) => path);
    expect(Object.keys(ROWS).sort()).toEqual(ofProject.sort());
  });

  it.each(CASES)("%s shows and changes nothing of theirs", async (path, rows) => {
    const before = await storedOfTheirs();
    for (const { request, answer } of rows) {
      const body = request(theirs, own);
      const answered = await service.call(path, body, own.projectKey);
      if (answer === undefined) expectProblem(answered, 404, "not_found");
      else expect([answered.status, answered.body]).toMatchObject([200, answer]);
      // What the request itself names may be repeated.
      const secret = Object.values(theirs).filter((value) => !JSON.stringify(body).includes(value));
      for (const value of secret) expect(JSON.stringify(answered.body)).not.toContain(value);
    }
    expect(await storedOfTheirs()).toEqual(before);
  });

  it("an imported value is another key: it validates in each project that has it", async () => {
    for (const { projectKey, importedKeyId, consumerId } of [theirs, own]) {
      const verdict = await service.ok("/key/validate", { key: EXTERNAL_VALUE }, projectKey);
      expect(verdict).toMatchObject({ valid: true, keyId: importedKeyId, consumer: { consumerId } });
    }
  });

  it("a cursor leads nowhere", async () => {
    const { nextCursor } = await service.ok("/audit/list", { pageSize: 1 }, theirs.projectKey);
    const answered = await service.call("/audit/list", { pageSize: 1, cursor: nextCursor }, own.projectKey);
    expectProblem(answered, 400, "invalid_argument", ["cursor"]);
  });

  it("a requestId is another call: it is charged once in each project", async () => {
    for (const { projectKey, key, consumerId } of [theirs, own]) {
      const used = async () => (await service.ok("/consumer/details", { consumerId }, projectKey)).credits.used;
      const before = await used();
      for (let call = 0; call < 2; call++) await service.ok("/key/validate", { key, requestId: "again" }, projectKey);
      expect(await used()).toBe(before + 1);
    }
  });
});
