import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type GatewayMethod, methods } from "../../gen/gateway.js";
import { AnalyticsServiceLogsTailResponseSchema } from "../../gen/keysvc/v1/analytics_pb.js";
import { asFault, Fault } from "../lib/fault.ts";
import { type MessageItem, MessageStream } from "../rpc/message-stream.ts";
import { EVENT_STREAM, NDJSON, rowFormats } from "./row-formats.ts";
import { sendRows } from "./send-rows.ts";

const TAIL = methods.find(({ path }) => path === "/analytics/logs/tail") as GatewayMethod;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Sends what a source gives in a format of the tail; what was sent so far, and what was logged. */
function send(type: string, source: AsyncIterable<MessageItem>, highWaterMark = 16_384) {
  const format = rowFormats(TAIL).get(type);
  if (format === undefined) throw new Error(`no ${type}`);
  const cutting = new AbortController();
  const toMessage = (item: MessageItem) => create(AnalyticsServiceLogsTailResponseSchema, item);
  const messages = new MessageStream({ source, toMessage, toFault: asFault, cutting });
  const socket = { resetAndDestroy: vi.fn() };
  const out = Object.assign(new PassThrough({ highWaterMark }), { socket });
  const logError = vi.fn();
  // What it uses of a response is what a stream has, and the socket.
  const sent = sendRows(messages, out as unknown as ServerResponse, {
    format,
    requestId: "req_1",
    logError,
    onFault: () => undefined,
  });
  return { out, sent, cutting, socket, logError, text: () => String(out.read() ?? "") };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const never = new Promise<never>(() => undefined);

async function* rowThenNothing() {
  yield { row: { requestId: "a" } };
  await never;
}

describe("server-sent events", () => {
  it("are a row as JSON on a line each, and an event that says that it was the last", async () => {
    const { sent, text } = send(
      EVENT_STREAM,
      (async function* () {
        yield { row: { requestId: "a\nb" } };
        yield { row: { requestId: "c" } };
      })(),
    );
    await sent;
    const [first = "", second = "", last, ...rest] = text().split("\n\n");
    expect(JSON.parse(first.replace("data: ", ""))).toMatchObject({ requestId: "a\nb", latencyMs: 0 });
    expect(JSON.parse(second.replace("data: ", ""))).toMatchObject({ requestId: "c" });
    expect([last, rest]).toEqual(["event: end\ndata: {}", [""]]);
  });

  it("have a comment every 15 s while there are no rows", async () => {
    const { text } = send(EVENT_STREAM, rowThenNothing());
    await turn();
    await turn();
    text();
    for (let beat = 0; beat < 3; beat++) {
      vi.advanceTimersByTime(14_999);
      await turn();
      expect(text()).toBe("");
      vi.advanceTimersByTime(1);
      await turn();
      expect(text()).toBe(":\n\n");
    }
  });

  it("have none for a reader who does not read, and end with the stream", async () => {
    const { out, cutting, sent } = send(EVENT_STREAM, rowThenNothing(), 10);
    await turn();
    await turn();
    const before = out.readableLength + out.writableLength;
    vi.advanceTimersByTime(60_000);
    await turn();
    expect(out.readableLength + out.writableLength).toBe(before);
    cutting.abort();
    await sent;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tell a fault as a problem, and when to try again", async () => {
    const { cutting, sent, text, socket } = send(EVENT_STREAM, rowThenNothing());
    await turn();
    cutting.abort(new Fault("STOPPING", "bye", { retryAfterSeconds: 1 }));
    await sent;
    const [, event = ""] = text().split("\n\n");
    const [name, retry, data = ""] = event.split("\n");
    expect([name, retry]).toEqual(["event: error", "retry: 1000"]);
    expect(JSON.parse(data.replace("data: ", ""))).toMatchObject({ status: 503, detail: "bye", requestId: "req_1" });
    expect(socket.resetAndDestroy).not.toHaveBeenCalled();
  });

  it("are broken off for a reader who does not read and so would hold up the stop", async () => {
    const { cutting, sent, socket } = send(EVENT_STREAM, rowThenNothing(), 10);
    await turn();
    await turn();
    cutting.abort(new Fault("STOPPING", "bye"));
    await sent;
    expect(socket.resetAndDestroy).toHaveBeenCalledOnce();
  });
});

it("lines are broken off at a fault, without an end", async () => {
  const { out, cutting, sent, socket } = send(NDJSON, rowThenNothing());
  await turn();
  cutting.abort(new Fault("STOPPING", "bye"));
  await sent;
  expect(socket.resetAndDestroy).toHaveBeenCalledOnce();
  expect(out.writableEnded).toBe(false);
});

it("a row that cannot be written is a fault that is logged, and the source is closed", async () => {
  const close = vi.fn(async () => ({ done: true as const, value: undefined }));
  const next = async () => ({ done: false, value: {} });
  const { sent, logError, text } = send(EVENT_STREAM, { [Symbol.asyncIterator]: () => ({ next, return: close }) });
  await sent;
  expect(logError).toHaveBeenCalledExactlyOnceWith(expect.any(TypeError), "req_1");
  expect(close).toHaveBeenCalledOnce();
  expect(text()).toContain('"code":"internal"');
});
