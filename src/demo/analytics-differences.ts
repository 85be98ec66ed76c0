import type { AccessLogEntry } from "./access-log.ts";
import type { AnalyticsAnswers, BreakdownEntry, Stats } from "./analytics-answers.ts";
import { compareCount, compareCounts } from "./compare-counts.ts";
import type { IngestOutcome } from "./ingest-traffic.ts";
import type { CodeCounts } from "./outcome.ts";
import { countSpans, countTraffic, type TrafficCount } from "./traffic-count.ts";

/** As many values as a breakdown ranks. */
const RANKED_MAX = 50;
const STATUS_OF: Readonly<Record<string, string>> = { VALID: "200", NOT_FOUND: "401", USAGE_EXCEEDED: "429" };
const OK_STATUS = "200";

/** What was sent to the service. */
export interface SentTraffic {
  entries: readonly AccessLogEntry[];
  /** How much later than in the log its requests were recorded. */
  shiftMs: number;
  /** How often each code was answered to /key/validate, by client address. */
  codesByClient: ReadonlyMap<string, CodeCounts>;
}

/**
 * Compares what the service recorded with the log, counted one by one, and with the verdicts that it answered, to the unit.
 *
 * @returns a line for each difference; empty when all agrees
 */
export function findAnalyticsDifferences(
  { entries, shiftMs, codesByClient }: SentTraffic,
  ingested: IngestOutcome,
  { traffic, validations }: AnalyticsAnswers,
): string[] {
  const count = countTraffic(entries);
  const { data } = traffic.series;
  const spans = countSpans(
    entries,
    shiftMs,
    data.map(({ timeBucket }) => Date.parse(timeBucket)),
  );
  return [
    ...compareCount("events accepted", ingested.accepted, count.requests),
    ...ingested.rejected.map(({ requestId, message }) => `${requestId} was rejected: ${message}`),
    ...compareStats("api_traffic", traffic.stats, count),
    ...Object.entries(count.breakdowns).flatMap(([dimension, implied]) =>
      // A record of the same names.
      compareRanking(dimension, traffic.breakdowns[dimension as keyof typeof count.breakdowns], implied),
    ),
    ...data.flatMap(({ timeBucket, requests, errors }, index) => [
      ...compareCount(`requests from ${timeBucket}`, requests, spans[index]?.requests ?? 0),
      ...compareCount(`errors from ${timeBucket}`, errors, spans[index]?.errors ?? 0),
    ]),
    ...compareCount(
      "requests over time",
      data.reduce((sum, { requests }) => sum + requests, 0),
      count.requests,
    ),
    ...compareValidations(validations, codesByClient),
  ];
}

function compareStats(source: string, stats: Stats, { requests, errors }: Pick<TrafficCount, "requests" | "errors">) {
  return [
    ...compareCount(`${source}: requests`, stats.totalRequests, requests),
    ...compareCount(`${source}: error rate`, stats.errorRate, percentageOf(errors, requests)),
  ];
}

/** Values that are equally frequent may be ranked either way, and the last place goes to any of them. */
function compareRanking(
  dimension: string,
  ranked: readonly BreakdownEntry[],
  implied: ReadonlyMap<string, number>,
): string[] {
  const total = [...implied.values()].reduce((sum, count) => sum + count, 0);
  const byRank = [...implied.values()].sort((one, other) => other - one).slice(0, RANKED_MAX);
  return [
    ...compareCount(`${dimension}: values ranked`, new Set(ranked.map(({ value }) => value)).size, byRank.length),
    ...ranked.flatMap(({ value, count, percentage }, index) => [
      ...compareCount(`${dimension}: ${value}`, count, implied.get(value) ?? 0),
      ...compareCount(`${dimension}: place ${index + 1}`, count, byRank[index] ?? 0),
      ...compareCount(`${dimension}: percentage of ${value}`, percentage, percentageOf(count, total)),
    ]),
  ];
}

function compareValidations(
  { stats, statuses, codesByClient }: AnalyticsAnswers["validations"],
  answered: SentTraffic["codesByClient"],
): string[] {
  const byStatus = new Map<string, number>();
  for (const [code, count] of [...answered.values()].flatMap((codes) => [...codes])) {
    const status = STATUS_OF[code] ?? code;
    byStatus.set(status, (byStatus.get(status) ?? 0) + count);
  }
  const requests = [...byStatus.values()].reduce((sum, count) => sum + count, 0);
  const none: CodeCounts = new Map();
  return [
    ...compareStats("key_activity", stats, { requests, errors: requests - (byStatus.get(OK_STATUS) ?? 0) }),
    ...compareRanking("verdict status", statuses, byStatus),
    ...[...new Set([...answered.keys(), ...codesByClient.keys()])].flatMap((address) =>
      compareCounts(`recorded of ${address}`, codesByClient.get(address) ?? none, answered.get(address) ?? none),
    ),
  ];
}

/** With two decimals, as the analytics round. */
function percentageOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;
}
