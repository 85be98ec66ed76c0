import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { ConnectError, type ConnectRouter, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type { services as gatewayServices } from "../../gen/gateway.js";
import { asFault, deadlineHadPassed, FAULT_CODES, Fault, type FaultReason, WWW_AUTHENTICATE } from "../lib/fault.ts";
import { connectCall, withFaults } from "./connect-faults.ts";
import { announce, withEarlyHeaders } from "./connect-headers.ts";
import { faultDetails } from "./fault-details.ts";
import type { Invoker } from "./invoke.ts";

export interface ConnectOptions {
  services: typeof gatewayServices;
  invoker: Invoker;
  /** Is told of every fault that a call is answered with. */
  onFault: (reason: FaultReason) => void;
}

/**
 * Serves every method over Connect, gRPC-Web and gRPC: the gate finds the caller before the message is read, the router
 * decodes it, `invoke` answers. Each request must carry a ConnectCall among its context values.
 */
export function connectRoutes(router: ConnectRouter, { services, invoker, onFault }: ConnectOptions): void {
  for (const service of services) {
    const handlers = service.methods.map((method) => [method.localName, handler(method)] as const);
    const readMaxBytes = Math.max(...service.methods.map((method) => invoker.row(method).maxRequestBytes));
    // One handler for each method, under its name: what the router takes, which the compiler cannot see.
    const implementation = Object.fromEntries(handlers) as unknown as Partial<ServiceImpl<DescService>>;
    router.service(service, implementation, { readMaxBytes, requestGate });
  }
  router.handlers.splice(0, router.handlers.length, ...router.handlers.map(withFaults).map(withEarlyHeaders));

  function refusal(error: unknown, requestId: string): ConnectError {
    const fault = asFault(error);
    onFault(fault.reason);
    return toConnectError(fault, requestId);
  }

  async function requestGate({ method, requestHeader, values }: HandlerContext): Promise<void> {
    const call = values.get(connectCall);
    try {
      if (call.fault !== undefined) throw call.fault;
      const authorization = requestHeader.get("authorization") ?? undefined;
      call.authorized = await invoker.authorize(invoker.row(method), { requestId: call.requestId, authorization });
    } catch (error) {
      call.isOurs = true;
      throw refusal(error, call.requestId);
    }
  }

  function handler(method: DescMethod) {
    const row = invoker.row(method);
    const invocationOf = (message: Message, { values, requestHeader }: HandlerContext) => {
      const call = values.get(connectCall);
      call.isOurs = true;
      const { requestId, authorized } = call;
      const traceparent = requestHeader.get("traceparent") ?? undefined;
      return { requestId, authorized, traceparent, read: () => ({ message, errors: [] }) };
    };
    const unary = async (message: Message, context: HandlerContext): Promise<Message> => {
      const invocation = invocationOf(message, context);
      try {
        // Nobody waits for the answer any more, and nothing has been charged yet.
        if (isTooLate(context)) throw deadlineHadPassed();
        return await invoker.invoke(row, invocation);
      } catch (error) {
        throw refusal(error, invocation.requestId);
      }
    };
    const stream = async function* (message: Message, context: HandlerContext) {
      const invocation = invocationOf(message, context);
      try {
        if (isTooLate(context)) throw deadlineHadPassed();
        const messages = await invoker.open(row, { ...invocation, left: context.signal });
        announce(context);
        yield* messages;
        // It was cut then, and did not end by itself.
        if (isTooLate(context)) throw new Fault("DEADLINE_EXCEEDED", "the deadline has passed");
      } catch (error) {
        throw refusal(error, invocation.requestId);
      }
    };
    return method.methodKind === "unary" ? unary : stream;
  }
}

function isTooLate(context: HandlerContext): boolean {
  return (context.timeoutMs() ?? 1) <= 0;
}

/** The error of Connect that says what the fault says, details included. */
function toConnectError(fault: Fault, requestId: string): ConnectError {
  // X-Request-Id is set already.
  const metadata = new Headers();
  if (fault.status === 401) metadata.set("www-authenticate", WWW_AUTHENTICATE);
  if (fault.retryAfterSeconds !== undefined) metadata.set("retry-after", String(fault.retryAfterSeconds));
  return new ConnectError(fault.detail, FAULT_CODES[fault.code], metadata, faultDetails(fault, requestId));
}
