import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeService, startFakeService } from "./fake-service.ts";
import { sendRaw } from "./raw-request.ts";
import { STREAMING_APPLICATIONS, type StreamedAnswer, type StreamingApplication } from "./streaming-applications.ts";

const VERDICT = { valid: true, code: "VALID", requestId: "req_1", consumer: { consumerId: "consumer_1" } };
const KEY: [string, string] = ["Authorization", "Bearer sk_0123456789abcdef"];

let fake: FakeService;
let application: StreamingApplication;
beforeEach(async () => {
  fake = await startFakeService({ verdict: VERDICT });
});
afterEach(() => fake.close());

describe.each(Object.keys(STREAMING_APPLICATIONS))("streams through %s", (name) => {
  async function start(answer: () => StreamedAnswer, more: object = {}): Promise<void> {
    const options = {
      ...{ apiId: "api_1", projectKey: "project-key", baseURL: fake.url },
      ...{ captureResponseBody: true, captureResponseHeaders: true, ...more },
    };
    const started = await STREAMING_APPLICATIONS[name]?.(options, answer);
    if (started === undefined) throw new Error(`no application ${name}`);
    application = started;
  }

  it("server-sent events arrive one by one, and none is recorded", async () => {
    const gate = Promise.withResolvers<void>();
    async function* parts() {
      yield "data: 1\n\n";
      await gate.promise;
      yield "data: 2\n\n";
    }
    await start(() => ({ status: 200, headers: { "content-type": "text/event-stream" }, parts: parts() }));
    const response = await fetch(`http://127.0.0.1:${application.port}/`, { headers: [KEY] });
    const reader = response.body?.getReader();
    // Were anything held back, this would wait for the gate, which waits for this.
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toBe("data: 1\n\n");
    gate.resolve();
    const second = await reader?.read();
    expect(new TextDecoder().decode(second?.value)).toBe("data: 2\n\n");
    expect((await reader?.read())?.done).toBe(true);
    await application.close();
    expect(fake.events).toMatchObject([{ statusCode: 200, requestId: "req_1" }]);
    expect(fake.events[0]?.responseBody).toBeUndefined();
  });

  it("a text arrives piece by piece while it is recorded", async () => {
    const gate = Promise.withResolvers<void>();
    async function* parts() {
      yield "first,";
      await gate.promise;
      yield "second";
    }
    await start(() => ({ status: 200, headers: { "content-type": "text/plain" }, parts: parts() }));
    const response = await fetch(`http://127.0.0.1:${application.port}/`, { headers: [KEY] });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("first,");
    gate.resolve();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("second");
    expect((await reader?.read())?.done).toBe(true);
    await application.close();
    expect(fake.events).toMatchObject([{ responseBody: "first,second" }]);
  });

  it("a buffer that the handler uses again is recorded as it was", async () => {
    const gate = Promise.withResolvers<void>();
    async function* parts() {
      const buffer = Buffer.from("first,");
      yield buffer;
      await gate.promise;
      buffer.fill("X");
      yield "second";
    }
    await start(() => ({ status: 200, headers: { "content-type": "text/plain" }, parts: parts() }));
    const response = await fetch(`http://127.0.0.1:${application.port}/`, { headers: [KEY] });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("first,");
    gate.resolve();
    while (!(await reader?.read())?.done);
    await application.close();
    expect(fake.events).toMatchObject([{ responseBody: "first,second" }]);
  });

  it("a compressed body is what it was, byte by byte, and is not recorded", async () => {
    const zipped = gzipSync("a text ".repeat(1_000));
    async function* parts() {
      yield zipped.subarray(0, 10);
      yield zipped.subarray(10);
    }
    const headers = { "content-type": "text/plain", "content-encoding": "gzip" };
    await start(() => ({ status: 200, headers, parts: parts() }));
    const response = await fetch(`http://127.0.0.1:${application.port}/`, { headers: [KEY] });
    expect(await response.text()).toBe("a text ".repeat(1_000));
    await application.close();
    expect(fake.events[0]?.responseBody).toBeUndefined();
  });

  it("304 has no body, and its headers are recorded", async () => {
    async function* nothing(): AsyncGenerator<string> {}
    await start(() => ({ status: 304, headers: { etag: '"1"' }, parts: nothing() }));
    const response = await sendRaw(application.port, { method: "GET", target: "/", headers: [KEY] });
    expect([response.status, response.body, response.headers.get("etag")]).toEqual([304, "", ['"1"']]);
    await application.close();
    expect(fake.events).toMatchObject([{ statusCode: 304 }]);
    expect(JSON.parse(String(fake.events[0]?.responseHeaders))).toMatchObject({ etag: '"1"' });
  });

  it("who leaves in the middle is recorded once, with the status that was sent", async () => {
    const gate = Promise.withResolvers<void>();
    async function* parts() {
      yield "begin";
      await gate.promise;
    }
    await start(() => ({ status: 200, headers: { "content-type": "text/plain" }, parts: parts() }));
    const socket = connect(application.port, "127.0.0.1");
    socket.write(`GET /leaves HTTP/1.1\r\nHost: x\r\n${KEY.join(": ")}\r\n\r\n`);
    await once(socket, "data");
    socket.destroy();
    gate.resolve();
    await application.close();
    expect(fake.events).toMatchObject([{ statusCode: 200, path: "/leaves" }]);
  });

  it("who leaves before the verdict is not served, recorded or told of", async () => {
    await fake.close();
    fake = await startFakeService({ failure: "timeout" });
    let runs = 0;
    const told: unknown[] = [];
    const onError = (event: unknown) => told.push(event);
    const gone = Promise.withResolvers<void>();
    const watchedFetch: typeof fetch = (url, init) => {
      init?.signal?.addEventListener("abort", () => gone.resolve());
      return fetch(url, init);
    };
    async function* nothing(): AsyncGenerator<string> {}
    const answer = () => {
      runs++;
      return { status: 200, headers: {}, parts: nothing() };
    };
    await start(answer, { timeoutMs: 20_000, failureMode: "open", onError, fetch: watchedFetch });
    const socket = connect(application.port, "127.0.0.1");
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${KEY.join(": ")}\r\n\r\n`);
    while (fake.validations.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
    // The fake never answers: the request has to be given up. A guard that is closed before that would record nothing anyway.
    await gone.promise;
    await application.close();
    expect([runs, told, fake.events]).toEqual([0, [], []]);
  });
});
