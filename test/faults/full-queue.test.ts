import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ServiceProcess } from "../harness/process.ts";
import { type ReplicaSet, startReplicaSet } from "../harness/replica-set.ts";
import { residentMemoryKb } from "../harness/resident-memory.ts";
import { type Scenario, startScenario } from "./fault-scenario.ts";
import type { Call } from "./ledger.ts";
import type { Customer } from "./mixed-consumers.ts";
import { openValidateClient } from "./validate-client.ts";

/** Far more than the service settles before it answers 503. */
const CALLS = 4_000;
/** The service answers within 3 s of reading a call; to connect and to read so many takes the rest. */
const ANSWER_MAX_MS = 12_000;
const MEMORY_GROWTH_MAX_KB = 400_000;
const SAMPLE_MS = 250;
const CALM_MS = 2_000;

let set: ReplicaSet;
let scenario: Scenario;
beforeAll(async () => {
  set = await startReplicaSet();
  scenario = await startScenario(set, { clientsPerNode: 2 });
});
afterAll(async () => {
  await scenario.close();
  await set.stop();
});

it("more calls than are taken while the database stands still are 503 with Retry-After, in bounded memory", {
  timeout: 120_000,
}, async () => {
  const { nodes, load, customers } = scenario;
  const customer = customers[0];
  if (customer === undefined) throw new Error("no customer");
  await scenario.untilServing("b");
  const before = residentMemoryKb(nodes.b);
  const refused: Call[] = [];
  let highest = before;
  set.pause(set.members);
  const sampling = setInterval(() => {
    highest = Math.max(highest, residentMemoryKb(nodes.b));
  }, SAMPLE_MS);
  try {
    refused.push(...(await callAtOnce(customer, nodes.b)));
  } finally {
    clearInterval(sampling);
    set.resume(set.members);
  }
  load.calls.push(...refused);
  expect(refused).toHaveLength(CALLS);
  for (const { outcome, startMs, endMs } of refused) {
    expect(outcome).toMatchObject({ kind: "failure", reason: expect.stringMatching(/^503 /) });
    expect(Number("retryAfter" in outcome && outcome.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(endMs - startMs).toBeLessThan(ANSWER_MAX_MS);
  }
  process.stderr.write(`memory: ${before} KB before, ${highest} KB at most\n`);
  expect(highest - before).toBeLessThan(MEMORY_GROWTH_MAX_KB);
  for (const name of ["a", "b"] as const) await scenario.untilServing(name);
  await sleep(CALM_MS);
  await scenario.expectExactLedger();
});

/** Each call has a connection of its own. */
async function callAtOnce({ key, terms: { consumerId } }: Customer, { url }: ServiceProcess): Promise<Call[]> {
  const client = openValidateClient({
    ...{ client: -2, node: "b", url: () => url, connectionsMax: Number.POSITIVE_INFINITY },
  });
  const calls = Array.from({ length: CALLS }, () => client.validate({ key, consumerId, cost: 1 }));
  const made = await Promise.all(calls);
  client.close();
  return made.filter((call) => call !== undefined);
}
