import { create, createFileRegistry, type DescService, fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { services } from "../../gen/gateway.js";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../../gen/grpc/health/v1/health_pb.js";
import {
  ServerReflection as ReflectionV1,
  type ServerReflectionRequest,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { startService, type TestService } from "../harness/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

type Connection = [name: string, open: () => Transport];

const grpcConnections: Connection[] = [
  ["gRPC on the main port", () => createGrpcTransport({ baseUrl: service.url })],
  ["gRPC on the gRPC port", () => createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` })],
];
const connections: Connection[] = [
  ...grpcConnections,
  ["Connect", () => createConnectTransport({ baseUrl: service.url, httpVersion: "1.1" })],
  ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: service.url, httpVersion: "1.1" })],
];
const names = services.map(({ typeName }) => typeName);

describe.each(connections)("grpc.health.v1 by %s", (_name, open) => {
  it.each(["", Health.typeName, ...names])("answers SERVING for %j, without a credential", async (name) => {
    const { status } = await createClient(Health, open()).check({ service: name });
    expect(status).toBe(Status.SERVING);
  });

  it.each(["keysvc.v1.NoService", "keysvc.v1", "grpc.health.v1.health"])("answers NOT_FOUND for %j", async (name) => {
    const check = createClient(Health, open()).check({ service: name });
    await expect(check).rejects.toMatchObject({ code: Code.NotFound });
  });

  it("tells a watcher of an unknown service that it is unknown, and of a known one that it serves", async () => {
    expect(await firstStatus(open(), "keysvc.v1.NoService")).toBe(Status.SERVICE_UNKNOWN);
    expect(await firstStatus(open(), "keysvc.v1.KeyService")).toBe(Status.SERVING);
  });
});

async function firstStatus(transport: Transport, name: string): Promise<Status | undefined> {
  const hangUp = new AbortController();
  try {
    for await (const { status } of createClient(Health, transport).watch(
      { service: name },
      { signal: hangUp.signal },
    )) {
      return status;
    }
    return undefined;
  } finally {
    hangUp.abort();
  }
}

const versions = [ReflectionV1, ReflectionV1Alpha].map((version) => [version.typeName, version] as const);
const reflections = grpcConnections.flatMap(([name, open]) =>
  versions.map(([typeName, version]) => [typeName, name, open, version] as const),
);

describe.each(reflections)("%s by %s", (_typeName, _name, open, version) => {
  const ask = (question: ServerReflectionRequest["messageRequest"]) => reflect(open(), version, question);

  it("lists every service of ours, health too", async () => {
    const answer = await ask({ case: "listServices", value: "" });
    if (answer?.case !== "listServicesResponse") throw new Error(`the answer is ${answer?.case}`);
    const listed = answer.value.service.map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining([...names, Health.typeName]));
    expect(new Set(listed).size, "none is listed twice").toBe(listed.length);
  });

  it.each([...names, Health.typeName, ...services.map(firstMethod), "keysvc.v1.KeyServiceValidateRequest"])(
    "gives the file of %s, with which a client can call it",
    async (symbol) => {
      const answer = await ask({ case: "fileContainingSymbol", value: symbol });
      const declared = filesOf(answer).flatMap(({ package: prefix, service, messageType }) =>
        [...service, ...messageType].map(({ name }) => `${prefix}.${name}`),
      );
      expect(declared.some((name) => symbol === name || symbol.startsWith(`${name}.`))).toBe(true);
    },
  );

  it("gives files that make one whole registry", async () => {
    const ordered = new Map<string, FileDescriptorProto>();
    // Imports first, or the registry refuses them; what is missing it refuses too.
    const add = async (name: string): Promise<void> => {
      if (ordered.has(name)) return;
      const [file] = filesOf(await ask({ case: "fileByFilename", value: name })).filter((file) => file.name === name);
      if (file === undefined) throw new Error(`${name} is imported, but not given`);
      for (const dependency of file.dependency) await add(dependency);
      ordered.set(name, file);
    };
    for (const { file } of services) await add(file.proto.name);
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...ordered.values()] }));
    for (const { typeName, methods } of services) {
      const served = registry.getService(typeName)?.methods.map(({ name, input }) => [name, input.fields.length]);
      expect(served).toEqual(methods.map(({ name, input }) => [name, input.fields.length]));
    }
  });

  it("answers NOT_FOUND for a symbol that is none of ours", async () => {
    const answer = await ask({ case: "fileContainingSymbol", value: "keysvc.v1.NoService" });
    expect(answer).toMatchObject({ case: "errorResponse", value: { errorCode: Code.NotFound } });
  });
});

function firstMethod({ typeName, methods: [first] }: DescService): string {
  return `${typeName}.${first?.name}`;
}

function filesOf(answer: Awaited<ReturnType<typeof reflect>>): FileDescriptorProto[] {
  if (answer?.case !== "fileDescriptorResponse") throw new Error(`the answer is ${answer?.case}`);
  return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}

/** Asks one question over a stream of its own. */
async function reflect(
  transport: Transport,
  version: typeof ReflectionV1 | typeof ReflectionV1Alpha,
  question: ServerReflectionRequest["messageRequest"],
) {
  const requests = (async function* () {
    yield { messageRequest: question };
  })();
  // The two versions differ in their package alone.
  const client = createClient(version as typeof ReflectionV1, transport);
  for await (const { messageResponse } of client.serverReflectionInfo(requests)) return messageResponse;
  return undefined;
}
