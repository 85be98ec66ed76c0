import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { ConnectError, type ConnectRouter, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type { services as gatewayServices } from "../../gen/gateway.js";
import { FAULT_CODES, Fault } from "../lib/fault.ts";
import { faultDetails } from "./fault-details.ts";
import type { Invoker } from "./invoke.ts";

export interface ConnectOptions {
  services: typeof gatewayServices;
  invoker: Invoker;
  createRequestId: () => string;
}

/** Serves every method over Connect, gRPC-Web and gRPC: the router decodes, `invoke` answers. */
export function connectRoutes(router: ConnectRouter, { services, invoker, createRequestId }: ConnectOptions): void {
  for (const service of services) {
    const handlers = service.methods.map((method) => [method.localName, handler(method)] as const);
    const readMaxBytes = Math.max(...service.methods.map((method) => invoker.row(method).maxRequestBytes));
    // One handler for each method, under its name: what the router takes, which the compiler cannot see.
    const implementation = Object.fromEntries(handlers) as unknown as Partial<ServiceImpl<DescService>>;
    router.service(service, implementation, { readMaxBytes });
  }

  function handler(method: DescMethod) {
    const row = invoker.row(method);
    const answer = async (message: Message, context: HandlerContext): Promise<Message> => {
      const requestId = createRequestId();
      context.responseHeader.set("x-request-id", requestId);
      try {
        const authorization = context.requestHeader.get("authorization") ?? undefined;
        return await invoker.invoke(row, { requestId, authorization, read: () => ({ message, errors: [] }) });
      } catch (error) {
        throw toConnectError(error, requestId);
      }
    };
    if (method.methodKind === "unary") return answer;
    return async function* (message: Message, context: HandlerContext) {
      yield await answer(message, context);
    };
  }
}

/** The error of Connect that says what the fault says, details included. */
export function toConnectError(error: unknown, requestId: string): ConnectError {
  const fault = error instanceof Fault ? error : new Fault("INTERNAL", "the service failed; its log has the reason");
  // X-Request-Id is set already.
  const metadata = new Headers();
  if (fault.retryAfterSeconds !== undefined) metadata.set("retry-after", String(fault.retryAfterSeconds));
  return new ConnectError(fault.detail, FAULT_CODES[fault.code], metadata, faultDetails(fault, requestId));
}
