import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { Interruption, watchInterruption } from "../src/lib/interruption.ts";
import { startEmbeddedMongod } from "../src/mongod/start-embedded-mongod.ts";
import { isWrkInstalled } from "./load.ts";
import { currentCommit, describeMachine } from "./machine.ts";
import { chooseCases } from "./validate-cases.ts";
import { describeReport, isLedgerExact, resultsOf, verdictsOf } from "./validate-report.ts";
import { measureCases } from "./validate-run.ts";

/**
 * `npm run bench`: /key/validate beside a control that does one majority findOneAndUpdate per call, on one embedded mongod.
 * Prints tables; `--json FILE` writes the figures.
 */
const USAGE = `usage: npm run bench -- [options]

  --json FILE     writes the figures
  --quick         short measurements, to see that it works
  --only A,B      only these cases, and those that they are compared with
  --keys N        how many keys the database grows to (default 1000000)
  --own-load      the load of this program, also where wrk is installed
  --help          shows this
`;

const print = (line: string) => process.stdout.write(`${line}\n`);

function readArguments() {
  const { values } = parseArgs({
    options: {
      json: { type: "string" },
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      keys: { type: "string", default: "1000000" },
      "own-load": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const keys = Number(values.keys);
  if (!Number.isSafeInteger(keys) || keys < 1_000) throw new Error("--keys must be a whole number from 1000");
  return { ...values, keys, cases: chooseCases(values.only?.split(",")) };
}

async function main(): Promise<void> {
  const { cases, keys, quick, json, help, "own-load": isOwnLoad } = readArguments();
  if (help) {
    print(USAGE);
    return;
  }
  const signal = watchInterruption();
  const hasWrk = !isOwnLoad && (await isWrkInstalled());
  const dataDir = await mkdtemp(join(tmpdir(), "keysvc-bench-"));
  try {
    const { cacheDir, mongodPath } = readConfig(process.env);
    const mongod = await startEmbeddedMongod({ dataDir, cacheDir, mongodPath, report: print });
    try {
      const times = quick ? { warmUpSeconds: 1, seconds: 2 } : { warmUpSeconds: 2, seconds: 8 };
      const machine = describeMachine(mongod.version, hasWrk);
      print(`${machine.cores} cores, mongod ${machine.mongod}, Node ${machine.node}, load by ${machine.load}`);
      const samples = await measureCases(cases, { uri: mongod.uri, dataDir, keys, hasWrk, ...times, signal, print });
      const results = resultsOf(cases, samples);
      const verdicts = verdictsOf(cases, results);
      for (const line of ["", ...describeReport(results, verdicts)]) print(line);
      const memoryMb = Math.max(...results.map((result) => result.memoryMb));
      const report = { at: new Date(), commit: currentCommit(), machine, ...times, keys, memoryMb };
      if (json) await writeFile(json, `${JSON.stringify({ ...report, cases: results, verdicts }, null, 2)}\n`);
      if (results.some(({ failed }) => failed > 0) || !samples.every(isLedgerExact)) process.exitCode = 1;
    } finally {
      await mongod.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

main().then(
  () => undefined,
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof Interruption ? error.exitCode : 1;
  },
);
