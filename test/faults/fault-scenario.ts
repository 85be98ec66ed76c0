import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { expect } from "vitest";
import { type ServiceProcess, startProcess } from "../harness/process.ts";
import type { ReplicaSet } from "../harness/replica-set.ts";
import { PROJECT_KEY, SECRET } from "../harness/service.ts";
import { groupBy } from "./charges.ts";
import { checkLedger } from "./check-ledger.ts";
import { type Load, startLoad } from "./load.ts";
import { type Customer, createMixedConsumers } from "./mixed-consumers.ts";
import { readLedger } from "./read-ledger.ts";
import { nowMs, openValidateClient } from "./validate-client.ts";

/** How long each scenario goes on with its fault, again and again. */
const FAULT_SECONDS = Number(process.env.FAULTS_SECONDS ?? 4);
/** Load before each fault, and after the last. */
const CALM_MS = 2_000;
/** From the end of a fault until a node gives a verdict for every consumer again. */
const SERVING_MAX_MS = 5_000;
const SERVING_POLL_MS = 50;
const LONG_TRANSACTION_MICROS = 2_000_000;
/** Until the load begins, after the consumers are made and both nodes are started. */
const FIRST_REFILL_MS = 6_000;

export type NodeName = "a" | "b";

export interface ScenarioOptions {
  /** Settings and environment of one node alone. */
  only?: Partial<Record<NodeName, (database: string) => Record<string, string>>>;
  clientsPerNode?: number;
  pauseMs?: number;
  /** Of the pools. */
  scale?: number;
}

/** Two nodes of the service on a database of their own in a replica set, and clients of both. */
export interface Scenario {
  nodes: Record<NodeName, ServiceProcess>;
  customers: readonly Customer[];
  load: Load;
  /** Starts a node that has ended, on the port that it had. */
  restart(name: NodeName): Promise<void>;
  /** Waits until a node has given a verdict for every consumer. */
  untilServing(name: NodeName): Promise<void>;
  /** Stops the load, and expects that clients and database agree. */
  expectExactLedger(): Promise<void>;
  close(): Promise<void>;
}

export async function startScenario(set: ReplicaSet, options: ScenarioOptions = {}): Promise<Scenario> {
  const database = `faults_${randomBytes(6).toString("hex")}`;
  const client = await MongoClient.connect(set.uri(database));
  const db = client.db(database);
  const settingsOf = (name: NodeName) => ({
    ...{ KEYSVC_MONGODB_URI: set.uri(database), KEYSVC_PROJECT_KEY: PROJECT_KEY, KEYSVC_SECRET: SECRET },
    KEYSVC_LOG_LEVEL: "info",
    ...options.only?.[name]?.(database),
  });
  const started: ServiceProcess[] = [];
  const start = async (name: NodeName, more: Record<string, string> = {}): Promise<ServiceProcess> => {
    const node = await startProcess({ ...settingsOf(name), ...more });
    started.push(node);
    return node;
  };
  const endAll = async () => {
    await Promise.all(started.map((node) => node.stop("SIGKILL")));
    await client.close();
  };
  const prepare = async () => {
    const first = await start("a");
    const made = await createMixedConsumers(first, db, Math.floor(nowMs()) + FIRST_REFILL_MS, options.scale);
    // Nodes that have never seen the consumers: what was written to the database directly would not reach this one.
    await first.stop("SIGTERM");
    return { customers: made, nodes: { a: await start("a"), b: await start("b") } };
  };
  const { customers, nodes } = await prepare().catch(async (error: unknown) => {
    await endAll();
    throw error;
  });
  const load = startLoad({ ...options, customers, nodes: { a: () => nodes.a.url, b: () => nodes.b.url } });

  return {
    nodes,
    customers,
    load,
    async restart(name) {
      nodes[name] = await start(name, { KEYSVC_PORT: String(nodes[name].port) });
    },
    untilServing: (name) =>
      untilServing(name, () => nodes[name].url, customers, load).catch(async (error: Error) => {
        throw new Error(`${error.message}; transactions left open: ${await openTransactions(client)}`);
      }),
    async expectExactLedger() {
      await load.stop();
      report(load);
      expectKnownFailures(load, nodes);
      expect(checkLedger(await readLedger(db, customers, load.calls))).toEqual([]);
    },
    async close() {
      await Promise.all([load.stop(), endAll()]);
    },
  };
}

