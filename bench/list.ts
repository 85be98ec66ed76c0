import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type BenchClient, createBenchClient } from "./http-client.ts";
import { percentile, timeMs } from "./percentile.ts";
import { startSeededService } from "./seeded-service.ts";

/**
 * `npm run bench:list`: lists over one project of many consumers, each case with total and filtered, and validates beside
 * them. Prints a table; `--json FILE` writes the same.
 */
interface Case {
  name: string;
  /** The longest that its p99 may be. */
  floorMs: number;
  query: object;
}

interface Result extends Case {
  filtered: number;
  p50Ms: number;
  p99Ms: number;
}

const { values } = parseArgs({
  options: {
    consumers: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "200" },
    json: { type: "string" },
  },
});
const consumers = Number(values.consumers);
const rounds = Number(values.rounds);
const VALIDATE_CONNECTIONS = 16;
const VALIDATE_MS = 15_000;

const print = (line: string) => process.stdout.write(`${line}\n`);

const middlePage = Math.max(1, Math.floor(consumers / 50));
const CASES: Case[] = [
  { name: "first page", floorMs: 150, query: {} },
  { name: "filter by status", floorMs: 150, query: { status: "disabled" } },
  { name: "filter by plan and status", floorMs: 150, query: { planId: "", status: "active" } },
  { name: `page ${middlePage}`, floorMs: 500, query: { page: middlePage } },
  { name: "search that hits few", floorMs: 500, query: { search: "" } },
  { name: "search that hits many", floorMs: 500, query: { search: "a" } },
  { name: "search for an id", floorMs: 500, query: { search: "" } },
  { name: "search, page by name", floorMs: 500, query: { search: "co", sortBy: "name", page: 100 } },
  { name: "sorted by name", floorMs: 500, query: { sortBy: "name", sortOrder: "asc" } },
  { name: "sorted by credits used", floorMs: 1_500, query: { sortBy: "creditsUsed" } },
  { name: "sorted by credits remaining", floorMs: 1_500, query: { sortBy: "creditsRemaining", sortOrder: "asc" } },
];

/** Fills in what is known only when the data is there. */
async function prepare(client: BenchClient): Promise<Case[]> {
  const page = await client.call("/consumer/list", { limit: 200 });
  const planId = page.consumers.find((consumer: { planId: string | null }) => consumer.planId)?.planId;
  const consumerId: string = page.consumers[0].consumerId;
  const name = page.consumers.find((consumer: { name: string | null }) => (consumer.name ?? "").length > 12)?.name;
  return CASES.map((one) => ({
    ...one,
    query: {
      ...one.query,
      ...("planId" in one.query && { planId }),
      ...(one.name === "search that hits few" && { search: name.slice(1).toLowerCase() }),
      ...(one.name === "search for an id" && { search: consumerId.slice(12).toUpperCase() }),
    },
  }));
}

async function measure(client: BenchClient, one: Case): Promise<Result> {
  const samples: number[] = [];
  let filtered = 0;
  for (let round = 0; round < rounds; round++) {
    samples.push(
      await timeMs(async () => {
        ({ filtered } = await client.call("/consumer/list", one.query));
      }),
    );
  }
  return { ...one, filtered, p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99) };
}

/** Latencies of charged validates over several connections, with other work beside them. */
async function validate(client: BenchClient, keys: string[], beside?: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  const endMs = performance.now() + VALIDATE_MS;
  const isRunning = () => performance.now() < endMs;
  const connection = async (number: number) => {
    for (let call = number; isRunning(); call++) {
      const key = keys[call % keys.length];
      samples.push(await timeMs(() => client.call("/key/validate", { key })));
    }
  };
  const lists = async () => {
    while (beside !== undefined && isRunning()) await beside();
  };
  await Promise.all([...Array.from({ length: VALIDATE_CONNECTIONS }, (_, number) => connection(number)), lists()]);
  return samples;
}

async function makeKeys(client: BenchClient): Promise<string[]> {
  const make = async () => {
    const { consumerId } = await client.call("/consumer/create", { name: "validated", credits: { limit: 1_000_000 } });
    return (await client.call("/key/create", { consumerId })).key;
  };
  const keys: string[] = [];
  for (let number = 0; number < 200; number++) keys.push(await make());
  return keys;
}

const { service, projectKey, stop } = await startSeededService(consumers);
const client = createBenchClient(service.url, projectKey);
try {
  const coldMs = await timeMs(() => client.call("/consumer/list", {}));
  print(`first list after the start: ${Math.round(coldMs)} ms`);
  const results: Result[] = [];
  const cases = await prepare(client);
  for (const one of cases) {
    const result = await measure(client, one);
    results.push(result);
    const verdict = result.p99Ms <= one.floorMs ? "" : "  TOO SLOW";
    print(
      `${result.name.padEnd(30)} filtered ${String(result.filtered).padStart(8)}   p50 ${result.p50Ms.toFixed(1).padStart(7)} ms` +
        `   p99 ${result.p99Ms.toFixed(1).padStart(7)} ms   floor ${one.floorMs} ms${verdict}`,
    );
  }
  const keys = await makeKeys(client);
  const queries = cases.map(({ query }) => query);
  let next = 0;
  const beside = () => client.call("/consumer/list", queries[next++ % queries.length] ?? {});
  // Warm first, so that the quiet figure is not that of a cold start.
  await validate(client, keys);
  const quiet = await validate(client, keys);
  const busy = await validate(client, keys, beside);
  const p99 = { quietMs: percentile(quiet, 0.99), besideListsMs: percentile(busy, 0.99) };
  print(
    `validates, ${VALIDATE_CONNECTIONS} connections: p99 ${p99.quietMs.toFixed(1)} ms quiet, ${p99.besideListsMs.toFixed(1)} ms beside ` +
      `${next} lists (${(p99.besideListsMs / p99.quietMs).toFixed(2)} times); ${quiet.length} and ${busy.length} calls in ${VALIDATE_MS / 1_000} s`,
  );
  if (values.json)
    await writeFile(values.json, JSON.stringify({ consumers, coldMs, cases: results, validates: p99 }, null, 2));
} finally {
  client.close();
  await stop();
}
