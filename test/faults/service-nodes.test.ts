import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { clockAhead } from "../harness/clock-ahead.ts";
import { type ReplicaSet, startReplicaSet } from "../harness/replica-set.ts";
import { endureFault, failuresOf, type Scenario, type ScenarioOptions, startScenario } from "./fault-scenario.ts";

const PAUSE_MS = 3_000;
const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 120_000 + Number(process.env.FAULTS_SECONDS ?? 0) * 1_000;

let set: ReplicaSet;
let scenario: Scenario | undefined;
beforeAll(async () => {
  set = await startReplicaSet();
});
afterEach(async () => {
  await scenario?.close();
  scenario = undefined;
});
afterAll(async () => {
  await set.stop();
});

async function start(options: ScenarioOptions = {}): Promise<Scenario> {
  scenario = await startScenario(set, options);
  return scenario;
}

const endure = async (fault: () => Promise<void>) => scenario && endureFault(scenario, fault);

describe("under load with mixed costs, refills and rate windows", { timeout: TIMEOUT_MS }, () => {
  it("a node that is killed loses and doubles no charge, and its consumers are served by the other one", async () => {
    const { nodes, restart } = await start();
    await endure(async () => {
      await nodes.b.stop("SIGKILL");
      await sleep(1_000);
      await restart("b");
    });
  });

  it("a node that is paused loses and doubles no charge, and goes on when it wakes up", async () => {
    const { nodes } = await start();
    await endure(async () => {
      nodes.b.child.kill("SIGSTOP");
      await sleep(PAUSE_MS);
      nodes.b.child.kill("SIGCONT");
    });
  });

  it.each([
    ["ahead", HOUR_MS],
    ["behind", -HOUR_MS],
  ])("a node whose clock is an hour %s charges and refills by the database's clock", async (_title, ms) => {
    const { load } = await start({ only: { b: () => clockAhead(ms) } });
    await endure(() => sleep(0));
    expect(failuresOf(load)).toEqual([]);
  });
});
