import {
  createRegistry,
  type DescExtension,
  type DescFile,
  type DescService,
  type Registry,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.js";
import {
  type ServerReflectionRequest,
  ServerReflection as ServerReflectionV1,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";

/** What is asked: the same in both versions of the protocol. */
type Question = ServerReflectionRequest["messageRequest"];

/** The files of services with all that they import, imports first, and those of the details that errors carry. */
export function filesOf(services: readonly DescService[]): DescFile[] {
  const files = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file.proto.name)) return;
    for (const dependency of file.dependencies) add(dependency);
    files.set(file.proto.name, file);
  };
  for (const service of services) add(service.file);
  add(file_google_rpc_error_details);
  return [...files.values()];
}

/** Serves gRPC reflection, v1 and v1alpha, over Connect (the gRPC port has grpc-js's own). */
export function reflectionRoutes(router: ConnectRouter, services: readonly DescService[]): void {
  const served = [...services, ServerReflectionV1, ServerReflectionV1Alpha];
  const answer = createReflection(served);
  for (const service of [ServerReflectionV1, ServerReflectionV1Alpha] as const) {
    router.service(service, {
      async *serverReflectionInfo(requests: AsyncIterable<{ host: string; messageRequest: Question }>) {
        for await (const request of requests) {
          yield {
            validHost: request.host,
            originalRequest: { host: request.host, messageRequest: request.messageRequest },
            messageResponse: answer(request.messageRequest),
          };
        }
      },
    });
  }
}

function createReflection(services: readonly DescService[]) {
  const files = filesOf(services);
  const registry = createRegistry(...files);
  const byName = new Map(files.map((file) => [file.proto.name, file]));

  return ({ case: kind, value }: Question) => {
    switch (kind) {
      case "fileByFilename":
        return fileResponse(byName.get(value), value);
      case "fileContainingSymbol":
        return fileResponse(fileOfSymbol(registry, value), value);
      case "fileContainingExtension":
        return fileResponse(
          extensionsOf(registry, value.containingType).find(({ number }) => number === value.extensionNumber)?.file,
          `${value.containingType} ${value.extensionNumber}`,
        );
      case "allExtensionNumbersOfType":
        if (registry.getMessage(value) === undefined) return notFound(value);
        return {
          case: "allExtensionNumbersResponse" as const,
          value: { baseTypeName: value, extensionNumber: extensionsOf(registry, value).map(({ number }) => number) },
        };
      case "listServices":
        return {
          case: "listServicesResponse" as const,
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      default:
        return errorResponse(Code.InvalidArgument, "the request asks for nothing");
    }
  };
}

/** The file that defines a type, or the service or message that a dotted symbol is a part of. */
function fileOfSymbol(registry: Registry, symbol: string): DescFile | undefined {
  const parent = symbol.slice(0, Math.max(0, symbol.lastIndexOf(".")));
  const found = registry.get(symbol);
  if (found !== undefined) return found.file;
  const last = symbol.slice(parent.length + 1);
  if (registry.getService(parent)?.methods.some(({ name }) => name === last)) return registry.getService(parent)?.file;
  if (registry.getMessage(parent)?.fields.some(({ name }) => name === last)) return registry.getMessage(parent)?.file;
  return undefined;
}

function extensionsOf(registry: Registry, typeName: string): DescExtension[] {
  const all = [...registry].filter((type): type is DescExtension => type.kind === "extension");
  return all.filter(({ extendee }) => extendee.typeName === typeName);
}

function fileResponse(file: DescFile | undefined, wanted: string) {
  if (file === undefined) return notFound(wanted);
  const withImports = new Set<DescFile>();
  const add = (next: DescFile): void => {
    withImports.add(next);
    for (const dependency of next.dependencies) if (!withImports.has(dependency)) add(dependency);
  };
  add(file);
  const fileDescriptorProto = [...withImports].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: "fileDescriptorResponse" as const, value: { fileDescriptorProto } };
}

function notFound(wanted: string) {
  return errorResponse(Code.NotFound, `${wanted} is not known`);
}

function errorResponse(errorCode: Code, errorMessage: string) {
  return { case: "errorResponse" as const, value: { errorCode, errorMessage } };
}
