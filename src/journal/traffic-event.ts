/**
 * One call that a guarded application served, as `api_traffic` keeps it. Unset texts are empty. On the way there it is a row
 * in a journal entry, as an ActivityEvent is.
 */
export interface TrafficEvent {
  /** The caller's own, or one that was made. */
  requestId: string;
  /** When it was served, epoch milliseconds. */
  at: number;
  projectId: string;
  method: string;
  endpoint: string;
  /** With its query string. */
  path: string;
  statusCode: number;
  /** Whole microseconds: at most 3 decimals. */
  latencyMs: number;
  clientIp: string;
  /** Masked. */
  apiKey: string;
  apiId: string;
  /** As it was when the event was recorded, as the consumer's. */
  apiName: string;
  consumerId: string;
  consumerName: string;
  country: string;
  region: string;
  userAgent: string;
  /** Cut. */
  requestBody: string;
  responseBody: string;
  /** The JSON text of an object, without what is never kept. */
  requestHeaders: string;
  responseHeaders: string;
}

/** The order of a row. Entries of other versions may be in the journal: only ever add to the end. */
const COLUMNS = [
  ...(["requestId", "at", "projectId", "method", "endpoint", "path", "statusCode", "latencyMs"] as const),
  ...(["clientIp", "apiKey", "apiId", "apiName", "consumerId", "consumerName", "country", "region"] as const),
  ...(["userAgent", "requestBody", "responseBody", "requestHeaders", "responseHeaders"] as const),
] satisfies (keyof TrafficEvent)[];

/** The row of an event in the text of a journal entry: one flat text, which waits for its batch. */
export function writeTrafficRow(event: TrafficEvent): string {
  return JSON.stringify(COLUMNS.map((column) => event[column]));
}

/** The events in the text of a journal entry. Throws when it is none. */
export function readTrafficRows(text: string): TrafficEvent[] {
  // writeTrafficRow made each.
  return (JSON.parse(text) as unknown[][]).map(toEvent);
}

/** By hand, because it is on the way of every event: a test compares it with what was written. */
function toEvent(row: readonly unknown[]): TrafficEvent {
  // In the order of COLUMNS, as it was written.
  return {
    requestId: row[0],
    at: row[1],
    projectId: row[2],
    method: row[3],
    endpoint: row[4],
    path: row[5],
    statusCode: row[6],
    latencyMs: row[7],
    clientIp: row[8],
    apiKey: row[9],
    apiId: row[10],
    apiName: row[11],
    consumerId: row[12],
    consumerName: row[13],
    country: row[14],
    region: row[15],
    userAgent: row[16],
    requestBody: row[17],
    responseBody: row[18],
    requestHeaders: row[19],
    responseHeaders: row[20],
  } as TrafficEvent;
}
