import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patiently } from "../harness/patiently.ts";
import { createConsumerWithKey, freshDatabaseUri, startService, type TestService } from "../harness/service.ts";

let nodes: [TestService, TestService];
beforeAll(async () => {
  const settings = { KEYSVC_MONGODB_URI: freshDatabaseUri() };
  nodes = [await startService(settings), await startService(settings)];
});
afterAll(async () => {
  for (const node of nodes) await node.close();
});

const COUNT = 50;
const nodeOf = (call: number): TestService => nodes[call % 4 === 0 ? 1 : 0];

async function change(node: TestService, path: string, body: unknown) {
  const { status, body: answer } = await patiently(() => node.call(path, body));
  expect({ status, answer }).toMatchObject({ status: 200 });
  return answer;
}

/** Makes so many calls at once, most of them on one node; every one of them must succeed. */
const atOnce = <Result>(call: (node: TestService, number: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: COUNT }, (_, number) => call(nodeOf(number), number)));

describe(`${COUNT} changes of one consumer at once, on two nodes`, () => {
  it("are all made, each with its entry in the audit log", async () => {
    const [first] = nodes;
    const { consumerId } = await first.ok("/consumer/create", { credits: { limit: 5 } });
    await atOnce((node, number) => change(node, "/consumer/update", { consumerId, name: `name ${number}` }));
    const { entries } = await first.ok("/audit/list", { targetId: consumerId, pageSize: 200 });
    const names = entries.map(({ after }: { after: { name: string } }) => after.name);
    expect(new Set(names)).toEqual(new Set([null, ...Array.from({ length: COUNT }, (_, number) => `name ${number}`)]));
    expect(names).toHaveLength(COUNT + 1);
  });

  it("are all made to its keys, which are counted", async () => {
    const [first, second] = nodes;
    const { consumerId } = await first.ok("/consumer/create", {});
    const made = await atOnce((node) => change(node, "/key/create", { consumerId }));
    expect((await second.ok("/consumer/keys", { consumerId })).total).toBe(COUNT);
    await atOnce((node, number) => change(node, "/key/update", { keyId: made[number].keyId, name: `${number}` }));
    await atOnce((node, number) =>
      number % 2 === 0 ? change(node, "/key/delete", { keyId: made[number].keyId }) : Promise.resolve(),
    );
    const { consumers } = await first.ok("/consumer/list", { search: consumerId });
    expect(consumers).toMatchObject([{ apiKeyCount: COUNT / 2 }]);
    expect((await first.ok("/consumer/delete", { consumerId })).keysAffected).toBe(COUNT / 2);
  });

  it("are made once where they can be made only once", async () => {
    const { consumerId } = await nodes[0].ok("/consumer/create", {});
    await nodes[0].ok("/key/create", { consumerId });
    const deleted = await atOnce((node) => change(node, "/consumer/delete", { consumerId }));
    expect(deleted.filter(({ keysAffected }) => keysAffected === 1)).toHaveLength(1);
    const restored = await atOnce((node) => change(node, "/consumer/update", { consumerId, status: "active" }));
    expect(restored.filter(({ keysRestored }) => keysRestored === 1)).toHaveLength(1);
    const gone = { consumerId, permanent: true };
    const removed = await atOnce((node) => patiently(() => node.call("/consumer/delete", gone)));
    expect(removed.map(({ status }) => status).sort()).toEqual([200, ...Array(COUNT - 1).fill(404)]);
  });
});

describe(`${COUNT} changes of one thing of a project at once`, () => {
  it("are all made to a plan and to an API, and credentials are made as many as were asked for", async () => {
    const [first] = nodes;
    const { planId } = await first.ok("/plan/create", { name: "a plan" });
    const { apiId } = await first.ok("/api/create", { name: "an API" });
    const before = (await first.ok("/project/credential/list", {})).total;
    await atOnce((node, number) => change(node, "/plan/update", { planId, name: `${number}` }));
    await atOnce((node, number) => change(node, "/api/update", { apiId, name: `${number}` }));
    await atOnce((node) => change(node, "/project/credential/create", { scopes: ["read"] }));
    for (const targetId of [planId, apiId]) {
      expect((await first.ok("/audit/list", { targetId, pageSize: 200 })).entries).toHaveLength(COUNT + 1);
    }
    expect((await first.ok("/project/credential/list", {})).total).toBe(before + COUNT);
  });
});

describe("changes beside 150 callers of /key/validate, more than there are connections to the database", () => {
  /** Calls until it is stopped; tells how many answers there were of each kind. */
  function validateMeanwhile(keys: string[]) {
    const answers = new Map<string, number>();
    let isStopped = false;
    const caller = async (number: number) => {
      for (let call = number; !isStopped; call++) {
        const { status, body } = await nodes[0].call("/key/validate", { key: keys[call % keys.length] });
        const answer = `${status} ${body.code}`;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    };
    const callers = Promise.all(Array.from({ length: 150 }, (_, number) => caller(number)));
    return async () => {
      isStopped = true;
      await callers;
      return [...answers.keys()];
    };
  }

  it("of the consumer that they all charge are made, and no call fails", async () => {
    const { consumerId, key } = await createConsumerWithKey(nodes[0], { credits: { limit: 1_000_000 } });
    const stop = validateMeanwhile([key]);
    for (const name of ["one", "two", "three"]) {
      await sleep(200);
      await change(nodes[0], "/consumer/update", { consumerId, name });
    }
    expect(await stop()).toEqual(["200 VALID"]);
  });

  it("of a plan that all of their consumers hold are applied, and no call fails", async () => {
    const { planId } = await nodes[0].ok("/plan/create", { name: "p", credits: { limit: 1_000_000 } });
    const holders = await Promise.all(Array.from({ length: 10 }, () => createConsumerWithKey(nodes[0], { planId })));
    const stop = validateMeanwhile(holders.map(({ key }) => key));
    const credits = { limit: 2_000_000 };
    await nodes[0].call("/plan/update", { planId, credits, applyToConsumers: true });
    expect(await stop()).toEqual(["200 VALID"]);
  });
});
