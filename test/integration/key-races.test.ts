import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConsumerWithKey, startService, type TestService } from "../harness/service.ts";

let nodes: [TestService, TestService];
let client: MongoClient;
beforeAll(async () => {
  const first = await startService();
  nodes = [first, await startService({ KEYSVC_MONGODB_URI: first.databaseUri })];
  client = await MongoClient.connect(first.databaseUri);
});
afterAll(async () => {
  await client.close();
  for (const node of nodes) await node.close();
});

const CALLERS = 8;
/** A refusal that a node has in memory is lifted within this time, by the contract. */
const REFUSAL_LIFTED_MS = 200;
const idOf = () => Math.random().toString(36).slice(2);

/** Callers on both nodes, who validate until they are stopped; tells how many verdicts there were of each code. */
function validateMeanwhile(call: () => object) {
  const codes = new Map<string, number>();
  let isStopped = false;
  const caller = async (node: TestService) => {
    while (!isStopped) {
      const { code } = await node.ok("/key/validate", call());
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, (_, index) => caller(nodes[index % 2] ?? nodes[0])));
  const stop = async () => {
    isStopped = true;
    await callers;
    return Object.fromEntries(codes);
  };
  return { stop };
}

describe.each([
  ["without ids", () => ({})],
  ["with an id of their own", () => ({ requestId: idOf() })],
])("beside validates %s on two nodes", (_title, id) => {
  it("rotations lose no charge, and bind the very next validate on every node", async () => {
    const [first, second] = nodes;
    const { consumerId, keyId, key } = await createConsumerWithKey(first, { credits: { limit: 1_000_000 } });
    let present = key;
    const { stop } = validateMeanwhile(() => ({ key: present, ...id() }));
    for (let rotation = 0; rotation < 8; rotation++) {
      const old = present;
      present = (await first.ok("/key/rotate", { keyId })).key;
      for (const node of nodes) {
        expect((await node.ok("/key/validate", { key: old, credits: 0 })).code).toBe("NOT_FOUND");
        expect((await node.ok("/key/validate", { key: present, credits: 0 })).code).toBe("VALID");
      }
    }
    const codes = await stop();
    expect(Object.keys(codes).filter((code) => code !== "VALID" && code !== "NOT_FOUND")).toEqual([]);
    expect((await second.ok("/consumer/details", { consumerId })).credits.used).toBe(codes.VALID);
  });

  it("a key that is disabled or deleted is refused by the very next validate, and charges stay exact", async () => {
    const [first, second] = nodes;
    const { consumerId, keyId, key } = await createConsumerWithKey(first, { credits: { limit: 1_000_000 } });
    const { stop } = validateMeanwhile(() => ({ key, ...id() }));
    const refusals = async (code: string) => {
      for (const node of nodes) expect((await node.ok("/key/validate", { key, credits: 0 })).code).toBe(code);
    };
    await first.ok("/key/update", { keyId, enabled: false });
    await refusals("KEY_DISABLED");
    await second.ok("/key/update", { keyId, enabled: true });
    await sleep(REFUSAL_LIFTED_MS);
    await refusals("VALID");
    await first.ok("/key/delete", { keyId });
    await refusals("NOT_FOUND");
    const { VALID } = await stop();
    expect((await first.ok("/consumer/details", { consumerId })).credits.used).toBe(VALID);
  });
});

describe("keys that are made beside the deletion of their consumer", () => {
  const storedKeys = (consumerId: string) => client.db().collection("keys").countDocuments({ consumerId });

  it.each([true, false])("permanent %s: leave no orphan, and a right count", async (permanent) => {
    for (let round = 0; round < 10; round++) {
      const { consumerId } = await nodes[0].ok("/consumer/create", {});
      const make = (index: number) => (nodes[index % 2] ?? nodes[0]).call("/key/create", { consumerId });
      const making = Array.from({ length: 6 }, (_, index) => make(index));
      const deletion = nodes[1].ok("/consumer/delete", { consumerId, permanent });
      const statuses = (await Promise.all(making)).map(({ status }) => status);
      const { keysAffected } = await deletion;
      const made = statuses.filter((status) => status === 200).length;
      expect(statuses.filter((status) => status !== 200 && status !== (permanent ? 404 : 409))).toEqual([]);
      expect(keysAffected).toBe(made);
      expect(await storedKeys(consumerId)).toBe(permanent ? 0 : made);
      if (permanent) continue;
      const restored = await nodes[0].ok("/consumer/update", { consumerId, status: "active" });
      expect(restored.keysRestored).toBe(made);
    }
  });

  it("deleting one key from several callers at once deletes it once", async () => {
    const { consumerId, keyId } = await createConsumerWithKey(nodes[0]);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => (nodes[index % 2] ?? nodes[0]).call("/key/delete", { keyId })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect((await nodes[0].ok("/consumer/delete", { consumerId })).keysAffected).toBe(0);
  });
});
