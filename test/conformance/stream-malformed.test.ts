import { type EnvelopedMessage, encodeEnvelope } from "@connectrpc/connect/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PROJECT_KEY } from "../harness/service.ts";
import { type StreamService, startStreamService } from "../harness/stream-service.ts";

/* What no well-behaved client sends, to a method that streams: refused as everywhere, without a word of what was sent. */

const PATH = "/keysvc.v1.AnalyticsService/LogsTail";

let service: StreamService;
beforeAll(async () => {
  service = await startStreamService({ logsTail: () => Promise.reject(new Error("it was called")) });
});
afterAll(() => service.stop());

async function post(contentType: string, data: EnvelopedMessage["data"], credential: string): Promise<string> {
  const headers = { "content-type": contentType, authorization: `Bearer ${credential}` };
  const body = new Uint8Array(encodeEnvelope(0, data));
  const answer = await fetch(`${service.url}${PATH}`, { method: "POST", headers, body });
  return answer.text();
}

const text = (json: string) => new TextEncoder().encode(json);
const NO_MESSAGE = new Uint8Array([0xff, 0xff, 0xff]);

it.each([
  ["application/connect+json", text('{"source":SECRET}'), "MALFORMED_BODY"],
  ["application/connect+json", text('{"nope":"SECRET"}'), "INVALID_REQUEST"],
  ["application/connect+proto", NO_MESSAGE, "MALFORMED_BODY"],
  ["application/grpc-web+proto", NO_MESSAGE, "MALFORMED_BODY"],
])("%s that cannot be read is invalid_argument, with a reason", async (contentType, data, reason) => {
  const answer = await post(contentType, data, PROJECT_KEY);
  // The first detail is the ErrorInfo, in base64; gRPC-Web has all of them in one.
  const encoded = /"value":"([\w+/=]+)"/.exec(answer)?.[1] ?? /grpc-status-details-bin: ?([\w+/=]+)/i.exec(answer)?.[1];
  expect(Buffer.from(encoded ?? "", "base64").toString("latin1")).toContain(reason);
  expect(answer).toMatch(/"code":"invalid_argument"|grpc-status: ?3/);
  expect(answer).not.toContain("SECRET");
});

it.each(["application/connect+json", "application/connect+proto", "application/grpc-web+proto"])(
  "%s of a stranger is unauthenticated, whatever it is",
  async (contentType) => {
    expect(await post(contentType, NO_MESSAGE, "nobody")).toMatch(/"code":"unauthenticated"|grpc-status: ?16/);
  },
);
