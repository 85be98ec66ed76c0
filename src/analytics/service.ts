import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  AnalyticsCard,
  type AnalyticsDetailsSchema,
  type AnalyticsFilters,
  type AnalyticsService,
  type AnalyticsSource,
} from "../../gen/keysvc/v1/analytics_pb.js";
import type { Call, Handlers } from "../lib/call.ts";
import { Fault } from "../lib/fault.ts";
import { type Dimension, isErrorStatus } from "../segments/segment.ts";
import type { AnalyticsServiceOptions } from "./analytics-service-options.ts";
import {
  toDimension,
  toFilters,
  toProtoApiLog,
  toProtoBreakdown,
  toProtoLatency,
  toProtoPoints,
  toProtoRow,
  toProtoShares,
  toProtoStats,
  toSource,
} from "./convert.ts";
import { exportLogs } from "./export-logs.ts";
import { listLogs } from "./list-logs.ts";
import type { MeasureValues } from "./messages.ts";
import { parseSlice } from "./parse-slice.ts";
import { filterKeyOf, type Measure, type Selection } from "./question.ts";
import { type Ranking, rankingOf } from "./ranking.ts";
import { tailLogs } from "./tail-logs.ts";
import { granularityOf, keptFrom, keptPart, type Window, type WindowRequest, windowOf } from "./window.ts";

/** Of no events. */
const NOTHING: Ranking = { total: 0, ranked: [] };
/** Entries of a breakdown. */
const BREAKDOWN_MAX = 50;
/** Entries of a list of a card: more than there are methods and statuses, and than anybody reads. */
const SHARES_MAX = 1_000;

/** What every question names. */
export interface Question extends WindowRequest {
  source: AnalyticsSource;
  apiId?: string | undefined;
  filters?: AnalyticsFilters | undefined;
}

/** Questions about the events of a project. */
export function analyticsService(options: AnalyticsServiceOptions): Handlers<typeof AnalyticsService> {
  const { limit, now, worker, cache, live, retentionDays } = options;

  async function ask<Result>(
    question: Question,
    { caller: { projectId }, setHeader }: Call,
    name: string,
    answer: (measure: Measuring, window: Window) => Promise<Result>,
    ignored?: Dimension,
  ): Promise<{ window: Window; result: Result }> {
    await limit.take(projectId);
    const nowMs = await now();
    const window = windowOf(question, nowMs, false);
    const filters = { ...toFilters(question.filters, question.apiId) };
    if (ignored !== undefined) delete filters[ignored];
    const selection: Selection = {
      ...{ projectId, source: toSource(question.source), filters, status: "all" },
      ...keptPart(window, nowMs, retentionDays),
    };
    const measure: Measuring = (measure) => worker.measure(selection, measure);
    const asked = () => answer(measure, window);
    // Exact windows are always measured.
    if (window.timeRange === undefined) return { window, result: await asked() };
    const { source, fromMs, untilMs } = selection;
    const key = [name, projectId, source, fromMs, untilMs, filterKeyOf(selection)];
    const aged = await cache.get(JSON.stringify(key), asked);
    setHeader("age", String(cache.ageSeconds(aged)));
    return { window, result: aged.answer };
  }

  return {
    async stats(request, call) {
      const { window, result } = await ask(request, call, "stats", async (measure) =>
        toProtoStats(await measure({ kind: "totals" })),
      );
      return { source: request.source, ...rangeOf(window), stats: result };
    },
    async statsDetails(request, call) {
      const { window, result } = await ask(request, call, `card ${request.card}`, (measure) =>
        details(measure, request.card),
      );
      return { source: request.source, card: request.card, ...rangeOf(window), details: result };
    },
    async timeseries(request, call) {
      const { window, result } = await ask(request, call, "timeseries", async (measure, window) =>
        toProtoPoints(await measure({ kind: "series", bucketMs: window.bucketMs }), window),
      );
      return { source: request.source, ...rangeOf(window), granularity: granularityOf(window.bucketMs), data: result };
    },
    async breakdown(request, call) {
      const dimension = toDimension(request.dimension);
      const asked = async (measure: Measuring) => {
        const [ranking = NOTHING] = await measure({ kind: "rankings", dimensions: [dimension], most: BREAKDOWN_MAX });
        return toProtoBreakdown(ranking);
      };
      const { window, result } = await ask(request, call, `breakdown ${dimension}`, asked, dimension);
      return { source: request.source, dimension: request.dimension, ...rangeOf(window), data: result };
    },
    async logs(request, { caller: { projectId } }) {
      await limit.take(projectId);
      return listLogs(options, projectId, request);
    },
    async logsExport(request, { caller: { projectId }, signal }) {
      await limit.take(projectId);
      return exportLogs(options, projectId, request, signal);
    },
    async logsTail(request, { caller: { projectId }, signal }) {
      await limit.take(projectId);
      return tailLogs(live, projectId, request, signal);
    },
    async logsDetail({ requestId, timestamp, source }, { caller: { projectId } }) {
      await limit.take(projectId);
      const { fromMs, untilMs } = parseSlice(timestamp);
      const { key_activity: verdict, api_traffic: served } = await worker.detail({
        ...{ projectId, requestId, fromMs, untilMs, keptFromMs: keptFrom(await now(), retentionDays) },
        source: source === 0 ? undefined : toSource(source),
      });
      if (verdict === undefined && served === undefined) {
        throw new Fault("NOT_FOUND", "requestId: no log was found for it in the second of the timestamp");
      }
      return {
        requestId,
        ...(verdict && { keyLog: toProtoRow(verdict, true) }),
        ...(served && { apiLog: toProtoApiLog(served) }),
      };
    },
  };
}

