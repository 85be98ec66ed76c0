import type { ServerResponse } from "node:http";
import { constants, type Http2ServerResponse } from "node:http2";
import { TLSSocket } from "node:tls";
import { asFault, type Fault, type FaultReason } from "../lib/fault.ts";
import type { MessageStream } from "../rpc/message-stream.ts";
import { PacedWriter } from "./paced-writer.ts";
import type { RowFormat } from "./row-formats.ts";

/** Proxies give connections up on which nothing is sent, many of them after 60 s or 30 s. */
const HEARTBEAT_MS = 15_000;

export interface SendOptions {
  format: RowFormat;
  requestId: string;
  /** Is told of errors that are no Faults. */
  logError: (error: unknown, requestId: string) => void;
  /** Is told of the fault that it ends with. */
  onFault: (reason: FaultReason) => void;
}

/** Sends the messages of a stream, after its headers, at the pace of the reader. Never rejects. */
export async function sendRows(messages: MessageStream, response: ServerResponse, options: SendOptions): Promise<void> {
  const { format } = options;
  const writer = new PacedWriter(response);
  messages.signal.addEventListener("abort", () => writer.wake(), { once: true });
  const stopHeartbeat = startHeartbeat(writer, format);
  try {
    await writer.write(format.head);
    for await (const message of messages) {
      const room = writer.write(format.row(message));
      if (room !== undefined) await room;
    }
    writer.write(format.end);
    writer.end();
  } catch (error) {
    const fault = asFault(error);
    if (fault !== error) options.logError(error, options.requestId);
    options.onFault(fault.reason);
    endWithFault(writer, response, fault, options);
  } finally {
    stopHeartbeat();
  }
}

function startHeartbeat(writer: PacedWriter, { heartbeat }: RowFormat): () => void {
  if (heartbeat === undefined) return () => undefined;
  const timer = setInterval(() => {
    // They would only pile up.
    if (!writer.isFull) writer.write(heartbeat);
  }, HEARTBEAT_MS);
  return () => clearInterval(timer);
}

/** Tells the fault, where the format can and there is a reader to be told; else breaks off. */
function endWithFault(
  writer: PacedWriter,
  response: ServerResponse,
  fault: Fault,
  { format, requestId }: SendOptions,
): void {
  if (format.fault === undefined || writer.isFull) breakOff(response);
  else {
    writer.write(format.fault(fault, requestId));
    writer.end();
  }
}

/** Ends an answer so that its reader sees that it is not whole. */
function breakOff(response: ServerResponse | Http2ServerResponse): void {
  const { socket } = response;
  if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  // TLS has a sign of its own for a good end.
  else if (socket instanceof TLSSocket) socket.destroy();
  // A connection that is closed is a good end to HTTP/1.0, which many proxies speak; one that is reset is not.
  else socket?.resetAndDestroy();
}
