import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ReplicaSet, startReplicaSet } from "../harness/replica-set.ts";
import { residentMemoryKb } from "../harness/resident-memory.ts";
import { failuresOf, type NodeName, type Scenario, startScenario } from "./fault-scenario.ts";

/** 30 is what is promised; without it the load lasts 20 s, which is too short to say anything about memory. */
const MINUTES = Number(process.env.FAULTS_MINUTES ?? 0);
const DURATION_MS = MINUTES > 0 ? MINUTES * 60_000 : 20_000;
const SAMPLE_MS = 1_000;
/** Of the memory of the middle third. */
const GROWTH_MAX = 1.1;

let set: ReplicaSet;
let scenario: Scenario;
beforeAll(async () => {
  set = await startReplicaSet();
  // The records of every call are kept: in a long load, the clients pause.
  scenario = await startScenario(set, { scale: Math.ceil(DURATION_MS / 20_000), ...(MINUTES > 0 && { pauseMs: 50 }) });
});
afterAll(async () => {
  await scenario.close();
  await set.stop();
});

const mean = (samples: number[]) => samples.reduce((sum, sample) => sum + sample, 0) / samples.length;

it("mixed load: no call fails, memory stays flat, and the ledger is exact", {
  timeout: DURATION_MS + 120_000,
}, async () => {
  const samples: Record<NodeName, number[]> = { a: [], b: [] };
  for (const endMs = performance.now() + DURATION_MS; performance.now() < endMs; await sleep(SAMPLE_MS)) {
    for (const name of ["a", "b"] as const) samples[name].push(residentMemoryKb(scenario.nodes[name]));
  }
  await scenario.expectExactLedger();
  expect(failuresOf(scenario.load)).toEqual([]);
  const thirds = Object.entries(samples).map(([name, memory]) => {
    const third = Math.floor(memory.length / 3);
    return { name, means: [0, 1, 2].map((part) => Math.round(mean(memory.slice(part * third, (part + 1) * third)))) };
  });
  for (const { name, means } of thirds) process.stderr.write(`${name}: ${means.join(", ")} KB in thirds of the load\n`);
  if (MINUTES === 0) return;
  for (const { name, means } of thirds) {
    const [, middle = 0, last = 0] = means;
    expect(last / middle, `memory of ${name}`).toBeLessThan(GROWTH_MAX);
  }
});