/** Measures the events of one selection. */
type Measuring = <Kind extends Measure["kind"]>(
  measure: Extract<Measure, { kind: Kind }>,
) => Promise<MeasureValues[Kind]>;

async function details(
  measure: Measuring,
  card: AnalyticsCard,
): Promise<MessageInitShape<typeof AnalyticsDetailsSchema>> {
  const rank = (...dimensions: Dimension[]) => measure({ kind: "rankings", dimensions, most: SHARES_MAX });
  switch (card) {
    case AnalyticsCard.TOTAL_REQUESTS: {
      const [methods = NOTHING, statuses = NOTHING] = await rank("method", "statusCode");
      const { total } = methods;
      const byMethod = toProtoShares(methods.ranked, total);
      const byStatusClass = toProtoShares(rankClasses(statuses), total);
      return { totalRequests: { total: BigInt(total), byMethod, byStatusClass } };
    }
    case AnalyticsCard.TOTAL_API_CALLS: {
      const [{ total, ranked } = NOTHING] = await rank("apiId");
      return { totalApiCalls: { total: BigInt(total), byApi: toProtoShares(ranked, total) } };
    }
    case AnalyticsCard.ERROR_RATE: {
      const [{ ranked } = NOTHING] = await rank("statusCode");
      const errors = ranked.filter(([status]) => isErrorStatus(Number(status)));
      const total = errors.reduce((sum, [, count]) => sum + count, 0);
      return { errorRate: { errorBreakdown: toProtoShares(errors, total) } };
    }
    default:
      return { latency: toProtoLatency(await measure({ kind: "latency" })) };
  }
}

function rankClasses({ ranked }: Ranking): Ranking["ranked"] {
  const classes = new Map<string, number>();
  for (const [status, count] of ranked) {
    const name = `${status.slice(0, 1)}xx`;
    classes.set(name, (classes.get(name) ?? 0) + count);
  }
  return rankingOf(classes, "statusCode", SHARES_MAX).ranked;
}

function rangeOf({ timeRange }: Window) {
  return timeRange === undefined ? {} : { timeRange };
}
