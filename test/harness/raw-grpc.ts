import { connect } from "node:http2";
import { PROJECT_KEY } from "./service.ts";

/** Makes a call of gRPC with headers that no client would send, and resolves with the status that it ends with. */
export async function callRawGrpc(
  address: string,
  path: string,
  message: Uint8Array,
  headers: Record<string, string>,
): Promise<number> {
  const session = connect(`http://${address}`);
  try {
    return await new Promise<number>((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        authorization: `Bearer ${PROJECT_KEY}`,
        ...headers,
      });
      let status: unknown;
      // An answer without a message has it among the headers.
      stream.on("response", (received) => (status ??= received["grpc-status"]));
      stream.on("trailers", (received) => (status ??= received["grpc-status"]));
      stream.on("error", reject).on("close", () => resolve(Number(status)));
      stream.resume().end(envelope(message));
    });
  } finally {
    session.close();
  }
}

function envelope(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
