import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { MiddlewareOptions, MiddlewareRequest } from "../src/middleware/options.ts";
import { STREAMING_APPLICATIONS } from "./streaming-applications.ts";

type Wait = (request: MiddlewareRequest) => Promise<void>;

/** Options that wait for something before they say what is to be done. */
const WAITING: Record<string, (wait: Wait) => Partial<MiddlewareOptions>> = {
  "its key is known": (wait) => ({ getConsumerKey: (request) => wait(request).then(() => "sk_0123456789abcdef") }),
  "it is known that it has no key": (wait) => ({ getConsumerKey: (request) => wait(request).then(() => "") }),
  "the look for its key has failed": (wait) => ({
    getConsumerKey: (request) => wait(request).then(() => Promise.reject(new Error("broken"))),
  }),
  "its cost is known": (wait) => ({ creditsResolver: (request) => wait(request).then(() => 1) }),
  "it is known that its cost is none": (wait) => ({ creditsResolver: (request) => wait(request).then(() => -1) }),
};

describe.each(Object.keys(STREAMING_APPLICATIONS))("a request of %s of which the caller leaves", (name) => {
  it.each(Object.entries(WAITING))("before %s is not asked about, served, recorded or told of", async (_, waiting) => {
    const noted: unknown[] = [];
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const wait: Wait = async (request) => {
      const closed = once(connectionOf(request), "close");
      begun.resolve();
      await closed;
      // The response hears of it beside the connection.
      await setImmediate();
      ended.resolve();
    };
    const client = {
      verify: async () => expect.unreachable(),
      ingest: (event: object) => void noted.push(event),
    };
    const onError = (event: object) => noted.push(event);
    const application = await STREAMING_APPLICATIONS[name]?.(
      { apiId: "api_1", client, onError, ...waiting(wait) },
      () => {
        noted.push("served");
        return { status: 200, headers: {}, parts: nothing() };
      },
    );
    if (application === undefined) throw new Error(`no application ${name}`);
    const socket = connect(application.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_0123456789abcdef\r\n\r\n");
    await begun.promise;
    socket.destroy();
    await ended.promise;
    await setImmediate();
    await application.close();
    expect(noted).toEqual([]);
  });
});

async function* nothing(): AsyncGenerator<string> {}

/** The connection of a request, whichever framework it is of. */
function connectionOf({ raw }: MiddlewareRequest): Socket {
  const { socket, env } = raw as { socket?: Socket; env?: { incoming: { socket: Socket } } };
  return socket ?? env?.incoming.socket ?? expect.unreachable();
}
