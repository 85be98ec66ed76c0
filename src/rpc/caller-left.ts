import type { ServerResponse } from "node:http";

type Write = (chunk: unknown, encoding: unknown, callback: (error?: Error | null) => void) => boolean;

/**
 * Makes writes that fail say that the caller has left, in the words that Connect knows: every other error it prints to the
 * console as a failure of the handler. To be called for responses that Connect writes.
 */
export function sayCallerLeft(response: ServerResponse): void {
  // Connect calls it in this way alone.
  const write = response.write.bind(response) as Write;
  const writeOrSay: Write = (chunk, encoding, callback) =>
    write(chunk, encoding, (error) => callback(error && Object.assign(error, { code: "ERR_STREAM_DESTROYED" })));
  response.write = writeOrSay as ServerResponse["write"];
}
