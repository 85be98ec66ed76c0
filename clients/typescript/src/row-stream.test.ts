import { describe, expect, it } from "vitest";
import { clientOf, problem, SECRET } from "../test/client-of.ts";
import { KeysvcClient, TransportError } from "./index.ts";

describe("rows", () => {
  const NDJSON = { "content-type": "application/x-ndjson" };
  const request = { source: "api_traffic" } as const;
  async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
    const gathered: Row[] = [];
    for await (const row of rows) gathered.push(row);
    return gathered;
  }
  /** Chunks, and then an end, or a connection that breaks. */
  function bodyOf(chunks: string[], breaks = false): ReadableStream<Uint8Array<ArrayBuffer>> {
    const encoded = chunks.map((chunk) => new TextEncoder().encode(chunk));
    return new ReadableStream({
      pull(controller) {
        const next = encoded.shift();
        if (next !== undefined) controller.enqueue(next);
        else if (breaks) controller.error(new Error("reset"));
        else controller.close();
      },
    });
  }

  it("of an export come line by line, however they are cut", async () => {
    const body = bodyOf(['{"requestId":"r', 'eq_1"}\n{"requestId":"req_2"}', '\n{"requestId":"req_é"}\n']);
    const { client, sent } = clientOf(new Response(body, { headers: NDJSON }));
    const rows = await all(await client.analytics.logsExport(request));
    expect(rows).toEqual([{ requestId: "req_1" }, { requestId: "req_2" }, { requestId: "req_é" }]);
    expect(sent[0]?.headers.accept).toBe("application/x-ndjson");
  });

  it("of an export that breaks off end in an error", async () => {
    const body = bodyOf(['{"requestId":"req_1"}\n'], true);
    const { client } = clientOf(new Response(body, { headers: NDJSON }));
    await expect(all(await client.analytics.logsExport(request))).rejects.toBeInstanceOf(TransportError);
  });

  it("of a tail come as events, until the last", async () => {
    const text =
      ': hello\n\ndata: {"requestId":"req_1"}\r\n\r\n: still here\n\ndata: {"requestId":"req_2"}\n\nevent: end\ndata: {}\n\n';
    const { client, sent } = clientOf(new Response(bodyOf([text.slice(0, 30), text.slice(30)])));
    expect(await all(await client.analytics.logsTail(request))).toEqual([
      { requestId: "req_1" },
      { requestId: "req_2" },
    ]);
    expect(sent[0]?.headers.accept).toBe("text/event-stream");
  });

  it("of a tail end in the fault that the service tells, or in an error where it tells nothing", async () => {
    const fault = 'event: error\ndata: {"detail":"The service is stopping.","code":"unavailable"}\nretry: 1000\n\n';
    const told = clientOf(new Response(bodyOf([fault]))).client;
    await expect(all(await told.analytics.logsTail(request))).rejects.toMatchObject({ code: "unavailable" });
    const silent = clientOf(new Response(bodyOf(['data: {"requestId":"req_1"}\n\n']))).client;
    await expect(all(await silent.analytics.logsTail(request))).rejects.toBeInstanceOf(TransportError);
  });

  it("that nobody wants any more end the call", async () => {
    let cancelled = 0;
    const endless = () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: (controller) => controller.enqueue(new TextEncoder().encode("{}\n")),
        cancel: () => void cancelled++,
      });
    const client = new KeysvcClient({ projectKey: SECRET, fetch: async () => new Response(endless()) });
    for await (const _row of await client.analytics.logsExport(request)) break;
    await (await client.analytics.logsExport(request)).cancel();
    expect(cancelled).toBe(2);
  });

  it("are refused before the first one as any call is", async () => {
    await expect(clientOf(problem(400)).client.analytics.logsTail(request)).rejects.toMatchObject({ statusCode: 400 });
  });
});
