import { readFileSync } from "node:fs";
import { openGrpcConnection } from "./grpc-connection.ts";
import { openHttpConnection } from "./http-connection.ts";
import type { LoadPlan, LoadResult } from "./load.ts";
import type { Calls, OpenConnection } from "./open-connection.ts";
import { percentile } from "./percentile.ts";

/** The load of a plan, its only argument, as JSON. Prints the result as JSON. */
const plan: LoadPlan = JSON.parse(process.argv[2] ?? "");
const keys = readFileSync(plan.keysFile, "utf8").trimEnd().split("\n");
const GRPC_CONNECTIONS = 8;

async function run(): Promise<LoadResult> {
  const latencies: number[] = [];
  let failed = 0;
  let at = 0;
  const calls: Calls = {
    next: () => at++ % keys.length,
    ended(startMs, isAnswered) {
      latencies.push(performance.now() - startMs);
      if (!isAnswered) failed++;
    },
  };
  const connections = plan.protocol === "grpc" ? Math.min(GRPC_CONNECTIONS, plan.connections) : plan.connections;
  const open: OpenConnection = plan.protocol === "grpc" ? openGrpcConnection : openHttpConnection;
  const startMs = performance.now();
  const open1 = () => open(plan, keys, calls, plan.connections / connections);
  const time = new Promise<void>((resolve) => setTimeout(resolve, 1_000 * plan.seconds));
  await Promise.race([time, ...Array.from({ length: connections }, open1)]);
  const elapsedMs = performance.now() - startMs;
  const corrected = withOmitted(latencies, (elapsedMs * plan.connections) / latencies.length);
  const [p50Ms, p99Ms] = [percentile(corrected, 0.5), percentile(corrected, 0.99)];
  return { answered: latencies.length - failed, failed, seconds: elapsedMs / 1_000, p50Ms, p99Ms };
}

/** Adds what callers would have waited who were kept from calling by a slow answer, as wrk does: the figures are compared. */
function withOmitted(latencies: readonly number[], intervalMs: number): number[] {
  const all = [...latencies];
  for (const latency of latencies) {
    if (latency < 2 * intervalMs) continue;
    for (let omitted = latency - intervalMs; omitted > intervalMs; omitted -= intervalMs) all.push(omitted);
  }
  return all;
}

process.stdout.write(`${JSON.stringify(await run())}\n`, () => process.exit(0));
