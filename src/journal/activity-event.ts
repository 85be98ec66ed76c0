/**
 * One verdict of /key/validate as `key_activity` keeps it, denials included. Unset texts are empty. On the way there it is a
 * row in a journal entry: a JSON array in the order of COLUMNS, because names would be more than half of the text.
 */
export interface ActivityEvent {
  requestId: string;
  /** Epoch milliseconds of the database, shifted by the setting for tests. */
  at: number;
  code: string;
  /** Of unlimited usage, the cost of the call; 0 for denials, and for a verdict that is given again. */
  creditsCharged: number;
  /** What was left in the pool after the verdict; null: unlimited usage, or the key was not found. */
  creditsRemaining: number | null;
  /**
   * From the arrival of the call until its verdict was made, in which the write that follows is not counted; of several
   * verdicts the mean.
   */
  latencyMs: number;
  /** How many verdicts it stands for: more than one only where NOT_FOUND verdicts are counted instead of kept. */
  count: number;
  projectId: string;
  /** Empty, as the consumer's, when the key was not found. */
  keyId: string;
  /** Masked. */
  apiKey: string;
  consumerId: string;
  consumerName: string;
  apiId: string;
  apiName: string;
  endpoint: string;
  method: string;
  clientIp: string;
  userAgent: string;
  country: string;
  region: string;
}

/** The order of a row. Entries of other versions may be in the journal: only ever add to the end. */
const COLUMNS = [
  ...(["requestId", "at", "code", "creditsCharged", "creditsRemaining", "latencyMs", "count"] as const),
  ...(["projectId", "keyId", "apiKey", "consumerId", "consumerName"] as const),
  ...(["apiId", "apiName", "endpoint", "method", "clientIp", "userAgent", "country", "region"] as const),
] satisfies (keyof ActivityEvent)[];

/** The events in the text of a journal entry. Throws when it is none. */
export function readRows(text: string): ActivityEvent[] {
  // writeRows, or the same by hand in the settlement, made it.
  return (JSON.parse(text) as unknown[][]).map(toEvent);
}

/** By hand, because it is on the way of every event: a test compares it with what was written. */
function toEvent(row: readonly unknown[]): ActivityEvent {
  // In the order of COLUMNS, as it was written.
  return {
    requestId: row[0],
    at: row[1],
    code: row[2],
    creditsCharged: row[3],
    creditsRemaining: row[4],
    latencyMs: row[5],
    count: row[6],
    projectId: row[7],
    keyId: row[8],
    apiKey: row[9],
    consumerId: row[10],
    consumerName: row[11],
    apiId: row[12],
    apiName: row[13],
    endpoint: row[14],
    method: row[15],
    clientIp: row[16],
    userAgent: row[17],
    country: row[18],
    region: row[19],
  } as ActivityEvent;
}

/** The text of a journal entry. */
export function writeRows(events: readonly ActivityEvent[]): string {
  return JSON.stringify(events.map((event) => COLUMNS.map((column) => event[column])));
}
