/**
 * `node test/compare-goaccess.ts`: replays the access log, and compares the hits that the analytics count with those that
 * goaccess counts, which has to be installed. Ends with 1 when they differ.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readConfig } from "../src/config.ts";
import { windowUpTo } from "../src/demo/analytics-answers.ts";
import { compareCounts } from "../src/demo/compare-counts.ts";
import { expectationOf } from "../src/demo/expectation.ts";
import { generateAccessLog } from "../src/demo/generate-access-log.ts";
import { ingestTraffic } from "../src/demo/ingest-traffic.ts";
import { loadTraffic, type Traffic } from "../src/demo/load-traffic.ts";
import { startOwnService } from "../src/demo/own-service.ts";
import { CONCURRENCY, createConsumers, replayRequests } from "../src/demo/replay.ts";
import { createServiceClient, type ServiceClient } from "../src/demo/service-client.ts";
import { shiftOf, trafficEventsOf } from "../src/demo/traffic-event.ts";

type Hits = Map<string, number>;
type Dimension = "endpoint" | "method" | "statusCode" | "clientIp";

interface Panel {
  data: { hits: { count: number }; data: string; method: string; items?: Panel["data"] }[];
}

const DIMENSIONS: Dimension[] = ["endpoint", "method", "statusCode", "clientIp"];
/** Every request is in one of these: goaccess keeps those of files, and those that found nothing, apart. */
const REQUEST_PANELS = ["requests", "static_requests", "not_found"];
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const NEVER = new AbortController().signal;

function add(hits: Hits, name: string, count: number): void {
  hits.set(name, (hits.get(name) ?? 0) + count);
}

/** @param options `--no-query-string`, or nothing: paths with their queries */
function countByGoaccess(log: string, ...options: string[]): Record<Dimension, Hits> {
  const format = ["--log-format=COMBINED", "--no-global-config", "--max-items=1000000", "--output-format=json"];
  const { stdout, error, status } = spawnSync("goaccess", ["-", ...format, ...options], {
    input: log,
    maxBuffer: 2 ** 30,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`goaccess ended with ${status}`);
  // It writes the bytes of paths as they are decoded, which need not be UTF-8.
  const report = JSON.parse(stdout.toString("latin1")) as Record<string, Panel>;
  const hits: Record<Dimension, Hits> = {
    ...{ endpoint: new Map(), method: new Map(), statusCode: new Map(), clientIp: new Map() },
  };
  for (const entry of REQUEST_PANELS.flatMap((panel) => report[panel]?.data ?? [])) {
    add(hits.endpoint, entry.data, entry.hits.count);
    add(hits.method, entry.method, entry.hits.count);
  }
  for (const entry of report.hosts?.data ?? []) add(hits.clientIp, entry.data, entry.hits.count);
  // Such as `404 - Not Found: …`, within classes.
  for (const entry of (report.status_codes?.data ?? []).flatMap(({ items = [] }) => items)) {
    add(hits.statusCode, entry.data.slice(0, 3), entry.hits.count);
  }
  return hits;
}

/** Paths as goaccess names them: percent signs decoded into bytes, and without space around. */
function asGoaccess(hits: Hits): Hits {
  const decoded: Hits = new Map();
  for (const [path, count] of hits) {
    const bytes = Buffer.from(path, "utf8").toString("latin1");
    const plain = bytes.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    add(decoded, plain.trim(), count);
  }
  return decoded;
}

/** Hits by the rows of the log, which has all values; what a breakdown ranks has to be the same. */
async function countByService(
  client: ServiceClient,
  source: string,
  differences: string[],
): Promise<Record<Dimension, Hits>> {
  const question = { source, ...windowUpTo(Date.now(), Date.now()) };
  const rows = await client.askForRows<Record<Dimension, string | number>>("/analytics/logs", question);
  const hits: Partial<Record<Dimension, Hits>> = {};
  for (const dimension of DIMENSIONS) {
    const counted: Hits = new Map();
    for (const row of rows) add(counted, String(row[dimension]), 1);
    hits[dimension] = counted;
    const { data } = await client.ask<{ data: { value: string; count: number }[] }>("/analytics/breakdown", {
      ...question,
      dimension,
    });
    const ranked = new Map(data.map(({ value, count }) => [value, count]));
    const same = new Map([...ranked.keys()].map((value) => [value, counted.get(value) ?? 0]));
    differences.push(...compareCounts(`${source} ${dimension}, ranked`, ranked, same));
  }
  // Each dimension was counted.
  return hits as Record<Dimension, Hits>;
}

/** Prints how many hits were compared. @returns a line for each difference */
function compareHits(source: string, counted: Record<Dimension, Hits>, expected: Record<Dimension, Hits>): string[] {
  // The status of a validation is its verdict's, which no log knows.
  const compared = DIMENSIONS.filter((dimension) => source === "api_traffic" || dimension !== "statusCode");
  return compared.flatMap((dimension) => {
    const ours = dimension === "endpoint" ? asGoaccess(counted.endpoint) : counted[dimension];
    const found = compareCounts(`${source} ${dimension}`, ours, expected[dimension]);
    const total = [...expected[dimension].values()].reduce((sum, count) => sum + count, 0);
    print(`${source} by ${dimension}: ${ours.size} values, ${total} hits, ${found.length} differ`);
    return found;
  });
}

async function replay(client: ServiceClient, traffic: Traffic): Promise<void> {
  const consumers = await createConsumers(client, expectationOf(traffic.entries), NEVER);
  await replayRequests(client, traffic.entries, consumers, () => undefined, NEVER);
  await ingestTraffic(client, trafficEventsOf(traffic, shiftOf(traffic.entries, Date.now()), new Map()), NEVER);
}

async function main(): Promise<void> {
  const { KEYSVC_ACCESS_LOG_DIR } = process.env;
  const traffic = await loadTraffic(readConfig({ KEYSVC_ACCESS_LOG_DIR }).accessLogDir);
  const { origin } = traffic;
  const log = origin.seed === undefined ? readFileSync(origin.path, "utf8") : generateAccessLog(origin.seed);
  // A guarded application records paths without queries; the validations were sent with them.
  const expected = { api_traffic: countByGoaccess(log, "--no-query-string"), key_activity: countByGoaccess(log) };
  const service = await startOwnService(process.env, print);
  const client = createServiceClient(service.port, service.projectKey, CONCURRENCY);
  const differences: string[] = [];
  try {
    await replay(client, traffic);
    for (const source of ["api_traffic", "key_activity"] as const) {
      const counted = await countByService(client, source, differences);
      differences.push(...compareHits(source, counted, expected[source]));
    }
  } finally {
    client.close();
    await service.stop();
  }
  for (const line of differences) print(line);
  process.exitCode = differences.length === 0 ? 0 : 1;
}

await main();