async function untilServing(
  name: NodeName,
  url: () => string,
  customers: readonly Customer[],
  load: Load,
): Promise<void> {
  const startMs = performance.now();
  const probe = openValidateClient({ client: -1, node: name, url, connectionsMax: customers.length });
  const ask = async ({ key, terms: { consumerId } }: Customer): Promise<void> => {
    while (performance.now() - startMs < SERVING_MAX_MS) {
      const call = await probe.validate({ key, consumerId, cost: 1 });
      if (call !== undefined) load.calls.push(call);
      if (call?.outcome.kind === "verdict") return;
      await sleep(SERVING_POLL_MS);
    }
    throw new Error(`${name} did not serve ${consumerId} again within ${SERVING_MAX_MS} ms`);
  };
  try {
    await Promise.all(customers.map(ask));
  } finally {
    probe.close();
  }
  process.stderr.write(`${name} serves all consumers after ${Math.ceil(performance.now() - startMs)} ms\n`);
}

/** Transactions that have been open for long, with what began them: those of a node that died hold its consumers. */
async function openTransactions(client: MongoClient): Promise<string> {
  const found = await client
    .db("admin")
    .aggregate([
      { $currentOp: { allUsers: true, idleSessions: true } },
      { $match: { "transaction.timeOpenMicros": { $gt: LONG_TRANSACTION_MICROS } } },
    ])
    .toArray();
  return JSON.stringify(
    found.map(({ type, appName, client: from, transaction }) => ({ type, appName, from, transaction })),
  );
}

/**
 * The course of every scenario: the fault again and again under load, both nodes serving after it, credits granted by both
 * again, and an exact ledger.
 *
 * @param fault makes the fault and heals it
 */
export async function endureFault(scenario: Scenario, fault: () => Promise<void>): Promise<void> {
  const endMs = performance.now() + FAULT_SECONDS * 1_000;
  do {
    await sleep(CALM_MS);
    await fault();
    for (const name of ["a", "b"] as const) await scenario.untilServing(name);
  } while (performance.now() < endMs);
  const healedMs = nowMs();
  await sleep(CALM_MS);
  await scenario.expectExactLedger();
  const later = scenario.load.calls.filter(({ startMs }) => startMs > healedMs);
  const charged = later.filter(({ outcome }) => outcome.kind === "verdict" && (outcome.credits?.cost ?? 0) > 0);
  for (const name of ["a", "b"]) expect(charged.filter(({ node }) => node === name).length).toBeGreaterThan(10);
}

/** Calls of nodes that got no verdict. */
export function failuresOf({ calls }: Load, node?: NodeName): string[] {
  return calls.flatMap((call) => {
    const isAsked = node === undefined || call.node === node;
    return isAsked && call.outcome.kind === "failure" ? [`${call.outcome.reason} at ${call.startMs}`] : [];
  });
}

/** What is said of a connection that broke, whichever side of it was about to do something. */
const BROKEN = ["ECONNRESET", "EPIPE", "socket hang up"];

/** Calls may fail by 503 with Retry-After and by a connection that broke; everything else is a fault of the service. */
function expectKnownFailures({ calls }: Load, nodes: Scenario["nodes"]): void {
  const unknown = calls.flatMap(({ outcome }) => {
    if (outcome.kind !== "failure" || BROKEN.includes(outcome.reason)) return [];
    return outcome.reason.startsWith("503 ") && Number(outcome.retryAfter) >= 1 ? [] : [outcome];
  });
  const logged = [nodes.a, nodes.b].flatMap((node) => node.output().split("\n"));
  const lines = unknown.flatMap(({ requestId = "?" }) => logged.filter((line) => line.includes(requestId)));
  expect({ unknown, lines }).toEqual({ unknown: [], lines: [] });
}

/** Tells people what happened. */
function report({ calls }: Load): void {
  const what = ({ node, outcome }: Load["calls"][number]) =>
    `${node} ${outcome.kind === "verdict" ? outcome.code : outcome.reason}`;
  const counts = [...groupBy(calls, what)].map(([name, same]) => `${name}: ${same.length}`).sort();
  const slowest = Math.max(0, ...new Set(calls.map(({ startMs, endMs }) => Math.ceil(endMs - startMs))));
  const title = expect.getState().currentTestName;
  process.stderr.write(`${title}\n  ${calls.length} calls, the slowest took ${slowest} ms; ${counts.join(", ")}\n`);
}
