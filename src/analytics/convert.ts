import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AnalyticsDimension,
  type AnalyticsFilters,
  type AnalyticsShareSchema,
  AnalyticsSource,
  type ApiLogSchema,
  type BreakdownEntrySchema,
  type LatencyDetailsSchema,
  type LogRowSchema,
  StatusFilter as StatusFilterProto,
  type TimeseriesPointSchema,
} from "../../gen/keysvc/v1/analytics_pb.js";
import { VerdictCode } from "../../gen/keysvc/v1/key_pb.js";
import type { ActivityDocument } from "../journal/activity-document.ts";
import type { EventDocument } from "../journal/drain-batch.ts";
import type { TrafficDocument } from "../journal/traffic-document.ts";
import { quantiles } from "../segments/latency-buckets.ts";
import { type Latency, RANGE_LIMITS_MS, type Totals } from "../segments/measure.ts";
import type { Dimension, Source } from "../segments/segment.ts";
import { bucketOf, type Points } from "./measures.ts";
import type { Filters, StatusFilter } from "./question.ts";
import type { Ranking } from "./ranking.ts";
import type { Window } from "./window.ts";

type Share = MessageInitShape<typeof AnalyticsShareSchema>;

const PERCENT_FACTOR = 10_000;
const MICROSECONDS = 1_000;
const SHARES = [0.5, 0.9, 0.95, 0.99];

export function toSource(source: AnalyticsSource): Source {
  return source === AnalyticsSource.KEY_ACTIVITY ? "key_activity" : "api_traffic";
}

const DIMENSION_OF: Readonly<Record<Exclude<AnalyticsDimension, AnalyticsDimension.UNSPECIFIED>, Dimension>> = {
  [AnalyticsDimension.ENDPOINT]: "endpoint",
  [AnalyticsDimension.METHOD]: "method",
  [AnalyticsDimension.STATUS_CODE]: "statusCode",
  [AnalyticsDimension.CLIENT_IP]: "clientIp",
  [AnalyticsDimension.CONSUMER]: "consumer",
};

export function toDimension(dimension: AnalyticsDimension): Dimension {
  if (dimension === AnalyticsDimension.UNSPECIFIED) throw new RangeError("a dimension is required");
  return DIMENSION_OF[dimension];
}

export function toStatusFilter(filter: StatusFilterProto): StatusFilter {
  if (filter === StatusFilterProto.ERROR) return "error";
  return filter === StatusFilterProto.SUCCESS ? "success" : "all";
}

/** Empty lists narrow nothing: over gRPC they cannot be told from absent ones. */
export function toFilters(filters: AnalyticsFilters | undefined, apiId: string | undefined): Filters {
  const { endpoint = [], method = [], statusCode = [], clientIp = [], consumer = [] } = filters ?? {};
  const named: Filters = {
    ...{ endpoint, method, clientIp, consumer, statusCode: statusCode.map(String) },
    apiId: apiId === undefined ? [] : [apiId],
  };
  return Object.fromEntries(Object.entries(named).filter(([, values]) => values.length > 0));
}

/** A part of a whole as a percentage with two decimals. */
function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * PERCENT_FACTOR) / 100;
}

/** The mean latency in milliseconds, to the microsecond. */
function averageMs(latencyUs: number, events: number): number {
  return events === 0 ? 0 : Math.round(latencyUs / events) / MICROSECONDS;
}

export function toProtoStats({ events, errors, latencyUs }: Totals) {
  return {
    totalRequests: BigInt(events),
    errorRate: percentage(errors, events),
    avgLatencyMs: averageMs(latencyUs, events),
  };
}

/** The most frequent values of a dimension. */
export function toProtoBreakdown({ total, ranked }: Ranking): MessageInitShape<typeof BreakdownEntrySchema>[] {
  return ranked.map(([value, count]) => ({ value, count: BigInt(count), percentage: percentage(count, total) }));
}

export function toProtoShares(ranked: readonly [string, number][], total: number): Share[] {
  return ranked.map(([code, count]) => ({ code, count: BigInt(count), percentage: percentage(count, total) }));
}

