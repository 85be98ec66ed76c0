import type { ActivityEvent } from "./activity-event.ts";

/** The texts of an event that a document leaves out when they are empty. */
const TEXTS = [
  ...(["keyId", "apiKey", "consumerId", "consumerName", "apiId", "apiName"] as const),
  ...(["endpoint", "method", "clientIp", "userAgent", "country", "region"] as const),
] satisfies (keyof ActivityEvent)[];

/** An event as the collection `key_activity` keeps it. */
export interface ActivityDocument
  extends Partial<Record<(typeof TEXTS)[number], string>>,
    Pick<ActivityEvent, "projectId" | "requestId" | "code" | "creditsCharged" | "creditsRemaining" | "latencyMs"> {
  at: Date;
  /** The status of HTTP that stands for the verdict: /key/validate itself answers 200. */
  statusCode: number;
  /** Absent: one. */
  count?: number;
}

/** Every other verdict is a 403. */
const STATUS_CODES: Readonly<Record<string, number>> = {
  VALID: 200,
  NOT_FOUND: 401,
  KEY_EXPIRED: 401,
  RATE_LIMITED: 429,
  USAGE_EXCEEDED: 429,
};
const FORBIDDEN = 403;

/** The document of an event. Throws when it has no time, without which it cannot be stored. */
export function toActivityDocument(event: ActivityEvent): ActivityDocument {
  if (!Number.isSafeInteger(event.at)) throw new TypeError("an event without a time");
  const document: ActivityDocument = {
    at: new Date(event.at),
    projectId: event.projectId,
    requestId: event.requestId,
    code: event.code,
    statusCode: STATUS_CODES[event.code] ?? FORBIDDEN,
    creditsCharged: event.creditsCharged,
    creditsRemaining: event.creditsRemaining,
    latencyMs: event.latencyMs,
  };
  if (event.count !== 1) document.count = event.count;
  for (const name of TEXTS) {
    // Rows of earlier versions may lack the last columns.
    if (event[name]) document[name] = event[name];
  }
  return document;
}
