import { renderTable } from "../src/lib/render-table.ts";
import { type Bar, type Case, CONNECTIONS } from "./validate-cases.ts";

/** One measurement of a case. */
export interface Sample {
  name: string;
  connections: number;
  rps: number;
  p50Ms: number;
  p99Ms: number;
  failed: number;
  /** Of the server, right after. */
  memoryMb: number;
  /** Credits charged less calls that got a verdict, where calls are charged: those that were cut off at the end, or failed. */
  unanswered: number | null;
}

/** A case at one number of connections: the mean of its samples. */
export interface Result extends Sample {
  /** Of calls per second, to the case `ratioTo`; of a control, to itself. */
  ratio: number;
  ratioTo: string;
  /** By how much the samples differ, as a fraction; 0 with one. */
  spread: number;
}

/** What has to hold, and whether it does. */
export interface Verdict {
  name: string;
  connections: number;
  to: string;
  ratio: number;
  floor: number | null;
  aim: number | null;
  /** null: not compared. */
  p99Ratio: number | null;
  /** null where nothing is asked. */
  isKept: boolean | null;
}

/** Samples of one case on a machine that is quiet differ less. */
const NOISE_MAX = 0.15;

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

export function resultsOf(cases: readonly Case[], samples: readonly Sample[]): Result[] {
  const results: Result[] = [];
  for (const { name, bars } of cases) {
    for (const connections of CONNECTIONS) {
      const own = samples.filter((sample) => sample.name === name && sample.connections === connections);
      const [first] = own;
      if (first === undefined) continue;
      const rates = own.map(({ rps }) => rps);
      const rps = mean(rates);
      const base = find(results, bars[0]?.to, connections);
      results.push({
        ...first,
        rps,
        p50Ms: mean(own.map(({ p50Ms }) => p50Ms)),
        p99Ms: mean(own.map(({ p99Ms }) => p99Ms)),
        failed: own.reduce((sum, { failed }) => sum + failed, 0),
        ratio: rps / (base?.rps ?? rps),
        ratioTo: base?.name ?? name,
        spread: (Math.max(...rates) - Math.min(...rates)) / rps,
      });
    }
  }
  return results;
}

export function verdictsOf(cases: readonly Case[], results: readonly Result[]): Verdict[] {
  const bars = cases.flatMap((one) => one.bars.map((bar) => ({ name: one.name, bar })));
  return bars.flatMap(({ name, bar }) =>
    CONNECTIONS.flatMap((connections, index) => {
      const [result, base] = [find(results, name, connections), find(results, bar.to, connections)];
      return result && base ? verdict(result, base, bar, index) : [];
    }),
  );
}

function verdict(result: Result, base: Result, { to, floors, aims }: Bar, index: number): Verdict {
  const { name, connections } = result;
  const ratio = result.rps / base.rps;
  const [floor, aim] = [floors?.[index] ?? null, aims?.[index] ?? null];
  const p99Ratio = to.startsWith("control") ? result.p99Ms / base.p99Ms : null;
  const isKept = floor === null ? null : ratio >= floor && (p99Ratio ?? 0) <= 1;
  return { name, connections, to, ratio, floor, aim, p99Ratio, isKept };
}

function find(results: readonly Result[], name: string | undefined, connections: number): Result | undefined {
  return results.find((result) => result.name === name && result.connections === connections);
}

/** Lines for people: the figures, what has to hold, and what casts doubt on them. */
export function describeReport(results: readonly Result[], verdicts: readonly Verdict[]): string[] {
  const figures = results.map(({ name, connections, rps, p50Ms, p99Ms, memoryMb, failed, unanswered }) => [
    ...[name, connections, Math.round(rps), p50Ms.toFixed(1), p99Ms.toFixed(1), memoryMb, failed],
    unanswered === null ? "" : isLedgerExact({ unanswered, connections, failed }) ? "exact" : `${unanswered} OFF`,
  ]);
  const bars = verdicts.map((one) => [
    ...[
      one.name,
      one.connections,
      one.to,
      one.ratio.toFixed(2),
      one.floor?.toFixed(1) ?? "",
      one.aim?.toFixed(1) ?? "",
    ],
    ...[one.p99Ratio?.toFixed(2) ?? "", describeVerdict(one)],
  ]);
  const noisy = results.filter(({ spread }) => spread > NOISE_MAX);
  return [
    ...renderTable(["case", "connections", "calls/s", "p50 ms", "p99 ms", "memory MB", "failed", "ledger"], figures),
    "",
    ...renderTable(["case", "connections", "to", "ratio", "floor", "aim", "p99 ratio", "verdict"], bars),
    ...(noisy.length > 0 ? [""] : []),
    ...noisy.map(
      ({ name, connections, spread }) =>
        `${name} at ${connections} connections changed by ${Math.round(100 * spread)} % during the run: the machine was not quiet.`,
    ),
  ];
}

function describeVerdict({ ratio, aim, isKept }: Verdict): string {
  if (isKept === null) return "";
  if (!isKept) return "NOT KEPT";
  return aim !== null && ratio >= aim ? "ahead" : "ok";
}

/** Whether every answered call was charged, and nothing beyond the calls that were cut off or failed. */
export function isLedgerExact({
  unanswered,
  connections,
  failed,
}: Pick<Sample, "unanswered" | "connections" | "failed">): boolean {
  return unanswered === null || (unanswered >= 0 && unanswered <= connections + failed);
}
