import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { Client, Metadata } from "@grpc/grpc-js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { KeyService } from "../../gen/keysvc/v1/key_pb.js";
import { grpcJsCredentials } from "../harness/clients.ts";
import { createConsumerWithKey, PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; arrayValue?: { values: { stringValue: string }[] } } }[];
  links?: { traceId: string; spanId: string }[];
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const bodies: string[] = [];
let spans: ReceivedSpan[] = [];
/** A collector of the test's own: what it needs to know of OTLP/HTTP. */
const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  bodies.push(`${request.url} ${text}`);
  for (const { scopeSpans } of JSON.parse(text).resourceSpans) {
    for (const { spans: received } of scopeSpans) spans.push(...received);
  }
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
let service: TestService;

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  service = await startService({ KEYSVC_OTLP_ENDPOINT: `http://127.0.0.1:${port}/` });
});
afterAll(async () => {
  await service.close();
  collector.close();
});
beforeEach(() => {
  spans = [];
});

async function post(path: string, body: object, traceparent?: string, credential = PROJECT_KEY) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${credential}` };
  await fetch(service.url + path, {
    method: "POST",
    headers: { ...headers, ...(traceparent && { traceparent }) },
    body: JSON.stringify(body),
  });
}

const attribute = ({ attributes }: ReceivedSpan, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.arrayValue?.values.map(({ stringValue }) => stringValue);
};

/** The span of a name, in a trace, once it has been received. */
async function received(name: string, traceId?: string): Promise<ReceivedSpan> {
  let found: ReceivedSpan | undefined;
  await expect
    .poll(() => (found = spans.find((span) => span.name === name && (traceId ?? span.traceId) === span.traceId)), {
      timeout: 10_000,
      message: name,
    })
    .toBeDefined();
  if (found === undefined) throw new Error(`no span ${name}`);
  return found;
}

describe("a call whose caller traces it", () => {
  it("continues the trace: the call, the settlement that it shares with others, and the commands of that", async () => {
    const { key } = await createConsumerWithKey(service, { credits: { limit: 10 } });
    spans = [];
    await post("/key/validate", { key }, `00-${TRACE}-${CALLER}-01`);
    const call = await received("/key/validate");
    expect(call).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, kind: 2 });
    expect(attribute(call, "keysvc.verdicts")).toEqual(["VALID"]);
    expect(attribute(call, "keysvc.request_id")).toMatch(/^req_/);
    const batch = await received("settlement");
    expect(batch).toMatchObject({ traceId: TRACE, parentSpanId: call.spanId });
    expect(batch.links).toMatchObject([{ traceId: TRACE, spanId: call.spanId }]);
    expect(await received("commitTransaction", TRACE)).toMatchObject({ parentSpanId: batch.spanId, kind: 3 });
  });

  it("is continued over native gRPC and over Connect too", async () => {
    const { key } = await createConsumerWithKey(service, {});
    for (const address of [service.grpcAddress, new URL(service.url).host]) {
      spans = [];
      const metadata = new Metadata();
      metadata.set("authorization", `Bearer ${PROJECT_KEY}`);
      metadata.set("traceparent", `00-${TRACE}-${CALLER}-01`);
      const client = new Client(address, grpcJsCredentials(undefined));
      const request = Buffer.from(
        toBinary(KeyService.method.validate.input, create(KeyService.method.validate.input, { key })),
      );
      await new Promise((resolve, reject) => {
        const same = (bytes: Buffer) => bytes;
        const done = (error: Error | null) => (error === null ? resolve(undefined) : reject(error));
        client.makeUnaryRequest("/keysvc.v1.KeyService/Validate", same, same, request, metadata, done);
      });
      client.close();
      expect(await received("/key/validate")).toMatchObject({ traceId: TRACE, parentSpanId: CALLER });
    }
  });

  it("is not recorded when the caller does not record it", async () => {
    const { key } = await createConsumerWithKey(service, { credits: { limit: 10 } });
    await post("/key/validate", { key }, `00-${TRACE}-${CALLER}-00`);
    await post("/api/list", {});
    await received("/api/list");
    expect(spans.map(({ name }) => name)).not.toContain("/key/validate");
    expect(spans.map(({ name }) => name)).not.toContain("settlement");
  });
});

it("events that calls have brought are recorded in a span that is linked to theirs", async () => {
  await post("/ingest", { events: [{ method: "GET", path: "/", statusCode: 200 }] });
  const call = await received("/ingest");
  const batch = await received("recording");
  expect(batch.links).toMatchObject([{ spanId: call.spanId }]);
});

it("a fault is told by its reason, and nothing of a request, a key or a credential is in what is sent", async () => {
  const name = "a name that only a body has";
  const { consumerId, key } = await createConsumerWithKey(service, { name, credits: { limit: 1 } });
  await post("/key/validate", { key, bogus: name }, `00-${TRACE}-${CALLER}-01`);
  const call = await received("/key/validate");
  expect(attribute(call, "keysvc.fault")).toBe("INVALID_REQUEST");
  await post("/consumer/details", { consumerId });
  await received("/consumer/details");
  expect(bodies[0]).toMatch(/^\/v1\/traces /);
  const all = bodies.join("\n");
  expect(all).toContain("keysvc");
  for (const secret of [key, PROJECT_KEY, consumerId, name]) expect(all).not.toContain(secret);
});
