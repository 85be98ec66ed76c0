import { parseArgs } from "node:util";
import { type BenchSurroundings, runBench } from "./run-bench.ts";
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
  const { json, quick, help, "own-load": isOwnLoad } = values;
  return { json, quick, help, isOwnLoad, keys, cases: chooseCases(values.only?.split(",")) };
}

/** Measures what is asked for. Prints tables. @returns what the file has */
async function measure(surroundings: BenchSurroundings): Promise<object> {
  const { print } = surroundings;
  const { cases, keys, quick } = readArguments();
  const times = quick ? { warmUpSeconds: 1, seconds: 2 } : { warmUpSeconds: 2, seconds: 8 };
  const samples = await measureCases(cases, { ...surroundings, keys, ...times });
  const results = resultsOf(cases, samples);
  const verdicts = verdictsOf(cases, results);
  for (const line of ["", ...describeReport(results, verdicts)]) print(line);
  if (results.some(({ failed }) => failed > 0) || !samples.every(isLedgerExact)) process.exitCode = 1;
  const memoryMb = Math.max(...results.map((result) => result.memoryMb));
  return { ...times, keys, memoryMb, cases: results, verdicts };
}

runBench(USAGE, readArguments, measure);
