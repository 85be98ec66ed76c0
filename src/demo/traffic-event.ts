import type { AccessLog, AccessLogEntry } from "./access-log.ts";

/** A request of the log, as /ingest takes it. */
export interface TrafficEvent {
  requestId: string;
  /** Epoch milliseconds. */
  timestamp: number;
  method: string;
  /** With its query; the service counts endpoints by what is before that. */
  path: string;
  statusCode: number;
  clientIp: string;
  userAgent?: string;
  consumerId?: string;
}

const SECOND_MS = 1_000;
/** What the log itself writes where there is nothing. */
export const ABSENT = "-";

/**
 * How much later than in the log its requests are recorded, so that the newest was a moment ago: whole seconds, the same
 * for all, so that the distances between them stay.
 *
 * @param nowMs epoch milliseconds
 */
export function shiftOf(entries: readonly AccessLogEntry[], nowMs: number): number {
  const newestMs = entries.reduce((newest, { timeMs }) => Math.max(newest, timeMs), Number.NEGATIVE_INFINITY);
  return Math.floor((nowMs - newestMs) / SECOND_MS - 1) * SECOND_MS;
}

/**
 * The events of a log. Their ids are made from the log and the line, so that sending them again records nothing twice.
 *
 * @param consumerIds of the clients that are consumers, by address
 */
export function trafficEventsOf(
  { digest, entries }: Pick<AccessLog, "digest" | "entries">,
  shiftMs: number,
  consumerIds: ReadonlyMap<string, string>,
): TrafficEvent[] {
  return entries.map((entry) => {
    const { lineNumber, timeMs, method, target, statusCode, clientAddress, userAgent } = entry;
    const consumerId = consumerIds.get(clientAddress);
    return {
      requestId: `log_${digest}_${lineNumber}`,
      timestamp: timeMs + shiftMs,
      method: method ?? ABSENT,
      path: target ?? ABSENT,
      statusCode,
      clientIp: clientAddress,
      ...(userAgent !== null && { userAgent }),
      ...(consumerId !== undefined && { consumerId }),
    };
  });
}
