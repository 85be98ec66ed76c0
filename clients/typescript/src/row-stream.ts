import type { RowStream } from "./call.ts";
import { transportError } from "./connection.ts";
import { ApiError, TransportError } from "./errors.ts";
import { parseProblem } from "./failed-answer.ts";

/** A reader of one form of rows: takes lines, gives rows, and throws when the service says that something went wrong. */
interface LineReader {
  /** A row, when the line completes one. `end` is the last line. */
  take(line: string): { row: unknown } | "end" | undefined;
  /** Whether the rows may end here without a word. */
  readonly endsQuietly: boolean;
}

/** Rows as lines of JSON. Those that are broken off end in an error of the connection. */
export function ndjsonRows<Row>(body: ReadableStream<Uint8Array>, signal?: AbortSignal): RowStream<Row> {
  return rowStream(body, signal, {
    take: (line) => (line === "" ? undefined : { row: JSON.parse(line) }),
    endsQuietly: true,
  });
}

/** Rows as server-sent events. */
export function eventRows<Row>(body: ReadableStream<Uint8Array>, signal?: AbortSignal): RowStream<Row> {
  let event = "";
  let data = "";
  return rowStream(body, signal, {
    take(line) {
      if (line.startsWith("event:")) event = line.slice(6).trim();
      else if (line.startsWith("data:")) data += line.slice(5).trimStart();
      if (line !== "") return undefined;
      const [name, text] = [event, data];
      event = "";
      data = "";
      if (name === "end") return "end";
      if (name === "error") throw streamFault(text);
      return text === "" ? undefined : { row: JSON.parse(text) };
    },
    endsQuietly: false,
  });
}

function streamFault(text: string): ApiError {
  const problem = parseProblem(text);
  return new ApiError(problem?.detail ?? "The stream ended with a fault.", {
    statusCode: 200,
    code: problem?.code,
    requestId: problem?.requestId,
  });
}

function rowStream<Row>(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
  lines: LineReader,
): RowStream<Row> {
  const reader = body.getReader();
  const cancel = () => reader.cancel().catch(() => undefined);
  async function* rows(): AsyncGenerator<Row> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        const parts = (rest + (done ? `${decoder.decode()}\n` : decoder.decode(value, { stream: true }))).split("\n");
        rest = parts.pop() ?? "";
        for (const part of parts) {
          const taken = lines.take(part.endsWith("\r") ? part.slice(0, -1) : part);
          if (taken === "end") return;
          // What a row is, the proto file says: the type is generated from it.
          if (taken !== undefined) yield taken.row as Row;
        }
        if (done) break;
      }
    } catch (error) {
      throw signal?.aborted ? signal.reason : transportError(error);
    } finally {
      await cancel();
    }
    if (!lines.endsQuietly) throw new TransportError("the stream broke off");
  }
  const iterator = rows();
  return { [Symbol.asyncIterator]: () => iterator, cancel };
}
