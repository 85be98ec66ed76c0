/** How a method is called, besides its request. */
export interface CallOptions {
  /** Ends the call when it is aborted; the promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until a TimeoutError. Default: 30,000, or more for methods whose work may take longer. Of a stream, until it begins. */
  timeoutMs?: number | undefined;
}

/** Likewise, of methods that change nothing. */
export interface SafeCallOptions extends CallOptions {
  /** How often a call is made again after a TransportError, 429 or 5xx, with a pause in between. Default: 0. */
  retries?: number | undefined;
}

/** Rows as they come. Ending the loop, or `cancel`, ends the call. It can be read once. */
export interface RowStream<Row> extends AsyncIterable<Row> {
  /** Ends the call without reading on. */
  cancel(): Promise<void>;
}
