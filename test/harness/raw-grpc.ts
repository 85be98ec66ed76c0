import { connect } from "node:http2";
import { PROJECT_KEY } from "./service.ts";

/** How a call of gRPC ended. */
export interface RawAnswer {
  status: number;
  /** In headers and trailers. */
  requestIds: string[];
}

/** Makes a call of gRPC with headers that no client would send, and tells what no client does. */
export async function callRawGrpc(
  address: string,
  path: string,
  message: Uint8Array,
  headers: Record<string, string>,
): Promise<RawAnswer> {
  const session = connect(`http://${address}`);
  try {
    return await new Promise<RawAnswer>((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        authorization: `Bearer ${PROJECT_KEY}`,
        ...headers,
      });
      const requestIds: string[] = [];
      let status: unknown;
      const read = (received: Record<string, unknown>) => {
        if (received["x-request-id"] !== undefined) requestIds.push(String(received["x-request-id"]));
        // An answer without a message has it among the headers.
        status ??= received["grpc-status"];
      };
      stream.on("response", read).on("trailers", read);
      stream.on("error", reject).on("close", () => resolve({ status: Number(status), requestIds }));
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
