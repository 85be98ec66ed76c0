import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { TimeRange } from "../../gen/keysvc/v1/analytics_pb.js";
import { AHEAD_MAX_MS } from "../ingest/traffic.ts";
import { type FieldError, invalidRequest } from "../lib/fault.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../segments/segment.ts";

/** The time that a question is about: from a time on, up to another. */
export interface Window {
  fromMs: number;
  untilMs: number;
  /** undefined: the times were given exactly. */
  timeRange: TimeRange | undefined;
  /** How it is divided to be shown over time; parts begin at multiples of it since 1970. */
  bucketMs: number;
}

export interface WindowRequest {
  timeRange: TimeRange;
  startTime?: Timestamp | undefined;
  endTime?: Timestamp | undefined;
}

interface RangeRule {
  lengthMs: number;
  bucketMs: number;
  /** Windows up to now end at multiples of this, and those that ask meanwhile share an answer. */
  stepMs: number;
}

const SECOND_MS = 1_000;

const RULES: Readonly<Record<Exclude<TimeRange, TimeRange.UNSPECIFIED>, RangeRule>> = {
  [TimeRange.HOURS_1]: { lengthMs: HOUR_MS, bucketMs: MINUTE_MS, stepMs: 2 * SECOND_MS },
  [TimeRange.HOURS_3]: { lengthMs: 3 * HOUR_MS, bucketMs: 5 * MINUTE_MS, stepMs: 5 * SECOND_MS },
  [TimeRange.HOURS_6]: { lengthMs: 6 * HOUR_MS, bucketMs: 10 * MINUTE_MS, stepMs: 5 * SECOND_MS },
  [TimeRange.HOURS_12]: { lengthMs: 12 * HOUR_MS, bucketMs: 15 * MINUTE_MS, stepMs: 5 * SECOND_MS },
  [TimeRange.HOURS_24]: { lengthMs: DAY_MS, bucketMs: 30 * MINUTE_MS, stepMs: 5 * SECOND_MS },
  [TimeRange.DAYS_7]: { lengthMs: 7 * DAY_MS, bucketMs: 6 * HOUR_MS, stepMs: 30 * SECOND_MS },
  [TimeRange.DAYS_30]: { lengthMs: 30 * DAY_MS, bucketMs: DAY_MS, stepMs: 30 * SECOND_MS },
};

/** Longer than events are ever kept. */
const LENGTH_MAX_DAYS = 3_660;

/**
 * The window of a request. Throws INVALID_REQUEST.
 *
 * @param isLive whether a window up to now has everything that is recorded, also what a clock that is ahead has stamped, and
 * does not end at the last step of the cache
 */
export function windowOf(request: WindowRequest, nowMs: number, isLive: boolean): Window {
  const { timeRange, startTime, endTime } = request;
  if (startTime !== undefined || endTime !== undefined) return exactWindow(request);
  const chosen = timeRange === TimeRange.UNSPECIFIED ? TimeRange.HOURS_24 : timeRange;
  const { lengthMs, bucketMs, stepMs } = RULES[chosen];
  const endMs = isLive ? nowMs : Math.floor(nowMs / stepMs) * stepMs;
  const untilMs = isLive ? endMs + AHEAD_MAX_MS + 1 : endMs;
  return { fromMs: endMs - lengthMs, untilMs, timeRange: chosen, bucketMs };
}

function exactWindow({ timeRange, startTime, endTime }: WindowRequest): Window {
  const errors: FieldError[] = [];
  if (timeRange !== TimeRange.UNSPECIFIED) {
    errors.push({ field: "timeRange", message: "must be absent where startTime and endTime are given" });
  }
  if (startTime === undefined) errors.push({ field: "startTime", message: "is needed beside endTime" });
  if (endTime === undefined) errors.push({ field: "endTime", message: "is needed beside startTime" });
  const [fromMs, untilMs] = [toMs(startTime), toMs(endTime)];
  if (errors.length === 0 && fromMs > untilMs)
    errors.push({ field: "startTime", message: "must not be after endTime" });
  if (errors.length === 0 && untilMs - fromMs > LENGTH_MAX_DAYS * DAY_MS) {
    errors.push({ field: "startTime", message: `must be at most ${LENGTH_MAX_DAYS} days before endTime` });
  }
  if (errors.length > 0) throw invalidRequest(errors);
  const fitting = Object.values(RULES).find(({ lengthMs }) => untilMs - fromMs <= lengthMs);
  return { fromMs, untilMs, timeRange: undefined, bucketMs: fitting?.bucketMs ?? DAY_MS };
}

function toMs(time: Timestamp | undefined): number {
  return time === undefined ? 0 : Number(time.seconds) * SECOND_MS + Math.floor(time.nanos / 1_000_000);
}

/** Where the edge of what is kept is, for all who ask within so long. */
const EDGE_STEP_MS = 30 * SECOND_MS;

/**
 * The part of a window of which events are kept: those that are older may be gone, or about to be. Its end may be before its
 * begin.
 */
export function keptPart(
  { fromMs, untilMs }: Pick<Window, "fromMs" | "untilMs">,
  nowMs: number,
  retentionDays: number,
) {
  return { fromMs: Math.max(fromMs, keptFrom(nowMs, retentionDays)), untilMs };
}

/** From when on events are shown. The database keeps them a little longer. */
export function keptFrom(nowMs: number, retentionDays: number): number {
  return Math.floor((nowMs - retentionDays * DAY_MS) / EDGE_STEP_MS) * EDGE_STEP_MS;
}

/** As answers say how a window is divided: 30 MINUTE. */
export function granularityOf(bucketMs: number): string {
  if (bucketMs % DAY_MS === 0) return `${bucketMs / DAY_MS} DAY`;
  return bucketMs % HOUR_MS === 0 ? `${bucketMs / HOUR_MS} HOUR` : `${bucketMs / MINUTE_MS} MINUTE`;
}
