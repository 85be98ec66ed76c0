import type { TrafficEvent as SentEvent } from "../../gen/keysvc/v1/ingest_pb.js";
import type { TrafficEvent } from "../journal/traffic-event.ts";
import { maskRecorded } from "../key/key.ts";
import type { FieldError } from "../lib/fault.ts";
import { parseEventTime } from "../lib/parse-event-time.ts";
import { cutBody } from "./cut-text.ts";
import { cleanHeaders } from "./headers.ts";

/** For how long the same requestId is the same event. */
export const RECORDED_MS = 24 * 3_600_000;

const DAY_MS = 24 * 3_600_000;
const AGE_MAX_DAYS = 30;
/** How far the clock of whoever records may be ahead. */
export const AHEAD_MAX_MS = 5 * 60_000;
const LATENCY_MAX_MS = DAY_MS;
const STATUS_MIN = 100;
const STATUS_MAX = 599;
const REQUEST_ID = /^[!-~]{1,128}$/;

/** Texts that are looked for and counted by: the most characters that each may have. */
const LABEL_LENGTHS = {
  ...{ method: 64, endpoint: 8_192, path: 8_192, clientIp: 256, apiKey: 8_192, apiId: 128, apiName: 4_096 },
  ...{ consumerId: 128, consumerName: 4_096, country: 256, region: 256, userAgent: 8_192 },
};
// A record has the names that it was made of, and no others.
const LABELS = Object.entries(LABEL_LENGTHS) as [keyof typeof LABEL_LENGTHS, number][];
/** Texts that are only shown. */
const CONTENTS = ["requestBody", "responseBody", "requestHeaders", "responseHeaders"] as const;

/** What the time of an event is compared with. */
export interface Present {
  /** The database's time, epoch milliseconds. */
  nowMs: number;
  /** Older events are not kept, so none is accepted. */
  retentionDays: number;
}

/**
 * The event that is kept of one that was sent, apart from what is looked up: an id where none was sent, and names that the
 * project gives. Adds an error for each field that breaks a rule; then the event says nothing.
 */
export function checkEvent(sent: SentEvent, projectId: string, present: Present, errors: FieldError[]): TrafficEvent {
  checkTexts(sent, errors);
  const at = timeOf(sent, present, errors);
  const { requestId, method, path, statusCode = 0, latencyMs = 0 } = sent;
  const refuse = (field: keyof SentEvent, message: string) => errors.push({ field, message });
  if (requestId !== "" && !REQUEST_ID.test(requestId)) refuse("requestId", "must be 1 to 128 visible ASCII characters");
  if (method === "") refuse("method", "is required");
  if (path === "" && sent.endpoint === "") refuse("endpoint", "is required, or path");
  if (sent.statusCode === undefined) refuse("statusCode", "is required");
  else if (!(statusCode >= STATUS_MIN && statusCode <= STATUS_MAX)) refuse("statusCode", "must be from 100 to 599");
  if (!(latencyMs >= 0 && latencyMs <= LATENCY_MAX_MS)) refuse("latencyMs", `must be from 0 to ${LATENCY_MAX_MS}`);
  return {
    ...{ requestId, at, projectId, method, path, statusCode },
    endpoint: sent.endpoint === "" ? withoutQuery(path) : sent.endpoint,
    // Whole microseconds, so that sums of them are exact.
    latencyMs: Math.round(latencyMs * 1_000) / 1_000,
    clientIp: sent.clientIp,
    apiKey: sent.apiKey === "" ? "" : maskRecorded(sent.apiKey),
    apiId: sent.apiId,
    apiName: sent.apiName,
    consumerId: sent.consumerId,
    consumerName: sent.consumerName,
    country: sent.country,
    region: sent.region,
    userAgent: sent.userAgent,
    requestBody: cutBody(sent.requestBody),
    responseBody: cutBody(sent.responseBody),
    requestHeaders: cleanHeaders(sent.requestHeaders, "requestHeaders", errors),
    responseHeaders: cleanHeaders(sent.responseHeaders, "responseHeaders", errors),
  };
}

function checkTexts(sent: SentEvent, errors: FieldError[]): void {
  for (const [field, lengthMax] of LABELS) {
    const text = sent[field];
    if (text === "") continue;
    if (text.length > lengthMax) errors.push({ field, message: `must be at most ${lengthMax} characters` });
    if (text.includes("\0")) errors.push({ field, message: "must not have a NUL" });
    if (!text.isWellFormed()) errors.push({ field, message: LONE_SURROGATE });
  }
  for (const field of CONTENTS) {
    if (!sent[field].isWellFormed()) errors.push({ field, message: LONE_SURROGATE });
  }
}

const LONE_SURROGATE = "must be well-formed Unicode; it has a lone surrogate";

function timeOf({ timestamp, tsUnix }: SentEvent, { nowMs, retentionDays }: Present, errors: FieldError[]): number {
  if (timestamp === "" && tsUnix === undefined) return nowMs;
  const field = timestamp === "" ? "tsUnix" : "timestamp";
  const at = timestamp === "" ? Number(tsUnix) * 1_000 : parseEventTime(timestamp);
  if (at === undefined) {
    const message = "must be a time such as 2026-01-31 12:00:00, 2026-01-31T12:00:00Z, or Unix seconds or milliseconds";
    errors.push({ field, message });
    return nowMs;
  }
  const days = Math.min(AGE_MAX_DAYS, retentionDays);
  if (at < nowMs - days * DAY_MS) {
    errors.push({ field, message: `must be at most ${days} ${days === 1 ? "day" : "days"} old` });
  }
  if (at > nowMs + AHEAD_MAX_MS) errors.push({ field, message: "must be at most 5 minutes ahead" });
  return at;
}

function withoutQuery(path: string): string {
  const end = path.search(/[?#]/);
  return end === -1 ? path : path.slice(0, end) || "/";
}

/** Characters of what is not kept whole, which a call holds until it is answered. */
export function contentLength(sent: SentEvent): number {
  let length = 0;
  for (const field of CONTENTS) length += sent[field].length;
  return length;
}
