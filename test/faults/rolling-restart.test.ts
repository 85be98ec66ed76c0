import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { type HttpBalancer, startHttpBalancer } from "../harness/http-balancer.ts";
import type { ServiceProcess } from "../harness/process.ts";
import { PROJECT_KEY, postJson } from "../harness/service.ts";
import { replicatedNodes } from "./replicated-nodes.ts";
import { openValidateClient } from "./validate-client.ts";

const CALLERS = 16;
const CALM_MS = 1_000;
const TIMEOUT_MS = 120_000;
/** Long enough for a balancer that looks ten times a second, also where the machine is busy with others. */
const nodes = replicatedNodes({ KEYSVC_STOP_DELAY_SECONDS: "4" });

let balancer: HttpBalancer | undefined;
afterEach(async () => {
  await balancer?.close();
  balancer = undefined;
});

async function balance(running: readonly ServiceProcess[]): Promise<HttpBalancer> {
  balancer = await startHttpBalancer(() => running.map(({ url }) => url));
  return balancer;
}

async function ok(url: string, path: string, body: object) {
  const answer = await postJson(`${url}${path}`, body, PROJECT_KEY);
  expect(answer.status, path).toBe(200);
  return answer.body;
}

/** A consumer whose credits do not end, and its key. */
async function createConsumer(url: string): Promise<{ consumerId: string; key: string }> {
  const { consumerId } = await ok(url, "/consumer/create", { credits: { limit: 1_000_000 } });
  return { consumerId, key: (await ok(url, "/key/create", { consumerId })).key };
}

/** Callers that call at one address until they are told to stop, and what they were answered. */
function startCallers(url: string, key: string) {
  const counts = new Map<string, number>();
  const client = openValidateClient({ client: 0, node: "balancer", url: () => url, connectionsMax: CALLERS });
  let isOver = false;
  const call = async () => {
    while (!isOver) {
      const outcome = (await client.validate({ key, consumerId: "", cost: 1 }))?.outcome;
      const kind = outcome?.kind === "verdict" ? outcome.code : (outcome?.reason ?? "no connection");
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  };
  const calling = Promise.all(Array.from({ length: CALLERS }, call));
  return async () => {
    isOver = true;
    await calling;
    client.close();
    return Object.fromEntries(counts);
  };
}

it("a node is added, and both are replaced, one after the other: no call fails, each VALID is charged once, and all four answered", {
  timeout: TIMEOUT_MS,
}, async () => {
  const running = [await nodes.start("rolling")];
  const { url, until, sent } = await balance(running);
  const { consumerId, key } = await createConsumer(url);
  const endCalls = startCallers(url, key);
  for (const replaced of [undefined, 0, 1]) {
    await sleep(CALM_MS);
    const old = replaced === undefined ? undefined : running[replaced];
    if (old !== undefined) expect(await old.stop("SIGTERM")).toBe(0);
    const added = await nodes.start("rolling");
    running[replaced ?? 1] = added;
    await until(added.url, true);
  }
  await sleep(CALM_MS);
  const counts = await endCalls();
  expect(Object.keys(counts)).toEqual(["VALID"]);
  const { credits } = await ok(url, "/consumer/details", { consumerId });
  expect(credits.used).toBe(counts.VALID);
  expect(sent.size).toBe(4);
});

it("from SIGTERM on a node is not ready, and answers what still comes until the delay is over", {
  timeout: TIMEOUT_MS,
}, async () => {
  const node = await nodes.start("announced");
  const { url, until } = await balance([node]);
  const { key } = await createConsumer(node.url);
  const ended = node.stop("SIGTERM");
  await until(node.url, false);
  expect((await fetch(`${node.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${node.url}/healthz`)).status).toBe(200);
  expect((await ok(node.url, "/key/validate", { key })).code).toBe("VALID");
  // The balancer has nobody, and sends nothing there.
  expect((await postJson(`${url}/key/validate`, { key }, PROJECT_KEY)).status).toBe(503);
  expect(await ended).toBe(0);
});

it("both nodes answer every question alike, whichever of them the events came through", {
  timeout: TIMEOUT_MS,
}, async () => {
  const running = await Promise.all([nodes.start("alike"), nodes.start("alike")]);
  const { url } = await balance(running);
  const { key } = await createConsumer(url);
  const startTime = new Date(Date.now() - 120_000).toISOString();
  const served = Array.from({ length: 40 }, (_, index) => ({
    ...{ requestId: `served-${index}`, method: index % 3 === 0 ? "POST" : "GET", path: `/v1/${index % 5}` },
    ...{ statusCode: index % 4 === 0 ? 500 : 200, latencyMs: index, timestamp: String(Date.now() - 1_000 * index) },
  }));
  for (const event of served) await ok(url, "/ingest", { events: [event] });
  for (let call = 0; call < 20; call++) await ok(url, "/key/validate", { key });
  const window = { startTime, endTime: new Date(Date.now() + 60_000).toISOString() };
  for (const [source, total] of [
    ["api_traffic", served.length],
    ["key_activity", 20],
  ] as const) {
    const questions: [string, object][] = [
      ["/analytics/stats", {}],
      ["/analytics/stats/details", { card: "latency" }],
      ["/analytics/timeseries", {}],
      ["/analytics/breakdown", { dimension: "endpoint" }],
      ["/analytics/logs", { pageSize: 200 }],
    ];
    for (const [path, more] of questions) {
      const [one, other] = await Promise.all(running.map((node) => ok(node.url, path, { source, ...window, ...more })));
      expect({ path, ...other }).toEqual({ path, ...one });
      if (path === "/analytics/stats") expect(one.stats.totalRequests).toBe(total);
      if (path === "/analytics/logs") expect(one.rows).toHaveLength(total);
    }
  }
});
