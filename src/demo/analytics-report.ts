import { formatCount } from "../lib/format-count.ts";
import { renderTable } from "../lib/render-table.ts";
import type { AnalyticsAnswers, BreakdownEntry, Point } from "./analytics-answers.ts";
import type { IngestOutcome } from "./ingest-traffic.ts";
import { addCodes } from "./outcome.ts";

const RANKED_SHOWN = 10;
const VALUE_CHARACTERS = 44;
const BAR_CELLS = 32;
/** Of an ISO 8601 time, to the minute. */
const MINUTE_CHARACTERS = 16;

/** Says what /ingest answered. */
export function describeIngest({ accepted, duplicates, rejected }: IngestOutcome, elapsedMs: number): string[] {
  return [
    `Sent to /ingest in ${(elapsedMs / 1_000).toFixed(1)} s: ${formatCount(accepted)} accepted, ` +
      `${formatCount(duplicates)} duplicates, ${formatCount(rejected.length)} rejected`,
  ];
}

/** Figures, ranking and chart of the traffic, and the verdicts, all as the service answered them. */
export function describeAnalytics({ traffic, validations }: AnalyticsAnswers): string[] {
  const { stats, breakdowns, series } = traffic;
  const methods = breakdowns.method.map(({ value, count }) => `${formatCount(count)} ${value}`).join(", ");
  const statuses = breakdowns.statusCode.map(({ value, count }) => `${formatCount(count)} of ${value}`).join(", ");
  return [
    `api_traffic: ${formatCount(stats.totalRequests)} requests, ${stats.errorRate} % errors`,
    `  by method: ${methods}`,
    `  by status: ${statuses}`,
    "",
    ...describeRanking("busiest path", breakdowns.endpoint),
    "",
    ...describePoints(series.granularity, series.data),
    "",
    `key_activity: ${formatCount(validations.stats.totalRequests)} validations, ${validations.stats.errorRate} % refused, ` +
      `${validations.stats.avgLatencyMs} ms each on average`,
    "",
    ...describeCodes(validations),
  ];
}

function describeRanking(title: string, entries: readonly BreakdownEntry[]): string[] {
  const shown = entries.slice(0, RANKED_SHOWN);
  const most = Math.max(...shown.map(({ count }) => count));
  const rows = shown.map(({ value, count, percentage }) => {
    return [shortened(value), count, percentText(percentage), barOf(count, most)];
  });
  return renderTable([title, "requests", "share", ""], rows);
}

function describePoints(granularity: string, points: readonly Point[]): string[] {
  const most = Math.max(...points.map(({ requests }) => requests));
  const rows = points.map(({ timeBucket, requests, errors }) => {
    const time = timeBucket.slice(0, MINUTE_CHARACTERS).replace("T", " ");
    return [time, requests, errors, barOf(requests, most)];
  });
  return renderTable([`from, by ${granularity}`, "requests", "errors", ""], rows);
}

function describeCodes({ codesByClient, stats }: AnalyticsAnswers["validations"]): string[] {
  const codes = [...addCodes([...codesByClient.values()])].sort(([, count], [, other]) => other - count);
  const most = Math.max(...codes.map(([, count]) => count));
  const rows = codes.map(([code, count]) => {
    return [code, count, percentText((100 * count) / stats.totalRequests), barOf(count, most)];
  });
  return renderTable(["verdict", "requests", "share", ""], rows);
}

/** As long as the count is of the most; what there is, is seen. */
function barOf(count: number, most: number): string {
  return count === 0 ? "" : "#".repeat(Math.max(1, Math.round((BAR_CELLS * count) / most)));
}

function percentText(percentage: number): string {
  return `${percentage.toFixed(1).padStart(4)} %`;
}

/** Both ends of a long text: of paths, the end tells more. */
function shortened(text: string): string {
  if (text.length <= VALUE_CHARACTERS) return text;
  const head = Math.floor((VALUE_CHARACTERS - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(head + 1 - VALUE_CHARACTERS)}`.toWellFormed();
}
