import { once } from "node:events";
import { type DescMessage, toBinary } from "@bufbuild/protobuf";
import type { ServerWritableStream } from "@grpc/grpc-js";
import type { MessageStream } from "./message-stream.ts";

/** Sends the messages of a stream at the pace of its reader, and ends the call. Throws the fault that the stream ends with. */
export async function sendMessages(
  call: ServerWritableStream<Buffer, Uint8Array>,
  messages: MessageStream,
  output: DescMessage,
): Promise<void> {
  for await (const message of messages) {
    if (call.write(toBinary(output, message))) continue;
    // A cut wakes it: the stream then says how it ends.
    await once(call, "drain", { signal: messages.signal }).catch(() => undefined);
  }
  call.end();
}

/** Is aborted when the caller leaves, or the call has ended. */
export function leftSignal(call: ServerWritableStream<Buffer, Uint8Array>): AbortSignal {
  const leaving = new AbortController();
  call.once("cancelled", () => leaving.abort());
  return leaving.signal;
}