export function toProtoLatency(latency: Latency): MessageInitShape<typeof LatencyDetailsSchema> {
  const { totals, ranges } = latency;
  const { events, latencyUs, maxUs } = totals;
  const minUs = events === 0 ? 0 : totals.minUs;
  const [p50 = 0, p90 = 0, p95 = 0, p99 = 0] = quantiles(latency.buckets, SHARES, { minUs, maxUs }).map(
    (us) => Math.round(us) / MICROSECONDS,
  );
  const histogram = ranges.map((count, range): [string, number] => [rangeLabel(range), count]);
  return {
    ...{ avg: averageMs(latencyUs, events), min: minUs / MICROSECONDS, max: maxUs / MICROSECONDS },
    ...{ p50, p90, p95, p99, histogram: toProtoShares(histogram, events) },
  };
}

/** 10-25: from 10 ms on, below 25 ms. */
function rangeLabel(range: number): string {
  const [from = 0, until] = [RANGE_LIMITS_MS[range - 1], RANGE_LIMITS_MS[range]];
  return until === undefined ? `${from}+` : `${from}-${until}`;
}

/** All parts of a window, those without events included. */
export function toProtoPoints(
  points: Points,
  { fromMs, untilMs, bucketMs }: Window,
): MessageInitShape<typeof TimeseriesPointSchema>[] {
  const shown: MessageInitShape<typeof TimeseriesPointSchema>[] = [];
  for (let atMs = bucketOf(fromMs, bucketMs); atMs < untilMs; atMs += bucketMs) {
    const [events, errors, latencyUs] = points.get(atMs) ?? [0, 0, 0];
    shown.push({
      timeBucket: timestampFromMs(atMs),
      requests: BigInt(events),
      errors: BigInt(errors),
      avgLatencyMs: averageMs(latencyUs, events),
    });
  }
  return shown;
}

/** As log rows have it: YYYY-MM-DD HH:MM:SS in UTC. */
function toText(at: Date): string {
  return at.toISOString().slice(0, "YYYY-MM-DDTHH:MM:SS".length).replace("T", " ");
}

/** @param isDetail whether everything is shown that there is */
export function toProtoRow(event: EventDocument, isDetail: boolean): MessageInitShape<typeof LogRowSchema> {
  const { requestId, at, statusCode, latencyMs } = event;
  const { endpoint = "", method = "", clientIp = "", apiKey = "", apiId = "", apiName = "" } = event;
  const { consumerId = "", consumerName = "", country = "", region = "", userAgent = "" } = event;
  return {
    ...{ requestId, timestamp: toText(at), tsUnix: BigInt(Math.floor(at.getTime() / 1_000)), statusCode, latencyMs },
    ...{ endpoint, method, clientIp, apiKey, apiId, apiName, consumerId, consumerName, country, region },
    ...("code" in event ? toProtoVerdict(event) : { path: event.path ?? "" }),
    ...(isDetail && { userAgent }),
  };
}

function toProtoVerdict({ code, keyId = "", creditsCharged, creditsRemaining }: ActivityDocument) {
  return {
    // The codes of events are the names of the enum.
    code: VerdictCode[code as keyof typeof VerdictCode],
    keyId,
    creditsCharged: BigInt(creditsCharged),
    ...(creditsRemaining !== null && { creditsRemaining: BigInt(creditsRemaining) }),
  };
}

export function toProtoApiLog(event: TrafficDocument): MessageInitShape<typeof ApiLogSchema> {
  const { requestId, at, method, endpoint = "", statusCode, latencyMs, consumerId = "", region = "" } = event;
  const { requestBody = "", responseBody = "", requestHeaders = "", responseHeaders = "", userAgent = "" } = event;
  return {
    ...{ requestId, timestamp: toText(at), method, endpoint, statusCode, latencyMs, consumerId, region },
    ...{ requestBody, responseBody, requestHeaders, responseHeaders, userAgent },
  };
}
