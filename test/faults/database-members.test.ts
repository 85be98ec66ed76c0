import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, it } from "vitest";
import { type ReplicaSet, startReplicaSet } from "../harness/replica-set.ts";
import { startTcpProxy, type TcpProxy } from "../harness/tcp-proxy.ts";
import { endureFault, type Scenario, startScenario } from "./fault-scenario.ts";

const PARTITION_MS = 4_000;
const TIMEOUT_MS = 120_000 + Number(process.env.FAULTS_SECONDS ?? 0) * 1_000;

let set: ReplicaSet;
let proxy: TcpProxy | undefined;
let scenario: Scenario | undefined;
beforeAll(async () => {
  set = await startReplicaSet();
});
afterEach(async () => {
  await scenario?.close();
  scenario = undefined;
  await proxy?.close();
  proxy = undefined;
});
afterAll(async () => {
  await set.stop();
});

/** Both nodes on the primary, the second one through the proxy alone. */
async function startBehindProxy(): Promise<{ proxy: TcpProxy; scenario: Scenario }> {
  const between = await startTcpProxy((await set.primary()).port);
  proxy = between;
  const uri = (database: string) => `mongodb://127.0.0.1:${between.port}/${database}?directConnection=true`;
  scenario = await startScenario(set, { only: { b: (database) => ({ KEYSVC_MONGODB_URI: uri(database) }) } });
  return { proxy: between, scenario };
}

describe("under load with mixed costs, refills and rate windows", { timeout: TIMEOUT_MS }, () => {
  it("a primary that is killed takes no answered charge with it, and the next one goes on", async () => {
    scenario = await startScenario(set);
    await endureFault(scenario, async () => {
      const primary = await set.primary();
      await set.kill(primary);
      await set.primary();
      await set.restart(primary);
    });
  });

  it.each(["cut", "frozen"] as const)(
    "a node whose way to the database is %s loses and doubles no charge, and goes on when it is back",
    async (passage) => {
      const started = await startBehindProxy();
      await endureFault(started.scenario, async () => {
        started.proxy.setPassage(passage);
        await sleep(PARTITION_MS);
        started.proxy.setPassage("open");
      });
    },
  );

  it("a node whose way to the database is slow is exact all the same", async () => {
    const started = await startBehindProxy();
    started.proxy.setDelay(20);
    await endureFault(started.scenario, () => sleep(0));
  });
});
