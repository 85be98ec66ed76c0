import type { Db } from "mongodb";
import type { BenchProject } from "./analytics-projects.ts";
import { differences, QUESTIONS, type Question } from "./analytics-questions.ts";
import { createAskingClient, exactWindow, type Window } from "./asking-client.ts";
import type { BenchServer } from "./servers.ts";

export interface Compared {
  question: Question;
  /** What the aggregation took; null: it was given up, and nothing was compared. */
  rawMs: number | null;
  /** What the two disagree about, for people. */
  wrong: string[];
}

interface Comparison {
  project: BenchProject;
  window: Window;
  db: Db;
  /** An aggregation is given up after so long. */
  rawMaxMs: number;
  signal: AbortSignal;
}

const EXCEEDED_TIME = 50;
const WRONG_MAX = 3;

/** Asks each question of a service, and the same of the events themselves. */
export async function* compareAnswers(service: BenchServer, comparison: Comparison): AsyncGenerator<Compared> {
  const { project, window, signal } = comparison;
  const client = createAskingClient(service, project);
  const asked = exactWindow(window, 0);
  try {
    for (const question of QUESTIONS) {
      signal.throwIfAborted();
      const answer = question.ofAnswer(await client.ask(question, asked));
      const startMs = performance.now();
      const rows = await aggregate(question, asked, comparison);
      const tookMs = performance.now() - startMs;
      if (rows === null) yield { question, rawMs: null, wrong: [] };
      else yield { question, rawMs: tookMs, wrong: differences(answer, question.ofRaw(rows)).slice(0, WRONG_MAX) };
    }
  } finally {
    client.close();
  }
}

async function aggregate(
  { pipeline }: Question,
  { startTime, endTime }: { startTime: string; endTime: string },
  { db, project: { projectId }, rawMaxMs }: Comparison,
): Promise<Parameters<Question["ofRaw"]>[0] | null> {
  const at = { $gte: new Date(startTime), $lt: new Date(endTime) };
  // Served by the index project. The rows have what the pipeline gives them.
  return db
    .collection("api_traffic")
    .aggregate<never>([{ $match: { projectId, at } }, ...pipeline], { allowDiskUse: true, maxTimeMS: rawMaxMs })
    .toArray()
    .catch((error: { code?: unknown }) => (error.code === EXCEEDED_TIME ? null : Promise.reject(error)));
}
