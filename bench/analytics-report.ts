import { type Row, renderTable } from "../src/lib/render-table.ts";
import { QUESTIONS } from "./analytics-questions.ts";
import type { QuestionSample } from "./analytics-run.ts";
import type { IngestSample } from "./ingest-run.ts";
import { percentile } from "./percentile.ts";

/** What has to hold, and whether it does. */
export interface AnalyticsVerdict {
  what: string;
  figure: number;
  /** Of ratios the least, of times the most. */
  floor: number;
  aim: number | null;
  isKept: boolean;
}

/** A question at one size: medians, in milliseconds. */
export interface QuestionResult {
  events: number;
  name: string;
  coldMs: number;
  /** The least of the cold ones, which a busy machine disturbs least. */
  leastColdMs: number;
  cachedMs: number | null;
  nextMs: number | null;
  /** null: it was given up, or not asked. */
  rawMs: number | null;
}

const INGEST_FLOOR = 0.3;
const INGEST_AIM = 0.5;
const SINGLE_FLOOR = 4;
const DOUBLING_MAX = 1.3;
/** Milliseconds. */
const FLOORS = {
  unfiltered: { cold: 100, cached: 10, next: 100 },
  filtered: { cold: 1_500, cached: 50, next: 50 },
  page: 100,
  detail: 20,
};

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

export function ingestVerdicts(samples: readonly IngestSample[]): AnalyticsVerdict[] {
  const rate = (name: IngestSample["name"]) =>
    mean(samples.filter((sample) => sample.name === name).map(({ rps, drainedRps }) => drainedRps ?? rps));
  const acknowledged = (name: IngestSample["name"]) =>
    mean(samples.filter((sample) => sample.name === name).map(({ rps }) => rps));
  const verdict = (what: string, figure: number, floor: number, aim: number | null) => ({
    ...{ what, figure, floor, aim, isKept: figure >= floor },
  });
  return [
    verdict("batches until drained, to raw inserts", rate("batches") / rate("raw"), INGEST_FLOOR, INGEST_AIM),
    verdict("batches acknowledged, to raw inserts", acknowledged("batches") / rate("raw"), INGEST_FLOOR, INGEST_AIM),
    verdict("one event a call until drained, to the control", rate("single") / rate("control"), SINGLE_FLOOR, null),
    verdict(
      "one event a call acknowledged, to the control",
      acknowledged("single") / rate("control"),
      SINGLE_FLOOR,
      null,
    ),
  ];
}

/** Whether every acknowledged event was stored, and nothing beyond the calls that were cut off or failed. */
export function isStoredExactly({ surplus, cutOff, failed }: IngestSample): boolean {
  return surplus === null || (surplus >= 0 && surplus <= cutOff + failed);
}

export function describeIngest(samples: readonly IngestSample[]): string[] {
  const rows = samples.map((sample): Row => {
    const { name, rps, drainedRps, p50Ms, p99Ms, failed, surplus } = sample;
    return [
      ...[name, Math.round(rps), drainedRps === null ? "" : String(Math.round(drainedRps)), p50Ms.toFixed(1)],
      ...[p99Ms.toFixed(1), failed, surplus === null ? "" : isStoredExactly(sample) ? "exact" : `${surplus} OFF`],
    ];
  });
  return renderTable(["ingest", "a second", "until drained", "p50 ms", "p99 ms", "failed", "stored"], rows);
}

export function questionResults(samples: readonly QuestionSample[]): QuestionResult[] {
  const grouped = Map.groupBy(samples, ({ events, name }) => `${events} ${name}`);
  return [...grouped.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const median = (how: QuestionSample["how"]) => {
      const times = own.filter((sample) => sample.how === how).map(({ ms }) => ms);
      const measured = times.filter((ms) => ms !== null);
      return measured.length === 0 ? null : percentile(measured, 0.5);
    };
    const { events, name } = first;
    const coldMs = median("cold") ?? Number.NaN;
    const cold = own.filter(({ how }) => how === "cold").map(({ ms }) => ms ?? Number.NaN);
    return {
      events,
      name,
      coldMs,
      leastColdMs: Math.min(...cold),
      cachedMs: median("cached"),
      nextMs: median("next time"),
      rawMs: median("raw"),
    };
  });
}

