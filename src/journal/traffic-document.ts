import type { TrafficEvent } from "./traffic-event.ts";

/** The texts of an event that a document leaves out when they are empty. */
const TEXTS = [
  ...(["endpoint", "path", "clientIp", "apiKey", "apiId", "apiName", "consumerId", "consumerName"] as const),
  ...(["country", "region", "userAgent", "requestBody", "responseBody"] as const),
  ...(["requestHeaders", "responseHeaders"] as const),
] satisfies (keyof TrafficEvent)[];

/** An event as the collection `api_traffic` keeps it. */
export interface TrafficDocument
  extends Partial<Record<(typeof TEXTS)[number], string>>,
    Pick<TrafficEvent, "projectId" | "requestId" | "method" | "statusCode" | "latencyMs"> {
  at: Date;
}

/** The document of an event. Throws when it has no time, without which it cannot be stored. */
export function toTrafficDocument(event: TrafficEvent): TrafficDocument {
  if (!Number.isSafeInteger(event.at)) throw new TypeError("an event without a time");
  const { requestId, projectId, method, statusCode, latencyMs } = event;
  const document: TrafficDocument = { at: new Date(event.at), projectId, requestId, method, statusCode, latencyMs };
  for (const name of TEXTS) {
    // Rows of earlier versions may lack the last columns.
    if (event[name]) document[name] = event[name];
  }
  return document;
}
