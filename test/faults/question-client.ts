import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";
import { expect } from "vitest";
import { PROJECT_KEY, postJson } from "../harness/service.ts";
import { untilDrained } from "../harness/until-drained.ts";
import type { IngestRecords } from "./ingest-client.ts";

/** What those who ask were told. */
export interface QuestionRecords {
  answered: number;
  /** Questions that were not answered, by what they were told. */
  failures: Map<string, number>;
  /** Answers that cannot be: events missing that were acknowledged before, or fewer than an earlier answer had. */
  wrong: string[];
  slowestMs: number;
}

const ASKING = 3;
const PAUSE_MS = 20;
const PAGE_SIZE = 200;
const SOURCE = { source: "api_traffic" };

/** All that a test records happens within it. */
function exactWindow() {
  const nowMs = Date.now();
  return { ...SOURCE, startTime: new Date(nowMs - 1_200_000), endTime: new Date(nowMs + 240_000) };
}

/** Asks again and again, on any node, how many events there are, while they come in. */
export function startQuestions(urls: () => string[], { acknowledged }: Pick<IngestRecords, "acknowledged">) {
  const records: QuestionRecords = { answered: 0, failures: new Map(), wrong: [], slowestMs: 0 };
  let isStopped = false;
  /** How many events some answer had. */
  let seen = 0;

  async function ask(url: string): Promise<void> {
    const least = Math.max(seen, acknowledged.length);
    const last = acknowledged.at(-1);
    const startMs = performance.now();
    const isLog = Math.random() < 0.5;
    const request = isLog ? { ...SOURCE, timeRange: "1h", pageSize: 1 } : exactWindow();
    const path = isLog ? "/analytics/logs" : "/analytics/stats";
    const answer = await postJson(`${url}${path}`, request, PROJECT_KEY).catch(() => undefined);
    records.slowestMs = Math.max(records.slowestMs, performance.now() - startMs);
    if (answer?.status !== 200) {
      const reason = answer === undefined ? "no answer" : `${answer.status} ${answer.body.type}`;
      records.failures.set(reason, (records.failures.get(reason) ?? 0) + 1);
      return;
    }
    records.answered++;
    const total: number = isLog ? answer.body.total : answer.body.stats.totalRequests;
    if (total < least) records.wrong.push(`${path}: ${total} of at least ${least}, after ${last}`);
    seen = Math.max(seen, total);
  }

  async function run(index: number): Promise<void> {
    for (let count = index; !isStopped; count++) {
      const all = urls();
      await ask(all[count % all.length] ?? "");
      await sleep(PAUSE_MS);
    }
  }

  const running = Array.from({ length: ASKING }, (_, index) => run(index));
  return {
    records,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(running);
      const told = [...records.failures].map(([reason, count]) => `${reason}: ${count}`).join(", ");
      process.stderr.write(`${records.answered} answers, slowest ${Math.round(records.slowestMs)} ms; ${told}\n`);
    },
  };
}

/** That figures, log and time-series agree to the event with each other and with what was acknowledged, drained or not. */
export async function expectSameAsStored(
  url: string,
  db: Db,
  { acknowledged, doubtful }: IngestRecords,
): Promise<void> {
  const ask = async (path: string, body: object) => {
    const { status, body: answer } = await postJson(`${url}${path}`, body, PROJECT_KEY);
    expect({ path, status }).toEqual({ path, status: 200 });
    return answer;
  };
  const countAll = async () => {
    const window = exactWindow();
    const { stats } = await ask("/analytics/stats", window);
    const { data: points } = await ask("/analytics/timeseries", window);
    const { data: endpoints } = await ask("/analytics/breakdown", { ...window, dimension: "endpoint" });
    const { total } = await ask("/analytics/logs", { ...window, pageSize: 1 });
    const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
    const inPoints = sumOf(points.map(({ requests }: { requests: number }) => requests));
    const inEndpoints = sumOf(endpoints.map(({ count }: { count: number }) => count));
    return [stats.totalRequests, inPoints, inEndpoints, total];
  };
  const before = await countAll();
  await untilDrained(db);
  const stored = (await db.collection("api_traffic").find().toArray()).map(({ requestId }) => requestId as string);
  expect(before).toEqual(before.map(() => stored.length));
  expect(await countAll()).toEqual(before);
  const window = exactWindow();
  const listed: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ask("/analytics/logs", { ...window, pageSize: PAGE_SIZE, ...(cursor && { cursor }) });
    listed.push(...page.rows.map(({ requestId }: { requestId: string }) => requestId));
    cursor = page.nextCursor;
  }
  expect(listed.sort()).toEqual(stored.sort());
  const once = new Set(stored);
  expect(once.size).toBe(stored.length);
  expect(acknowledged.filter((id) => !once.has(id))).toEqual([]);
  const sent = new Set([...acknowledged, ...doubtful]);
  expect(stored.filter((id) => !sent.has(id))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(1_000);
}
