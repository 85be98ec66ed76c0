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

/** Asks the service about a window of both datasets: one question after the other. */
export async function askAnalytics(
  client: Pick<ServiceClient, "ask" | "askForRows">,
  window: AskedWindow,
): Promise<AnalyticsAnswers> {
  const traffic = { source: "api_traffic", ...window };
  const validations = { source: "key_activity", ...window };
  const statsOf = async (question: object) => (await client.ask<{ stats: Stats }>("/analytics/stats", question)).stats;
  const breakdownOf = async (question: object, dimension: CountedDimension) =>
    (await client.ask<{ data: BreakdownEntry[] }>("/analytics/breakdown", { ...question, dimension })).data;
  const rows = await client.askForRows<{ clientIp: string; code: string }>("/analytics/logs", validations);
  const codesByClient = new Map<string, ReadonlyMap<string, number>>();
  for (const [address, group] of Map.groupBy(rows, ({ clientIp }) => clientIp)) {
    codesByClient.set(
      address,
      countBy(group, ({ code }) => code),
    );
  }
  return {
    traffic: {
      stats: await statsOf(traffic),
      breakdowns: {
        endpoint: await breakdownOf(traffic, "endpoint"),
        method: await breakdownOf(traffic, "method"),
        statusCode: await breakdownOf(traffic, "statusCode"),
        clientIp: await breakdownOf(traffic, "clientIp"),
      },
      series: await client.ask<AnalyticsAnswers["traffic"]["series"]>("/analytics/timeseries", traffic),
    },
    validations: {
      stats: await statsOf(validations),
      statuses: await breakdownOf(validations, "statusCode"),
      codesByClient,
    },
  };
}
