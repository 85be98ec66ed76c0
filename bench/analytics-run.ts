import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "mongodb";
import { DAY_MS } from "../src/segments/segment.ts";
import { fillTraffic } from "./analytics-fill.ts";
import type { BenchProject } from "./analytics-projects.ts";
import { QUESTIONS } from "./analytics-questions.ts";
import { settled } from "./analytics-settled.ts";
import { createAskingClient, exactWindow, type Window } from "./asking-client.ts";
import { compareAnswers } from "./compare-answers.ts";
import { timeMs } from "./percentile.ts";
import { type BenchServer, startService } from "./servers.ts";

export interface QuestionsOptions {
  db: Db;
  /** Of the service. */
  settings: Record<string, string>;
  /** A project is made for each of these numbers of events. */
  sizes: readonly number[];
  /** How often the service is started anew and asked everything. */
  rounds: number;
  /** A raw aggregation is given up after so long. */
  rawMaxMs: number;
  signal: AbortSignal;
  /** Takes lines for people. */
  print: (line: string) => void;
  /** Makes a project at a running service. */
  createProject: (service: BenchServer) => Promise<BenchProject>;
}

/** A time that was measured. */
export interface QuestionSample {
  events: number;
  name: string;
  /** How it was asked; `raw` is the aggregation of the events. */
  how: "cold" | "cached" | "next time" | "raw";
  /** null: it was given up. */
  ms: number | null;
}

export interface QuestionsResult {
  samples: QuestionSample[];
  /** What answers and raw aggregations disagree about. */
  wrong: string[];
}

interface Filled extends BenchProject {
  events: number;
}

/** A project so small that asking it warms the compiler and little else. */
const WARM_EVENTS = 20_000;
const WARM_ROUNDS = 30;
const LENGTH_DAYS = 30;
/** Windows up to now of 30 days end at multiples of this. */
const STEP_MS = 30_000;
/** Longer than a question takes, and the same again. */
const ROOM_MS = 5_000;
const UP_TO_NOW = { timeRange: "30d" } as const;
/** What is asked of the log besides. */
const LOGS = [
  { name: "log", body: {} },
  { name: "log of errors", body: { statusFilter: "error" } },
  { name: "log of a consumer", body: { filters: { consumer: "consumer_7" } } },
];

/** Fills a project for each size, then asks each everything: of a service that was just started, again, and of the events. */
export async function measureQuestions(options: QuestionsOptions): Promise<QuestionsResult> {
  const { settings, rounds, signal } = options;
  const untilMs = Date.now();
  const window = { fromMs: untilMs - LENGTH_DAYS * DAY_MS, untilMs };
  const samples: QuestionSample[] = [];
  const withService: WithService = async (work) => {
    const service = await startService(settings);
    try {
      return await work(service);
    } finally {
      await service.stop();
    }
  };
  const [warm, ...filled] = await fill(window, options, withService);
  if (warm === undefined) throw new Error("nothing was filled");
  for (let round = 0; round < rounds; round++) {
    for (const one of filled) {
      signal.throwIfAborted();
      await withService(async (service) => {
        await warmUp(service, warm, window, signal);
        const asked = await ask(service, one, window, signal);
        samples.push(...asked);
        const cold = asked.filter(({ how }) => how === "cold").map(({ name, ms }) => `${name} ${ms?.toFixed(0)}`);
        options.print(`${one.events} events, cold, ms: ${cold.join(", ")}`);
      });
    }
  }
  // Last: it fills the memory of the database with events.
  const compared: QuestionsResult[] = [];
  for (const one of filled) compared.push(await withService((service) => compare(service, one, window, options)));
  return {
    samples: [...samples, ...compared.flatMap((result) => result.samples)],
    wrong: compared.flatMap(({ wrong }) => wrong),
  };
}

/** Starts a service for some work. */
type WithService = <Result>(work: (service: BenchServer) => Promise<Result>) => Promise<Result>;

