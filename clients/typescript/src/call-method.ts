import { METHODS, type MethodRow, type Services } from "../gen/api.ts";
import type { CallOptions, RowStream, SafeCallOptions } from "./call.ts";
import type { Connection } from "./connection.ts";
import { ApiError } from "./errors.ts";
import { mayPass } from "./may-pass.ts";
import { eventRows, ndjsonRows } from "./row-stream.ts";
import { pause } from "./timers.ts";

const TIMEOUT_MS_DEFAULT = 30_000;
/** Beyond what the service takes itself, so that its own answer arrives. */
const GRACE_MS = 5_000;
/** Pages of 200 with everything that they may hold stay below it. */
const ANSWER_BYTES_MAX = 64 << 20;
const PAUSE_MS = 200;
const PAUSE_MS_MAX = 30_000;

/** The methods of one service. */
export function serviceMethods<Name extends keyof Services>(connection: Connection, name: Name): Services[Name] {
  const rows = Object.entries(METHODS[name]) as [string, MethodRow][];
  const methods = rows.map(([method, row]) => [
    method,
    (request: object = {}, options?: SafeCallOptions) => callMethod(connection, row, request, options),
  ]);
  // The table and the types are generated together.
  return Object.fromEntries(methods) as Services[Name];
}

/** Calls a method by its row. */
export async function callMethod(
  connection: Connection,
  row: MethodRow,
  request: object,
  { signal, timeoutMs, retries = 0 }: SafeCallOptions = {},
): Promise<unknown> {
  const limitMs = timeoutMs ?? Math.max(TIMEOUT_MS_DEFAULT, (row.answerTimeoutMs ?? 0) + GRACE_MS);
  if (row.rows !== undefined) return openRows(connection, row, request, { signal, timeoutMs: limitMs });
  const options = { timeoutMs: limitMs, signal, bytesMax: ANSWER_BYTES_MAX };
  for (let attempt = 1; ; attempt++) {
    try {
      return await connection.post(row.path, request, options);
    } catch (error) {
      if (!row.safe || attempt > retries || !mayPass(error)) throw error;
      const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
      const own = PAUSE_MS * 2 ** attempt * (0.5 + Math.random() / 2);
      await pause(Math.min(PAUSE_MS_MAX, Math.max(asked, own)), signal);
    }
  }
}

/** Rows that follow what happens come as events, which also tell that the connection still stands. */
async function openRows(
  connection: Connection,
  { path, rows }: MethodRow,
  request: object,
  { signal, timeoutMs = TIMEOUT_MS_DEFAULT }: CallOptions,
): Promise<RowStream<unknown>> {
  const follows = rows === "following";
  const accept = follows ? "text/event-stream" : "application/x-ndjson";
  const body = await connection.open(path, request, { timeoutMs, signal, accept, bytesMax: Number.POSITIVE_INFINITY });
  return follows ? eventRows(body, signal) : ndjsonRows(body, signal);
}
