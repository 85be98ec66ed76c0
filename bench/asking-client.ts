import { HOUR_MS, MINUTE_MS } from "../src/segments/segment.ts";
import type { BenchProject } from "./analytics-projects.ts";
import type { Answer, Question } from "./analytics-questions.ts";
import { createBenchClient } from "./http-client.ts";
import type { BenchServer } from "./servers.ts";

/** A stretch of time, in epoch milliseconds. */
export interface Window {
  fromMs: number;
  untilMs: number;
}

/** How the window of a question is given: up to now, or exactly. */
export type Asked = { timeRange: "30d" } | { startTime: string; endTime: string };

interface LogRow {
  requestId: string;
  timestamp: string;
}

interface LogPage {
  rows: LogRow[];
  nextCursor: string | null;
}

/** Asks about the traffic of a project. */
export interface AskingClient {
  ask(question: Question, asked: Asked): Promise<Answer>;
  /** @param body filters, and the cursor of a page other than the first */
  page(asked: Asked, body: object): Promise<LogPage>;
  /** Rejects when it is that of another row. */
  detail(row: LogRow): Promise<void>;
  close(): void;
}

export function createAskingClient({ port }: BenchServer, { projectKey }: BenchProject): AskingClient {
  const client = createBenchClient(`http://127.0.0.1:${port}`, projectKey);
  const source = "api_traffic";
  return {
    ask: ({ path, body }, asked) => client.call(`/analytics/${path}`, { source, ...body, ...asked }),
    page: (asked, body) => client.call("/analytics/logs", { source, ...body, ...asked }),
    async detail({ requestId, timestamp }) {
      const { apiLog } = await client.call("/analytics/logs/detail", { requestId, timestamp });
      if (apiLog?.requestId !== requestId) throw new Error("the detail of a row is that of another");
    },
    close: () => client.close(),
  };
}

/** Exact windows of nearly a whole one, each number's another, whose ends are in the middle of an hour. */
export function exactWindow({ fromMs, untilMs }: Window, number: number): { startTime: string; endTime: string } {
  const shiftMs = number * MINUTE_MS + 77;
  const [from, until] = [fromMs + HOUR_MS + shiftMs, untilMs - 2 * HOUR_MS + shiftMs];
  return { startTime: new Date(from).toISOString(), endTime: new Date(until).toISOString() };
}
