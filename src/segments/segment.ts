/** The datasets that questions are asked of; each is a time-series of the same name. */
export const SOURCES = ["api_traffic", "key_activity"] as const;
export type Source = (typeof SOURCES)[number];

/** What events can be narrowed by, and counted by. */
export const DIMENSIONS = ["endpoint", "method", "statusCode", "clientIp", "consumer", "apiId"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** From which status on an event is an error. */
const ERROR_STATUS_MIN = 400;

/** What of an event questions are answered from. Unset texts are empty. */
export interface SegmentEvent {
  /** Epoch milliseconds. */
  at: number;
  endpoint: string;
  method: string;
  statusCode: number;
  clientIp: string;
  consumerId: string;
  consumerName: string;
  apiId: string;
  latencyMs: number;
  /** How many events it stands for. */
  count: number;
}

export type Codes = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** A property of the events of a segment: the n-th event has the value that the n-th code is the place of. */
export interface Column {
  values: readonly string[];
  codes: Codes;
}

/** Events of one dataset of a project that happened in one hour, in the order of their time, as columns. */
export interface Segment {
  /** When the hour begins, in epoch milliseconds. */
  hourMs: number;
  /** Milliseconds since the beginning of the hour, ascending. */
  offsets: Uint32Array<ArrayBuffer>;
  /** Whole microseconds, so that their sum does not depend on its order. */
  latencies: Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;
  /** How many events each row stands for; undefined: one. */
  weights: Uint32Array<ArrayBuffer> | undefined;
  columns: Readonly<Record<Dimension, Column>>;
}

export function hourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS) * HOUR_MS;
}

export function toMicroseconds(latencyMs: number): number {
  return Math.round(latencyMs * 1_000);
}

export function isErrorStatus(statusCode: number): boolean {
  return statusCode >= ERROR_STATUS_MIN;
}

/** What the column `consumer` has of an event: both its id and its name, because it can be asked for by either. */
export function consumerValue(consumerId: string, consumerName: string): string {
  // Ids are without NUL.
  return `${consumerId}\0${consumerName}`;
}

/** The id and the name of a value of the column `consumer`. */
export function consumerOf(value: string): [id: string, name: string] {
  const end = value.indexOf("\0");
  return [value.slice(0, end), value.slice(end + 1)];
}

/** An array for codes of so many values. */
export function codesFor(length: number, valueCount: number): Codes {
  if (valueCount <= 2 ** 8) return new Uint8Array(length);
  return valueCount <= 2 ** 16 ? new Uint16Array(length) : new Uint32Array(length);
}

/** Latencies as narrow as they fit. */
export function latenciesOf(values: Float64Array<ArrayBuffer>): Segment["latencies"] {
  return values.every((value) => value < 2 ** 32) ? Uint32Array.from(values) : values;
}