/** Of the largest size, and of the largest to the next: what doubling the events costs unfiltered questions. */
export function questionVerdicts(results: readonly QuestionResult[]): AnalyticsVerdict[] {
  const sizes = [...new Set(results.map(({ events }) => events))].sort((one, other) => other - one);
  const [largest, next] = sizes;
  return results
    .filter(({ events }) => events === largest)
    .flatMap((result) => [
      ...timeVerdicts(result),
      ...doublingVerdicts(
        result,
        results.find(({ events, name }) => events === next && name === result.name),
      ),
    ]);
}

function timeVerdicts({ name, coldMs, cachedMs, nextMs }: QuestionResult): AnalyticsVerdict[] {
  const verdict = (how: string, figure: number | null, floor: number | undefined): AnalyticsVerdict[] =>
    figure === null || floor === undefined
      ? []
      : [{ what: `${name}, ${how}, ms`, figure, floor, aim: null, isKept: figure <= floor }];
  const question = QUESTIONS.find((one) => one.name === name);
  if (question !== undefined) {
    const { cold, cached, next } = question.isFiltered ? FLOORS.filtered : FLOORS.unfiltered;
    return [
      ...verdict("cold", coldMs, cold),
      ...verdict("cached", cachedMs, cached),
      ...verdict("next time", nextMs, next),
    ];
  }
  if (name.endsWith("detail")) return verdict("cold", coldMs, FLOORS.detail);
  return name === "log, first page" ? verdict("cold", coldMs, FLOORS.page) : [];
}

/** Times of other sizes than double are brought to a doubling, as if they grew by the same factor with each. */
function doublingVerdicts(result: QuestionResult, smaller: QuestionResult | undefined): AnalyticsVerdict[] {
  const question = QUESTIONS.find(({ name }) => name === result.name);
  if (smaller === undefined || question === undefined || question.isFiltered) return [];
  const doublings = Math.log2(result.events / smaller.events);
  const figure = (result.leastColdMs / smaller.leastColdMs) ** (1 / doublings);
  const what = `${result.name}, cold at best, times as long when the events double`;
  return [{ what, figure, floor: DOUBLING_MAX, aim: null, isKept: figure <= DOUBLING_MAX }];
}

export function describeQuestions(results: readonly QuestionResult[], rawMaxMs: number): string[] {
  const ms = (time: number | null) => (time === null ? "" : time.toFixed(time < 100 ? 1 : 0));
  const isQuestion = (result: QuestionResult) => QUESTIONS.some(({ name }) => name === result.name);
  const rows = results.map((result): Row => {
    const { events, name, coldMs, cachedMs, nextMs, rawMs } = result;
    const raw = rawMs === null && isQuestion(result) ? `over ${rawMaxMs}` : ms(rawMs);
    return [name, events, ms(coldMs), ms(cachedMs), ms(nextMs), raw];
  });
  return renderTable(["question", "events", "cold ms", "cached ms", "next time ms", "raw ms"], rows);
}

export function describeVerdicts(verdicts: readonly AnalyticsVerdict[]): string[] {
  const rows = verdicts.map(({ what, figure, floor, aim, isKept }): Row => {
    const isAhead = isKept && aim !== null && figure >= aim;
    return [
      what,
      figure.toFixed(2),
      String(floor),
      aim === null ? "" : String(aim),
      isAhead ? "ahead" : isKept ? "ok" : "NOT KEPT",
    ];
  });
  return renderTable(["what", "figure", "floor", "aim", "verdict"], rows);
}
