import { afterAll, beforeAll, expect, it } from "vitest";
import { createConsumerWithKey, freshDatabaseUri, startService, type TestService } from "../harness/service.ts";

let nodes: TestService[];
beforeAll(async () => {
  const uri = freshDatabaseUri();
  // At once, because nodes of a new installation start at once.
  nodes = await Promise.all([1, 2].map(() => startService({ KEYSVC_MONGODB_URI: uri })));
});
afterAll(async () => {
  for (const node of nodes) await node.close();
});

it.each([
  ["without ids", () => ({})],
  ["with an id of their own", (call: number) => ({ requestId: `call-${call}` })],
])("two nodes share one pool to the credit: 600 calls %s on 400 credits", async (_title, id) => {
  const [first] = nodes;
  if (first === undefined) throw new Error("no node");
  const { key, consumerId } = await createConsumerWithKey(first, { credits: { limit: 400 } });
  const codes = new Map<string, number>();
  let left = 600;
  const caller = async (node: TestService) => {
    while (left > 0) {
      const call = left--;
      const { status, body } = await node.call("/key/validate", { key, ...id(call) });
      const code = status === 200 ? body.code : `status ${status}`;
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 32 }, (_, index) => caller(nodes[index % nodes.length] ?? first)));
  expect(Object.fromEntries(codes)).toEqual({ VALID: 400, USAGE_EXCEEDED: 200 });
  expect((await first.ok("/consumer/details", { consumerId })).credits).toMatchObject({ used: 400, remaining: 0 });
});

it("the same requestId on both nodes at once is charged once", async () => {
  const [first] = nodes;
  if (first === undefined) throw new Error("no node");
  const { key, consumerId } = await createConsumerWithKey(first, { credits: { limit: 10 } });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (nodes[index % 2] ?? first).ok("/key/validate", { key, requestId: "same" }),
    ),
  );
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect((await first.ok("/consumer/details", { consumerId })).credits.used).toBe(1);
});