/** A small project, then one for each size. */
async function fill(window: Window, options: QuestionsOptions, withService: WithService): Promise<Filled[]> {
  const { db, sizes, signal, print } = options;
  const filled: Filled[] = [];
  await withService(async (service) => {
    for (const events of [WARM_EVENTS, ...sizes]) filled.push({ ...(await options.createProject(service)), events });
  });
  for (const { projectId, events } of filled) {
    print(`adding ${events} events of ${LENGTH_DAYS} days`);
    const tookMs = await timeMs(() => fillTraffic(db, projectId, events, window, signal));
    print(`${Math.round((1_000 * events) / tookMs)} a second`);
  }
  await withService(async () => {
    for (const { projectId, events } of filled) {
      const { segments, days } = await settled(db, projectId, window, signal);
      print(`${events} events are in ${segments} segments and ${days} sums of days`);
    }
  });
  return filled;
}

/** Asks another project everything, until what is measured next is not the compiler. */
async function warmUp(service: BenchServer, warm: Filled, window: Window, signal: AbortSignal): Promise<void> {
  const client = createAskingClient(service, warm);
  try {
    for (let round = 1; round <= WARM_ROUNDS; round++) {
      signal.throwIfAborted();
      const asked = round % 2 === 0 ? UP_TO_NOW : exactWindow(window, round);
      for (const question of QUESTIONS) await client.ask(question, asked);
      for (const { body } of LOGS) await client.page(asked, body);
    }
  } finally {
    client.close();
  }
}

async function ask(
  service: BenchServer,
  { events, ...project }: Filled,
  window: Window,
  signal: AbortSignal,
): Promise<QuestionSample[]> {
  const samples: QuestionSample[] = [];
  const client = createAskingClient(service, project);
  const time = async <Result>(name: string, how: QuestionSample["how"], work: () => Promise<Result>) => {
    signal.throwIfAborted();
    const startMs = performance.now();
    const result = await work();
    samples.push({ events, name, how, ms: performance.now() - startMs });
    return result;
  };
  try {
    for (const question of QUESTIONS) {
      await roomInStep();
      for (const how of ["cold", "cached"] as const) {
        await time(question.name, how, () => client.ask(question, UP_TO_NOW));
      }
      await time(question.name, "next time", () => client.ask(question, exactWindow(window, WARM_ROUNDS + 1)));
    }
    for (const { name, body } of LOGS) {
      const first = await time(`${name}, first page`, "cold", () => client.page(UP_TO_NOW, body));
      const { rows, nextCursor: cursor } = first;
      const last = rows.at(-1);
      if (last === undefined) throw new Error(`the ${name} is empty`);
      if (cursor !== null) {
        await time(`${name}, second page`, "cold", () => client.page(UP_TO_NOW, { ...body, cursor }));
      }
      await time(`${name}, detail`, "cold", () => client.detail(last));
    }
    return samples;
  } finally {
    client.close();
  }
}

async function compare(
  service: BenchServer,
  { events, ...project }: Filled,
  window: Window,
  { db, rawMaxMs, signal, print }: QuestionsOptions,
): Promise<QuestionsResult> {
  const result: QuestionsResult = { samples: [], wrong: [] };
  for await (const one of compareAnswers(service, { project, window, db, rawMaxMs, signal })) {
    const { question, rawMs, wrong } = one;
    result.samples.push({ events, name: question.name, how: "raw", ms: rawMs });
    result.wrong.push(...wrong.map((text) => `${events} events, ${question.name}, ${text}`));
    print(`${events} events, ${question.name}: raw ${rawMs === null ? `over ${rawMaxMs}` : Math.round(rawMs)} ms`);
  }
  return result;
}

/** Waits, if need be, so that what is asked next and right after has the same window. */
async function roomInStep(): Promise<void> {
  const leftMs = STEP_MS - (Date.now() % STEP_MS);
  if (leftMs < ROOM_MS) await sleep(leftMs + 100);
}
