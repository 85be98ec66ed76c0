import { parseAccessLog } from "../src/demo/access-log.ts";
import { generateAccessLog } from "../src/demo/generate-access-log.ts";
import type { TrafficEvent } from "../src/journal/traffic-event.ts";
import { createSeededRandom } from "../src/lib/seeded-random.ts";

const SEED = 20_150_517;
const CONSUMERS = 300;
const APIS = 4;
/** Days are busier than nights: by so much more or less than the mean. */
const SWING = 0.6;
const DAY_MS = 86_400_000;

/** Traffic of the shape of an access log: its paths, addresses, methods and statuses, for as long as one likes. */
export function createTraffic(projectId: string): (number: number, at: number) => TrafficEvent {
  const { entries } = parseAccessLog(generateAccessLog(SEED));
  const random = createSeededRandom(SEED);
  return (number, at) => {
    const entry = entries[random.integer(0, entries.length - 1)];
    if (entry === undefined) throw new Error("the log is empty");
    const path = entry.target ?? "/";
    const consumer = Math.floor(random.fraction() ** 2 * CONSUMERS);
    return {
      ...{ requestId: `req_${projectId.slice(-4)}${number.toString(36).padStart(8, "0")}`, at, projectId, path },
      ...{ method: entry.method ?? "GET", endpoint: path.split("?", 1)[0] ?? "/", statusCode: entry.statusCode },
      ...{ clientIp: entry.clientAddress, userAgent: entry.userAgent ?? "", apiKey: "********k3y5x9" },
      ...{ apiId: `api_${consumer % APIS}`, apiName: `API ${consumer % APIS}` },
      ...{ consumerId: `consumer_${consumer}`, consumerName: `Customer ${consumer}`, country: "DE", region: "BE" },
      latencyMs: Math.round(1_000 * (2 + 40 * random.fraction() ** 6 * 25)) / 1_000,
      ...{ requestBody: "", responseBody: "", requestHeaders: "", responseHeaders: "" },
    };
  };
}

/** When the n-th of so many events happened, between two times. */
export function timeOf(number: number, count: number, fromMs: number, untilMs: number): number {
  const even = fromMs + ((number + 0.5) / count) * (untilMs - fromMs);
  return Math.floor(
    even +
      ((SWING * DAY_MS) / (2 * Math.PI)) * Math.cos((2 * Math.PI * even) / DAY_MS) -
      (SWING * DAY_MS) / (2 * Math.PI),
  );
}
