import type { ServiceClient } from "./service-client.ts";
import { type CountedDimension, countBy } from "./traffic-count.ts";

export interface Stats {
  totalRequests: number;
  /** A percentage with two decimals. */
  errorRate: number;
  avgLatencyMs: number;
}

export interface BreakdownEntry {
  value: string;
  count: number;
  /** With two decimals. */
  percentage: number;
}

export interface Point {
  /** ISO 8601. */
  timeBucket: string;
  requests: number;
  errors: number;
}

/** What the service says about what it has recorded. */
export interface AnalyticsAnswers {
  /** Of api_traffic. */
  traffic: {
    stats: Stats;
    breakdowns: Readonly<Record<CountedDimension, readonly BreakdownEntry[]>>;
    series: { granularity: string; data: readonly Point[] };
  };
  /** Of key_activity. */
  validations: {
    stats: Stats;
    statuses: readonly BreakdownEntry[];
    /** How often each code was recorded, by client address, counted from the rows of the log. */
    codesByClient: ReadonlyMap<string, ReadonlyMap<string, number>>;
  };
}

/** The time that is asked about, in ISO 8601. */
export interface AskedWindow {
  startTime: string;
  endTime: string;
}

const DAY_MS = 24 * 3_600_000;
const WINDOW_MS = 4 * DAY_MS;
const MARGIN_MS = 60_000;

/**
 * The last four days, or more where the oldest request is older.
 *
 * @param oldestMs like nowMs in epoch milliseconds
 */
export function windowUpTo(nowMs: number, oldestMs: number): AskedWindow {
  // Recorded by the database's clock, which may be ahead.
  const untilMs = nowMs + MARGIN_MS;
  const fromMs = Math.min(untilMs - WINDOW_MS, oldestMs);
  return { startTime: new Date(fromMs).toISOString(), endTime: new Date(untilMs).toISOString() };
}

/** Asks the service about a window of both datasets. */
export async function askAnalytics(
  client: Pick<ServiceClient, "post" | "postForRows">,
  window: AskedWindow,
): Promise<AnalyticsAnswers> {
  const traffic = { source: "api_traffic", ...window };
  const validations = { source: "key_activity", ...window };
  const statsOf = async (question: object) => (await client.post<{ stats: Stats }>("/analytics/stats", question)).stats;
  const breakdownOf = async (question: object, dimension: CountedDimension) =>
    (await client.post<{ data: BreakdownEntry[] }>("/analytics/breakdown", { ...question, dimension })).data;
  const [endpoint, method, statusCode, clientIp] = await Promise.all([
    breakdownOf(traffic, "endpoint"),
    breakdownOf(traffic, "method"),
    breakdownOf(traffic, "statusCode"),
    breakdownOf(traffic, "clientIp"),
  ]);
  const series = await client.post<AnalyticsAnswers["traffic"]["series"]>("/analytics/timeseries", traffic);
  const rows = await client.postForRows<{ clientIp: string; code: string }>("/analytics/logs", validations);
  const rowsByClient = Map.groupBy(rows, (row) => row.clientIp);
  return {
    traffic: { stats: await statsOf(traffic), breakdowns: { endpoint, method, statusCode, clientIp }, series },
    validations: {
      stats: await statsOf(validations),
      statuses: await breakdownOf(validations, "statusCode"),
      codesByClient: new Map(
        [...rowsByClient].map(([address, group]) => [address, countBy(group, ({ code }) => code)]),
      ),
    },
  };
}
