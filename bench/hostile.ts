import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { CallFigures, HostilePlan } from "./hostile-client.ts";
import { createBenchClient } from "./http-client.ts";
import { type BenchSurroundings, runBench } from "./run-bench.ts";
import { type BenchServer, startService } from "./servers.ts";
import type { SlowFigures } from "./slow-connections.ts";

/**
 * `npm run bench:hostile`: how long valid callers of /key/validate wait, alone and beside slow connections and wrong
 * credentials. Ends with 1 when their p99 is more than three times that of the quiet.
 */
const USAGE = `usage: npm run bench:hostile -- [options]

  --json FILE     writes the figures
  --valid N       valid calls a second (default 300)
  --wrong N       wrong credentials a second (default 10000)
  --slow N        slow connections (default 1000)
  --seconds N     how long each part is measured (default 20)
  --help          shows this
`;
const CREDENTIAL = "project-key-of-the-benchmark";
const SECRET = "master-secret-of-the-benchmark";
const CONSUMERS = 100;
const VALID_CONNECTIONS = 64;
/** More than answers can be waited for at the rate: a look-up of strangers takes 10 ms and more. */
const WRONG_CONNECTIONS = 512;
/** p99 beside hostile callers, at most so many times that of the quiet. */
const RATIO_MAX = 3;
const WARM_UP_MS = 8_000;
/** Until all that is hostile is under way. */
const ONSET_MS = 4_000;
const CLIENT = resolve(import.meta.dirname, "hostile-client.ts");

function readArguments() {
  const { values } = parseArgs({
    options: {
      json: { type: "string" },
      valid: { type: "string", default: "300" },
      wrong: { type: "string", default: "10000" },
      slow: { type: "string", default: "1000" },
      seconds: { type: "string", default: "20" },
      help: { type: "boolean", default: false },
    },
  });
  const [valid = 0, wrong = 0, slow = 0, seconds = 0] = [values.valid, values.wrong, values.slow, values.seconds].map(
    Number,
  );
  return { json: values.json, help: values.help, isOwnLoad: true, valid, wrong, slow, seconds };
}

/** A process that calls the service, until it is told to say what came of it. */
interface Client<Figures> {
  end(): Promise<Figures>;
}

function startClient<Figures>(plan: HostilePlan, signal: AbortSignal): Client<Figures> {
  const child: ChildProcess = spawn(process.execPath, [CLIENT, JSON.stringify(plan)], {
    stdio: ["pipe", "pipe", "inherit"],
    signal,
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
  // Its end is waited for in end(); a failure before that is told there.
  ended.catch(() => undefined);
  return {
    async end() {
      child.stdin?.end();
      await ended;
      return JSON.parse(output);
    },
  };
}

async function makeKeys(port: number): Promise<string[]> {
  const client = createBenchClient(`http://127.0.0.1:${port}`, CREDENTIAL);
  const make = async () => {
    const { consumerId } = await client.call("/consumer/create", { name: "bench", credits: { limit: 1e12 } });
    return (await client.call("/key/create", { consumerId })).key;
  };
  const keys = await Promise.all(Array.from({ length: CONSUMERS }, make));
  client.close();
  return keys;
}

async function measure({ uri, dataDir, print, signal }: BenchSurroundings): Promise<object> {
  const settings = { KEYSVC_MONGODB_URI: uri, KEYSVC_DATA_DIR: dataDir, KEYSVC_SECRET: SECRET };
  const service = await startService({ ...settings, KEYSVC_PROJECT_KEY: CREDENTIAL, KEYSVC_LOG_LEVEL: "info" });
  try {
    return await compare(service, print, signal);
  } finally {
    await service.stop();
  }
}

async function compare({ port }: BenchServer, print: (line: string) => void, signal: AbortSignal): Promise<object> {
  const { valid, wrong, slow, seconds } = readArguments();
  const keys = await makeKeys(port);
  const calling = { port, credential: CREDENTIAL, keys };
  const measureValid = async (ms: number): Promise<CallFigures> => {
    const client = startClient<CallFigures>(
      { ...calling, kind: "valid", connections: VALID_CONNECTIONS, callsPerSecond: valid },
      signal,
    );
    await sleep(ms, undefined, { signal });
    return client.end();
  };
  await measureValid(WARM_UP_MS);
  const quiet = await measureValid(1_000 * seconds);
  print(describe("valid calls, alone", quiet));
  const wrongClient = startClient<CallFigures>(
    { ...calling, kind: "wrong", connections: WRONG_CONNECTIONS, callsPerSecond: wrong },
    signal,
  );
  const slowClient = startClient<SlowFigures>(
    { kind: "slow", port, connections: slow, credential: CREDENTIAL },
    signal,
  );
  await sleep(ONSET_MS, undefined, { signal });
  const beside = await measureValid(1_000 * seconds);
  print(describe("valid calls, beside what is hostile", beside));
  const refused = await wrongClient.end();
  const slowFigures = await slowClient.end();
  print(describe("wrong credentials", refused));
  print(`slow connections: ${slow} held, ${slowFigures.opened} opened, ${slowFigures.ended} ended by the service`);
  const ratio = beside.p99Ms / quiet.p99Ms;
  print(`p99 of valid calls: ${ratio.toFixed(2)} times that of the quiet; at most ${RATIO_MAX} is good`);
  const isServed = isAllOk(quiet) && isAllOk(beside) && ratio <= RATIO_MAX;
  if (!isServed) process.exitCode = 1;
  return { quiet, beside, refused, slow: slowFigures, ratio };
}

function isAllOk({ byStatus, broken }: CallFigures): boolean {
  return broken === 0 && Object.keys(byStatus).join() === "200";
}

function describe(name: string, { byStatus, broken, seconds, p50Ms, p99Ms, maxMs }: CallFigures): string {
  const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  const statuses = Object.entries(byStatus).map(([status, count]) => `${count} × ${status}`);
  const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, longest ${maxMs.toFixed(0)} ms`;
  return `${name}: ${Math.round(total / seconds)}/s (${statuses.join(", ")}; ${broken} broken), ${times}`;
}

runBench(USAGE, readArguments, measure);
