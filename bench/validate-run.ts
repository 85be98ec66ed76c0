import { createBenchClient } from "./http-client.ts";
import { type LoadPlan, type LoadResult, runLoad } from "./load.ts";
import { type BenchServer, residentMb, startControl, startService } from "./servers.ts";
import { type Case, CONNECTIONS, POPULATIONS, type Population } from "./validate-cases.ts";
import { type Filled, openValidateDatabase, type ValidateDatabase } from "./validate-database.ts";
import type { Sample } from "./validate-report.ts";

export interface RunOptions {
  uri: string;
  /** For files that are gone when the run is over. */
  dataDir: string;
  /** How many keys the database grows to. */
  keys: number;
  hasWrk: boolean;
  warmUpSeconds: number;
  seconds: number;
  signal: AbortSignal;
  /** Takes lines for people. */
  print: (line: string) => void;
}

const PROJECT_KEY = "project-key-of-the-benchmark";
const CHECKED_KEYS = 20;
/** In the order in which they are measured. */
const SERVERS = ["control", "http-only", "durable", "two-nodes", "buffered", "control", "base", "grown"] as const;

/** The populations of the cases that were filled so far. */
type Populations = Map<Population, Filled>;

/** Measures cases, each at every number of connections: one server after the other, and the control once more. */
export async function measureCases(cases: readonly Case[], options: RunOptions): Promise<Sample[]> {
  const settings = {
    KEYSVC_MONGODB_URI: options.uri,
    KEYSVC_SECRET: "secret-of-the-benchmark",
    KEYSVC_ADMIN_KEY: "admin-key-of-the-benchmark",
    KEYSVC_PROJECT_KEY: PROJECT_KEY,
    KEYSVC_DATA_DIR: options.dataDir,
  };
  const database = await openValidateDatabase(settings, options.dataDir);
  const populations: Populations = new Map();
  const samples: Sample[] = [];
  try {
    for (const server of SERVERS) {
      const own = cases.filter((one) => one.server === server);
      if (own.length === 0) continue;
      await fill(database, own, populations, options);
      samples.push(...(await measureOn(() => startNodes(server, settings), own, populations, database, options)));
    }
    return samples;
  } finally {
    await database.close();
  }
}

/** The nodes of a server, all on one database. */
async function startNodes(server: Case["server"], settings: Record<string, string>): Promise<BenchServer[]> {
  if (server === "control" || server === "http-only") {
    return [await startControl(settings.KEYSVC_MONGODB_URI ?? "", PROJECT_KEY, server === "http-only")];
  }
  const service = { ...settings, KEYSVC_ACTIVITY: server === "buffered" ? "buffered" : "durable" };
  return Promise.all(Array.from({ length: server === "two-nodes" ? 2 : 1 }, () => startService(service)));
}

/** Makes the populations that are missing, before the server starts which is to answer for them. */
async function fill(
  database: ValidateDatabase,
  cases: readonly Case[],
  populations: Populations,
  { keys, print, signal }: RunOptions,
): Promise<void> {
  for (const { population, server } of cases) {
    if (populations.has(population)) continue;
    if (population.startsWith("grown")) {
      print(`adding ${keys} consumers with a key each`);
      const called = Math.min(POPULATIONS["grown-uniform"].consumers, keys);
      const uniform = await database.fill("grown-uniform", keys, called, signal);
      populations.set("grown-uniform", uniform);
      populations.set("grown", await database.pick("grown", uniform, POPULATIONS.grown.consumers));
      continue;
    }
    const { consumers } = POPULATIONS[population];
    const filled = await database.fill(population, consumers, consumers, signal);
    populations.set(population, filled);
    if (server === "control") await database.fillControl(filled.keys);
  }
}

