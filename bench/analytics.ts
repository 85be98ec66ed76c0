import { parseArgs } from "node:util";
import { connectDatabase } from "../src/mongo/client.ts";
import { createProject } from "./analytics-projects.ts";
import {
  describeIngest,
  describeQuestions,
  describeVerdicts,
  ingestVerdicts,
  isStoredExactly,
  questionResults,
  questionVerdicts,
} from "./analytics-report.ts";
import { measureQuestions } from "./analytics-run.ts";
import { measureIngest } from "./ingest-run.ts";
import { type BenchSurroundings, runBench } from "./run-bench.ts";
import type { BenchServer } from "./servers.ts";

/**
 * `npm run bench:analytics`: /ingest beside raw inserts into an equal time-series and beside the control of `npm run bench`,
 * and questions beside the raw aggregations that answer the same, on one embedded mongod. Prints tables; `--json FILE` writes
 * the figures. Fails when an event was lost or doubled, or an answer is not that of the aggregation.
 */
const USAGE = `usage: npm run bench:analytics -- [options]

  --json FILE       writes the figures
  --quick           short and small, to see that it works
  --only PART       ingest or questions
  --events A,B      sizes of the projects that are asked, in events over 30 days (default 1000000,3000000,5000000,10000000)
  --rounds N        how often the service is started anew for the questions (default 3)
  --raw-limit S     gives a raw aggregation up after so many seconds (default 60)
  --own-load        the load of this program, also where wrk is installed
  --help            shows this
`;

const QUICK = { sizes: [50_000, 100_000], rounds: 1, ingest: { warmUpSeconds: 1, seconds: 2, rounds: 1 } };
const FULL = { sizes: [1e6, 3e6, 5e6, 10e6], rounds: 3, ingest: { warmUpSeconds: 3, seconds: 12, rounds: 2 } };
const ADMIN_KEY = "admin-key-of-the-benchmark";
/** Longer than what the questions are about, so that nothing expires meanwhile. */
const RETENTION_DAYS = 40;

function readArguments() {
  const { values } = parseArgs({
    options: {
      json: { type: "string" },
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      events: { type: "string" },
      rounds: { type: "string" },
      "raw-limit": { type: "string", default: "60" },
      "own-load": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { only, events, rounds, quick, json, help, "own-load": isOwnLoad } = values;
  if (only !== undefined && only !== "ingest" && only !== "questions") throw new Error("--only is ingest or questions");
  const chosen = quick ? QUICK : FULL;
  return {
    ...{ json, help, isOwnLoad, parts: only === undefined ? ["ingest", "questions"] : [only], ingest: chosen.ingest },
    sizes: events?.split(",").map((size) => wholeNumber("--events", size, 1_000)) ?? chosen.sizes,
    rounds: rounds === undefined ? chosen.rounds : wholeNumber("--rounds", rounds, 1),
    rawMaxMs: 1_000 * wholeNumber("--raw-limit", values["raw-limit"], 1),
  };
}

function wholeNumber(name: string, text: string, min: number): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < min) throw new Error(`${name}: a whole number from ${min}`);
  return number;
}

/** Measures what is asked for. Prints tables. @returns what the file has */
async function measure({ uri, dataDir, hasWrk, signal, print }: BenchSurroundings): Promise<object> {
  const { parts, sizes, rounds, rawMaxMs, ingest } = readArguments();
  const settings = {
    ...{ KEYSVC_MONGODB_URI: uri, KEYSVC_SECRET: "secret-of-the-benchmark", KEYSVC_ADMIN_KEY: ADMIN_KEY },
    ...{ KEYSVC_PROJECT_KEY: "project-key-of-the-benchmark", KEYSVC_DATA_DIR: dataDir },
    ...{ KEYSVC_ANALYTICS_RATE: "100000", KEYSVC_RETENTION_DAYS: String(RETENTION_DAYS) },
  };
  const create = (service: BenchServer) => createProject(service, ADMIN_KEY, "Benchmark");
  const database = await connectDatabase(uri, { giveUpHangingSockets: false });
  const shared = { settings, signal, print, createProject: create };
  try {
    const ingested = parts.includes("ingest")
      ? await measureIngest({ ...shared, ...ingest, database, dataDir, hasWrk })
      : [];
    const asked = parts.includes("questions")
      ? await measureQuestions({ ...shared, db: database.db, sizes, rounds, rawMaxMs })
      : { samples: [], wrong: [] };
    const results = questionResults(asked.samples);
    const verdicts = [...(ingested.length > 0 ? ingestVerdicts(ingested) : []), ...questionVerdicts(results)];
    if (ingested.length > 0) for (const line of ["", ...describeIngest(ingested)]) print(line);
    if (results.length > 0)
      for (const line of ["", ...describeQuestions(results, rawMaxMs), "", ABOUT_COLD]) print(line);
    for (const line of ["", ...describeVerdicts(verdicts), "", ...asked.wrong]) print(line);
    const isRight = asked.wrong.length === 0 && ingested.every(isStoredExactly);
    if (!isRight || ingested.some(({ failed }) => failed > 0)) process.exitCode = 1;
    return { sizes, rounds, rawMaxMs, ingest: ingested, questions: results, verdicts, wrong: asked.wrong };
  } finally {
    await database.close();
  }
}

const ABOUT_COLD =
  "cold: the service was just started and has measured nothing of this project; another, small project was asked before, so" +
  "\nthat what is measured is not the compiler. Sums of days were there; the database was not started anew. cached: the same" +
  "\nquestion right after. next time: another exact window. Medians. raw: once, of the same window as an answer it is compared with.";

runBench(USAGE, readArguments, measure);
