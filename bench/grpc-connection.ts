import { connect } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { KeyServiceValidateRequestSchema } from "../gen/keysvc/v1/key_pb.js";
import type { OpenConnection } from "./open-connection.ts";

/**
 * gRPC calls as streams of one raw HTTP/2 connection: h2load sends one body alone, and the HTTP/2 client of Node takes more
 * time than the server. It speaks just what it needs (RFC 9113): frames as they are written below, headers by index after
 * the first call, as compiled clients do.
 */
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const FRAME = { DATA: 0, HEADERS: 1, RST_STREAM: 3, SETTINGS: 4, PING: 6, GOAWAY: 7, WINDOW_UPDATE: 8 };
const FLAG = { ACK: 1, END_STREAM: 1, END_HEADERS: 4 };
const FRAME_HEADER_BYTES = 9;
const STREAM_ID_AT = 5;
/** Of a message: a flag for compression and its length. */
const GRPC_PREFIX_BYTES = 5;
const WINDOW_MAX_INCREMENT = 2 ** 31 - 1 - 65_535;
/** RFC 7541: entries of the static table, and where the dynamic one begins. */
const HPACK = { METHOD_POST: 0x83, SCHEME_HTTP: 0x86, LITERAL_INDEXED: 0x40, INDEXED: 0x80, DYNAMIC_FROM: 62 };

export const openGrpcConnection: OpenConnection = ({ port, credential }, keys, calls, depth) =>
  new Promise((_resolve, reject) => {
    const headers = headersOf(port, credential);
    const messages = keys.map(dataFrameOf);
    const underWay = new Map<number, { startMs: number; hasMessage: boolean }>();
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let streamId = -1;
    let rest: Buffer = Buffer.alloc(0);
    const request = (): Buffer[] => {
      streamId += 2;
      underWay.set(streamId, { startMs: performance.now(), hasMessage: false });
      const head = streamId === 1 ? headers.first : headers.later;
      const message = messages[calls.next()] ?? Buffer.alloc(0);
      return [head, message].map((frame) => withStreamId(frame, streamId));
    };
    /** What a frame calls for. */
    const answer = (type: number, flags: number, id: number, payload: Buffer): Buffer[] => {
      if (type === FRAME.SETTINGS && !(flags & FLAG.ACK)) return [frameOf(FRAME.SETTINGS, FLAG.ACK, Buffer.alloc(0))];
      if (type === FRAME.PING && !(flags & FLAG.ACK)) return [frameOf(FRAME.PING, FLAG.ACK, payload)];
      if (type === FRAME.GOAWAY) reject(new Error("the server closed a connection"));
      const call = underWay.get(id);
      if (call === undefined) return [];
      // Only what ends with OK has a message.
      if (type === FRAME.DATA && payload.length > GRPC_PREFIX_BYTES) call.hasMessage = true;
      const isEnd = type === FRAME.RST_STREAM || (type === FRAME.HEADERS && (flags & FLAG.END_STREAM) !== 0);
      if (!isEnd) return [];
      underWay.delete(id);
      calls.ended(call.startMs, call.hasMessage && type === FRAME.HEADERS);
      return request();
    };
    socket.on("connect", () => {
      const window = Buffer.alloc(4);
      window.writeUInt32BE(WINDOW_MAX_INCREMENT);
      const opening = [frameOf(FRAME.SETTINGS, 0, Buffer.alloc(0)), frameOf(FRAME.WINDOW_UPDATE, 0, window)];
      const requests = Array.from({ length: depth }, request).flat();
      socket.write(Buffer.concat([Buffer.from(PREFACE), ...opening, ...requests]));
    });
    socket.on("data", (chunk: Buffer) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const answers: Buffer[] = [];
      const end = eachFrame(bytes, (...frame) => answers.push(...answer(...frame)));
      rest = bytes.subarray(end);
      if (answers.length > 0) socket.write(Buffer.concat(answers));
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed a connection")));
  });

/** @returns where the frame begins that has not arrived as a whole */
function eachFrame(
  bytes: Buffer,
  take: (type: number, flags: number, streamId: number, payload: Buffer) => void,
): number {
  let at = 0;
  while (at + FRAME_HEADER_BYTES <= bytes.length) {
    const end = at + FRAME_HEADER_BYTES + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    const [type, flags] = [bytes.readUInt8(at + 3), bytes.readUInt8(at + 4)];
    take(type, flags, bytes.readUInt32BE(at + STREAM_ID_AT), bytes.subarray(at + FRAME_HEADER_BYTES, end));
    at = end;
  }
  return at;
}

function frameOf(type: number, flags: number, payload: Buffer): Buffer {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + payload.length);
  frame.writeUIntBE(payload.length, 0, 3);
  frame.writeUInt8(type, 3);
  frame.writeUInt8(flags, 4);
  payload.copy(frame, FRAME_HEADER_BYTES);
  return frame;
}

function withStreamId(frame: Buffer, streamId: number): Buffer {
  const copy = Buffer.from(frame);
  copy.writeUInt32BE(streamId, STREAM_ID_AT);
  return copy;
}

function dataFrameOf(key: string): Buffer {
  const message = toBinary(KeyServiceValidateRequestSchema, create(KeyServiceValidateRequestSchema, { key }));
  const prefix = Buffer.alloc(GRPC_PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return frameOf(FRAME.DATA, FLAG.END_STREAM, Buffer.concat([prefix, message]));
}

/** The headers of the first call, which put themselves into the server's table, and of all later ones, which point there. */
function headersOf(port: number, credential: string): { first: Buffer; later: Buffer } {
  const headers = [
    [":path", "/keysvc.v1.KeyService/Validate"],
    [":authority", `127.0.0.1:${port}`],
    ["content-type", "application/grpc"],
    ["te", "trailers"],
    ["user-agent", "keysvc-bench"],
    ["authorization", `Bearer ${credential}`],
  ];
  const fixed = [HPACK.METHOD_POST, HPACK.SCHEME_HTTP];
  const literals = headers.flatMap((texts) => [HPACK.LITERAL_INDEXED, ...texts.flatMap(hpackText)]);
  // The last one that was put there is the first in the table.
  const indexes = headers.map((_header, index) => HPACK.INDEXED | (HPACK.DYNAMIC_FROM + headers.length - 1 - index));
  const frame = (block: number[]) => frameOf(FRAME.HEADERS, FLAG.END_HEADERS, Buffer.from([...fixed, ...block]));
  return { first: frame(literals), later: frame(indexes) };
}

/** Below 127 bytes, where the length is one byte; not Huffman coded. */
function hpackText(text: string): number[] {
  return [text.length, ...Buffer.from(text)];
}
