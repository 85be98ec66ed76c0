import { create } from "@bufbuild/protobuf";
import { describe, expect, it, vi } from "vitest";
import { ApiSchema } from "../../gen/keysvc/v1/api_pb.js";
import { asFault, Fault } from "../lib/fault.ts";
import { type MessageItem, MessageStream } from "./message-stream.ts";

const toMessage = (item: MessageItem) => create(ApiSchema, item);

/** A stream of a source, and what cuts it. */
function streamOf(source: AsyncIterable<MessageItem>) {
  const cutting = new AbortController();
  const toFault = vi.fn(asFault);
  return { stream: new MessageStream({ source, toMessage, toFault, cutting }), cutting, toFault };
}

/** A source that gives so many items and then waits for ever, and what became of it. */
function endless(count: number) {
  const seen = { given: 0, isClosed: false };
  const source: AsyncIterable<MessageItem> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (seen.given === count) return new Promise(() => undefined);
        seen.given++;
        return Promise.resolve({ done: false, value: { name: String(seen.given) } });
      },
      return: async () => {
        seen.isClosed = true;
        return { done: true, value: undefined };
      },
    }),
  };
  return { source, seen };
}

async function* give(...names: string[]) {
  for (const name of names) yield { name };
}

const stopping = () => new Fault("STOPPING", "bye");

describe("MessageStream", () => {
  it("gives all that the handler gives, as messages and in order, and is closed then", async () => {
    const { stream } = streamOf(give("a", "b", "c"));
    const names: unknown[] = [];
    for await (const message of stream) names.push(Reflect.get(message, "name"));
    expect(names).toEqual(["a", "b", "c"]);
    await stream.closed;
    expect(stream.signal.aborted).toBe(false);
  });

  it("asks the handler for nothing before the caller has room for it", async () => {
    const { source, seen } = endless(10);
    const { stream } = streamOf(source);
    expect(seen.given).toBe(0);
    await stream.next();
    await stream.next();
    expect(seen.given).toBe(2);
  });

  it("that is cut closes the handler's iterator, also while nobody asks for a message", async () => {
    const { source, seen } = endless(10);
    const { stream, cutting } = streamOf(source);
    await stream.next();
    cutting.abort();
    await stream.closed;
    expect(seen.isClosed).toBe(true);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it("that is cut while a message is waited for ends at once", async () => {
    const { source, seen } = endless(0);
    const { stream, cutting } = streamOf(source);
    const next = stream.next();
    cutting.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    await stream.closed;
    expect(seen.isClosed).toBe(true);
  });

  it.each([
    ["waits", true],
    ["asks afterwards", false],
  ])("tells the fault that it is cut with to who %s, once", async (_title, isWaiting) => {
    const { stream, cutting, toFault } = streamOf(endless(0).source);
    const fault = stopping();
    const before = isWaiting ? stream.next() : undefined;
    cutting.abort(fault);
    await expect(before ?? stream.next()).rejects.toBe(fault);
    expect(await stream.next()).toMatchObject({ done: true });
    // It is not the handler's: nobody has to log it.
    expect(toFault).not.toHaveBeenCalled();
  });

  it("that was cut before it began is over", async () => {
    const cutting = new AbortController();
    cutting.abort(stopping());
    const { source, seen } = endless(1);
    const stream = new MessageStream({ source, toMessage, toFault: asFault, cutting });
    await expect(stream.next()).rejects.toMatchObject({ reason: "STOPPING" });
    expect(seen).toEqual({ given: 0, isClosed: true });
  });

  it("runs the finally of a generator when the reader leaves its loop", async () => {
    const ended = vi.fn();
    const { stream } = streamOf(
      (async function* () {
        try {
          yield* give("a", "b");
        } finally {
          ended();
        }
      })(),
    );
    for await (const _message of stream) break;
    await stream.closed;
    expect(ended).toHaveBeenCalledOnce();
    expect(stream.signal.aborted).toBe(true);
  });

  it("gives what came before an error, then the error as a fault, and is done after it", async () => {
    const { stream } = streamOf(
      (async function* () {
        yield { name: "a" };
        throw new Error("secret");
      })(),
    );
    expect(await stream.next()).toMatchObject({ value: { name: "a" } });
    await expect(stream.next()).rejects.toMatchObject({ reason: "INTERNAL" });
    expect(await stream.next()).toMatchObject({ done: true });
    await stream.closed;
  });

  it("closes the handler's iterator when a message cannot be made, or must not be", async () => {
    const { source, seen } = endless(5);
    const refuse = async () => {
      throw new Fault("WRONG_CREDENTIAL", "revoked");
    };
    const options = { source, toMessage: refuse, toFault: asFault, cutting: new AbortController() };
    const stream = new MessageStream(options);
    await expect(stream.next()).rejects.toMatchObject({ reason: "WRONG_CREDENTIAL" });
    await stream.closed;
    expect(seen).toEqual({ given: 1, isClosed: true });
  });

  it("is closed when closing goes wrong, and tells nobody", async () => {
    const source: AsyncIterable<MessageItem> = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new Error("first")),
        return: () => Promise.reject(new Error("second")),
      }),
    };
    const { stream, toFault } = streamOf(source);
    await expect(stream.next()).rejects.toMatchObject({ cause: new Error("first") });
    await stream.closed;
    expect(toFault).toHaveBeenCalledOnce();
  });
});