async function measureOn(
  start: () => Promise<BenchServer[]>,
  cases: readonly Case[],
  populations: Populations,
  database: ValidateDatabase,
  options: RunOptions,
): Promise<Sample[]> {
  options.signal.throwIfAborted();
  const nodes = await start();
  const samples: Sample[] = [];
  try {
    for (const one of cases) {
      const filled = populations.get(one.population);
      if (filled === undefined) throw new Error(`nobody filled ${one.population}`);
      for (const connections of CONNECTIONS) {
        const sample = await measure(
          one,
          connections,
          filled,
          { nodes, isCold: samples.length === 0 },
          database,
          options,
        );
        samples.push(sample);
        const { rps, p50Ms, p99Ms } = sample;
        const figures = `${Math.round(rps)} calls/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
        options.print(`${one.name}, ${connections} connections: ${figures}`);
      }
    }
    return samples;
  } finally {
    for (const node of nodes) await node.stop();
  }
}

async function measure(
  one: Case,
  connections: number,
  { keys, keysFile, consumerIds }: Filled,
  { nodes, isCold }: { nodes: readonly BenchServer[]; isCold: boolean },
  database: ValidateDatabase,
  { warmUpSeconds, seconds, hasWrk, signal }: RunOptions,
): Promise<Sample> {
  const { isValid, isCharged } = POPULATIONS[one.population];
  const load = (duration: number) => {
    const plan = { protocol: one.protocol, credential: PROJECT_KEY, keysFile, connections, seconds: duration };
    return runLoads(nodes, plan, hasWrk, signal);
  };
  for (const node of nodes) await checkVerdicts(node, keys, isValid);
  await load(isCold ? 2 * warmUpSeconds : warmUpSeconds);
  const isInLedger = isCharged && one.server !== "control";
  const usedBefore = isInLedger ? await database.settledCredits(consumerIds) : 0;
  const result = await load(seconds);
  const memoryMb = Math.max(...(await Promise.all(nodes.map(({ pid }) => residentMb(pid)))));
  const charged = isInLedger ? (await database.settledCredits(consumerIds)) - usedBefore : 0;
  for (const node of nodes) await checkVerdicts(node, keys, isValid);
  await database.drained();
  const { answered, failed, p50Ms, p99Ms } = result;
  const figures = { rps: answered / result.seconds, p50Ms, p99Ms, failed, memoryMb };
  return { name: one.name, connections, ...figures, unanswered: isInLedger ? charged - answered : null };
}

/** Puts the load on all nodes, evenly: calls are added, and of latencies the worst counts. */
async function runLoads(
  nodes: readonly BenchServer[],
  plan: Omit<LoadPlan, "port">,
  hasWrk: boolean,
  signal: AbortSignal,
): Promise<LoadResult> {
  const connections = plan.connections / nodes.length;
  const results = await Promise.all(
    nodes.map(({ port, grpcPort }) => {
      return runLoad({ ...plan, connections, port: plan.protocol === "grpc" ? grpcPort : port }, hasWrk, signal);
    }),
  );
  return results.reduce((sum, { answered, failed, seconds, p50Ms, p99Ms }) => ({
    answered: sum.answered + answered,
    failed: sum.failed + failed,
    seconds: Math.max(sum.seconds, seconds),
    p50Ms: Math.max(sum.p50Ms, p50Ms),
    p99Ms: Math.max(sum.p99Ms, p99Ms),
  }));
}

/** Throws when keys are not answered what the case is about: the load itself does not read what it gets. */
async function checkVerdicts({ port }: BenchServer, keys: readonly string[], isValid: boolean): Promise<void> {
  const client = createBenchClient(`http://127.0.0.1:${port}`, PROJECT_KEY);
  try {
    for (let check = 0; check < CHECKED_KEYS; check++) {
      const key = keys[Math.floor((check * keys.length) / CHECKED_KEYS)];
      const { valid } = await client.call("/key/validate", { key });
      if (valid !== isValid) throw new Error(`a key was answered valid: ${valid}`);
    }
  } finally {
    client.close();
  }
}
