import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import { freshDatabaseUri, PROJECT_KEY, postJson, SECRET } from "../harness/service.ts";
import type { Call } from "./ledger.ts";
import { nowMs, openValidateClient, type ValidateClient } from "./validate-client.ts";

let nodes: ServiceProcess[];
let clients: ValidateClient[];
beforeAll(async () => {
  const settings = { KEYSVC_MONGODB_URI: freshDatabaseUri(), KEYSVC_PROJECT_KEY: PROJECT_KEY, KEYSVC_SECRET: SECRET };
  nodes = await Promise.all([startProcess(settings), startProcess(settings)]);
  clients = nodes.map(({ url }, client) => {
    return openValidateClient({ client, node: String(client), url: () => url, connectionsMax: 64 });
  });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(nodes.map((node) => node.stop("SIGTERM")));
});

async function ok(node: number, path: string, body: object) {
  const answer = await postJson(`${nodes[node]?.url}${path}`, body, PROJECT_KEY);
  expect(answer.status, path).toBe(200);
  return answer.body;
}

async function createKey(consumer: object): Promise<{ consumerId: string; keyId: string; key: string }> {
  const { consumerId } = await ok(0, "/consumer/create", consumer);
  const { keyId, key } = await ok(0, "/key/create", { consumerId });
  return { consumerId, keyId, key };
}

/** The verdict of a call on one of the nodes; throws when there is none. */
async function validate(node: number, key: string, cost = 1) {
  const call: Call | undefined = await clients[node]?.validate({ key, consumerId: "", cost });
  if (call?.outcome.kind !== "verdict") throw new Error(call?.outcome.reason ?? "no connection");
  return call.outcome;
}

it("3,000 calls at once on 1,000 credits: exactly 1,000 are VALID, and none fails", { timeout: 60_000 }, async () => {
  const { key, consumerId } = await createKey({ credits: { limit: 1_000 } });
  const verdicts = await Promise.all(Array.from({ length: 3_000 }, (_, call) => validate(call % 2, key)));
  const valid = verdicts.filter(({ code }) => code === "VALID");
  expect(valid).toHaveLength(1_000);
  expect(new Set(valid.map(({ credits }) => credits?.used)).size).toBe(1_000);
  expect(new Set(verdicts.map(({ code }) => code))).toEqual(new Set(["VALID", "USAGE_EXCEEDED"]));
  for (const node of [0, 1]) {
    expect((await ok(node, "/consumer/details", { consumerId })).credits).toMatchObject({ used: 1_000, remaining: 0 });
  }
});

it("a limit of 100 per 10 s: exactly 100 pass in each of two windows", { timeout: 60_000 }, async () => {
  const [limit, windowMs, callers, enough] = [100, 10_000, 16, 20];
  const { key } = await createKey({ rateLimit: { limit, window: windowMs / 1_000 } });
  const passed = new Map<number, number>();
  const refused = new Map<number, number>();
  const callUntil = async (node: number, isEnough: () => boolean) => {
    while (!isEnough()) {
      const { code, rateLimit } = await validate(node, key);
      const counts = code === "VALID" ? passed : refused;
      const resetAt = rateLimit?.resetAt ?? 0;
      counts.set(resetAt, (counts.get(resetAt) ?? 0) + 1);
    }
  };
  const callAll = async (isEnough: () => boolean) => {
    await Promise.all(Array.from({ length: callers }, (_, caller) => callUntil(caller % 2, isEnough)));
  };
  // The first window must not end before it is full.
  const leftMs = windowMs - (nowMs() % windowMs);
  if (leftMs < 4_000) await sleep(leftMs + 1);
  const boundary = Math.ceil(nowMs() / windowMs) * windowMs;
  await callAll(() => (refused.get(boundary) ?? 0) >= enough || nowMs() > boundary);
  await sleep(Math.max(0, boundary - nowMs() - 300));
  await callAll(() => (refused.get(boundary + windowMs) ?? 0) >= enough || nowMs() > boundary + windowMs);
  // Callers whose last call was under way when it was enough may have begun a third.
  const counts = [boundary, boundary + windowMs].map((resetAt) => passed.get(resetAt));
  expect(counts).toEqual([limit, limit]);
  expect(Math.max(...passed.values())).toBe(limit);
});

it.each([
  ["disabling the consumer", "CONSUMER_DISABLED", "/consumer/update", { status: "disabled" }],
  ["disabling the key", "KEY_DISABLED", "/key/update", { enabled: false }],
  ["rotating the key", "NOT_FOUND", "/key/rotate", {}],
  ["deleting the key", "NOT_FOUND", "/key/delete", {}],
])("%s on one node binds the very next call on the other", async (_title, code, path, change) => {
  for (let round = 0; round < 10; round++) {
    const { consumerId, keyId, key } = await createKey({ credits: { limit: 1_000 } });
    for (let call = 0; call < 3; call++) expect((await validate(1, key)).code).toBe("VALID");
    const target = path.startsWith("/consumer") ? { consumerId } : { keyId };
    await ok(0, path, { ...target, ...change });
    expect((await validate(1, key)).code).toBe(code);
  }
});
