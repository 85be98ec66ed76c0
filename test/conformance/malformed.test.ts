import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { ChannelCredentials, Client, Metadata, type ServiceError } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { PROJECT_KEY, startService, type TestService } from "../harness/service.ts";

/*
 * What no well-behaved client sends, in the protocols that can carry it: the answer is the same as everywhere. A stranger is
 * refused as a stranger, whatever the bytes; nobody gets parts of the body back, which may hold a key.
 */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Told {
  code: string;
  reason: string | undefined;
  message: string;
}

type Send = (body: Buffer, credential: string) => Promise<Told>;

const METHOD = "/keysvc.v1.KeyService/Validate";

const jsonPath: Send = async (body, credential) => {
  const answer = await post("/key/validate", "application/json", body, credential);
  const { code, type, detail } = JSON.parse(await answer.text());
  const reason = type.replace("urn:keysvc:problem:", "").replaceAll("-", "_").toUpperCase();
  return { code, reason, message: detail };
};

function connect(contentType: string): Send {
  return async (body, credential) => {
    const answer = await post(METHOD, contentType, body, credential);
    const fallback = new ConnectError("no error of Connect", Code.Unknown);
    const error = errorFromJsonBytes(new Uint8Array(await answer.arrayBuffer()), new Headers(), fallback);
    return {
      code: snakeCase(error.code),
      reason: error.findDetails(ErrorInfoSchema)[0]?.reason,
      message: error.rawMessage,
    };
  };
}

function post(path: string, contentType: string, body: Buffer, credential: string): Promise<Response> {
  const headers = { "content-type": contentType, authorization: `Bearer ${credential}` };
  return fetch(`${service.url}${path}`, { method: "POST", headers, body: new Uint8Array(body) });
}

function grpc(address: () => string): Send {
  return async (body, credential) => {
    const client = new Client(address(), ChannelCredentials.createInsecure());
    const metadata = Metadata.fromHttp2Headers({ authorization: `Bearer ${credential}` });
    const same = (bytes: Buffer) => bytes;
    const error = await new Promise<ServiceError | null>((resolve) => {
      client.makeUnaryRequest(METHOD, same, same, body, metadata, (fault) => resolve(fault));
    });
    client.close();
    if (error === null) throw new Error("the call was answered");
    const bytes = error.metadata.get("grpc-status-details-bin")[0];
    const details = Buffer.isBuffer(bytes) ? fromBinary(StatusSchema, bytes).details : [];
    const info = details.map((any) => anyUnpack(any, ErrorInfoSchema)).find((detail) => detail !== undefined);
    return { code: snakeCase(error.code), reason: info?.reason, message: error.details };
  };
}

function snakeCase(code: number): string {
  return (Code[code] ?? String(code)).replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}

const json: [string, Send][] = [
  ["JSON", jsonPath],
  ["Connect JSON", connect("application/json")],
];
const binary: [string, Send][] = [
  ["Connect binary", connect("application/proto")],
  ["gRPC on the main port", grpc(() => new URL(service.url).host)],
  ["gRPC on the gRPC port", grpc(() => service.grpcAddress)],
];

const NO_MESSAGE = Buffer.from([0xff, 0xff, 0xff]);
const TOO_LARGE = 2 ** 20;
const UNKNOWN = "INVALID_REQUEST";

describe.each([
  ...json.map(([name, send]) => ({
    name,
    send,
    title: "text that is no JSON",
    body: Buffer.from('{"key":SECRET}'),
    reason: "MALFORMED_BODY",
  })),
  ...json.map(([name, send]) => ({
    name,
    send,
    title: "bytes that are no UTF-8",
    body: Buffer.from([0x22, 0xff, 0x22]),
    reason: "MALFORMED_BODY",
  })),
  ...json.map(([name, send]) => ({
    name,
    send,
    title: "a field of the wrong type",
    body: Buffer.from('{"key":"k","credits":"SECRET"}'),
    reason: UNKNOWN,
  })),
  ...json.map(([name, send]) => ({
    name,
    send,
    title: "an unknown field",
    body: Buffer.from('{"key":"k","nope":"SECRET"}'),
    reason: UNKNOWN,
  })),
  ...binary.map(([name, send]) => ({
    name,
    send,
    title: "bytes that are no message",
    body: NO_MESSAGE,
    reason: "MALFORMED_BODY",
  })),
])("$title by $name", ({ send, body, reason }) => {
  it("is invalid_argument, with the reason", async () => {
    expect(await send(body, PROJECT_KEY)).toMatchObject({ code: "invalid_argument", reason });
  });

  it("is refused without a word of what was sent", async () => {
    const { message } = await send(body, PROJECT_KEY);
    expect(message).not.toBe("");
    expect(message).not.toContain("SECRET");
  });

  it("is unauthenticated when it comes from a stranger", async () => {
    const told = await send(body, "nobody's-credential");
    expect(told).toMatchObject({ code: "unauthenticated", reason: "WRONG_CREDENTIAL" });
  });
});

it.each([
  ...json.map(([name, send]) => ({ name, send, body: Buffer.from(`{"key":"${"k".repeat(TOO_LARGE)}"}`) })),
  // Field 1, its length as a varint of 3 bytes: 2^20.
  ...binary.map(([name, send]) => ({
    name,
    send,
    body: Buffer.concat([Buffer.from([0x0a, 0x80, 0x80, 0x40]), Buffer.alloc(TOO_LARGE, "k")]),
  })),
])("a message beyond 1 MiB is resource_exhausted by $name, with the reason", async ({ send, body }) => {
  expect(await send(body, PROJECT_KEY)).toMatchObject({ code: "resource_exhausted", reason: "BODY_TOO_LARGE" });
});
