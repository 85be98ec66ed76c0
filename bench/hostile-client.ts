import { randomBytes } from "node:crypto";
import { requestOf } from "./http-connection.ts";
import { startPacedCalls } from "./paced-connections.ts";
import { percentile } from "./percentile.ts";
import { openSlowConnections } from "./slow-connections.ts";

/** What one process does to a service, its only argument, as JSON. It prints what came of it when its input ends. */
export type HostilePlan =
  | {
      kind: "valid" | "wrong";
      port: number;
      callsPerSecond: number;
      connections: number;
      credential: string;
      keys: string[];
    }
  | { kind: "slow"; port: number; connections: number; credential: string };

/** Of calls. */
export interface CallFigures {
  seconds: number;
  /** How many answers there were of each status. */
  byStatus: Record<string, number>;
  broken: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** Calls of the first moments are not counted: connections are opened, code is compiled. */
const SETTLING_MS = 1_000;
const plan: HostilePlan = JSON.parse(process.argv[2] ?? "");

function startCalls(calls: Exclude<HostilePlan, { kind: "slow" }>): () => CallFigures {
  const startMs = performance.now() + SETTLING_MS;
  const latencies: number[] = [];
  const byStatus: Record<string, number> = {};
  let broken = 0;
  let at = 0;
  const nextKey = () => calls.keys[at++ % calls.keys.length] ?? "";
  const nextCredential = calls.kind === "valid" ? () => calls.credential : wrongCredential;
  startPacedCalls(calls, {
    next: () => requestOf(nextKey(), calls.port, nextCredential()),
    ended(elapsedMs, status) {
      if (performance.now() < startMs) return;
      latencies.push(elapsedMs);
      byStatus[status] = (byStatus[status] ?? 0) + 1;
    },
    broken: () => broken++,
  });
  return () => ({
    seconds: (performance.now() - startMs) / 1_000,
    byStatus,
    broken,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    maxMs: percentile(latencies, 1),
  });
}

/** Never one twice; every other one of the form that the service gives its own. */
function wrongCredential(): string {
  const text = randomBytes(32).toString("base64url");
  return text.charCodeAt(0) % 2 === 0 ? `proj_${text}` : text.slice(0, 24);
}

const figures = plan.kind === "slow" ? openSlowConnections(plan) : startCalls(plan);
process.stdin.resume();
process.stdin.once("end", () => {
  process.stdout.write(`${JSON.stringify(figures())}\n`, () => process.exit(0));
});
