import {
  create,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type Message,
} from "@bufbuild/protobuf";
import type { GatewayMethod } from "../../gen/gateway.js";
import { answerInTime } from "../lib/answer-in-time.ts";
import type { Call, Caller, Handler, Handlers, StreamHandler } from "../lib/call.ts";
import { asFault, databaseUnavailable, Fault, type FaultReason } from "../lib/fault.ts";
import { admit } from "./admit.ts";
import { CallsUnderWay } from "./calls-under-way.ts";
import { type MessageItem, MessageStream } from "./message-stream.ts";
import { OpenStreams } from "./open-streams.ts";
import { type ReadMessage, readMessage } from "./read-message.ts";

/** A request as a protocol hands it in. */
export interface Invocation {
  requestId: string;
  /** The value of the Authorization header, where the caller is not known yet. */
  authorization?: string | undefined;
  /** What authorize() has said of the call. */
  authorized?: Authorized | undefined;
  /** The header of that name, of a caller that traces its calls. */
  traceparent?: string | undefined;
  /** Called once it is known that the caller may call. */
  read: ReadMessage;
  /** Puts a header on the answer; absent: the protocol's answers have no headers of handlers'. */
  setHeader?: Call["setHeader"];
}

/** A request for a stream. */
export interface StreamInvocation extends Invocation {
  /** Is aborted when the caller leaves. */
  left: AbortSignal;
}

/** Who calls, and since when, on the clock of `performance.now()`: finding out is part of the time that a call may take. */
export interface Authorized {
  caller: Caller;
  sinceMs: number;
}

export interface InvokerOptions {
  methods: readonly GatewayMethod[];
  /** Finds who a credential belongs to; undefined: nobody. It may answer at once. */
  authenticate: (credential: string) => Caller | undefined | Promise<Caller | undefined>;
  /** How long an answer may take, the database included, unless its row says otherwise; of a stream, its beginning. */
  answerTimeoutMs: number;
  /** Makes a fault of an error that a library threw; undefined: it is internal. */
  classifyError: (error: unknown) => Fault | undefined;
  /** Is told of every fault that is the service's own, with the id that the caller was shown. */
  logFault: (fault: Fault, requestId: string, path: string) => void;
  /** Answers a call within a span; absent: nothing is traced. */
  trace?: (<Result>(call: TracedCall, work: () => Promise<Result>) => Promise<Result>) | undefined;
}

/** A call, as its trace shows it. */
export interface TracedCall {
  /** The path of the method. */
  name: string;
  requestId: string;
  traceparent: string | undefined;
}

/** The one path behind all protocols: credential, scope, field rules, handler, faults. */
export interface Invoker {
  /** Takes the implementation of a service. Methods that have none answer NOT_BUILT. */
  register<Service extends DescService>(service: Service, handlers: Handlers<Service>): void;
  /** Finds who calls, and whether they may; at once when that is remembered. Throws nothing but Faults. */
  authorize(
    method: GatewayMethod,
    invocation: Pick<Invocation, "requestId" | "authorization">,
  ): Authorized | Promise<Authorized>;
  /** Answers a call. Throws nothing but Faults. */
  invoke(method: GatewayMethod, invocation: Invocation): Promise<Message>;
  /**
   * Answers a call of a streaming method. Resolves when the handler has accepted it, with messages that may take as long as
   * they like. It is over when the caller leaves, the credential is revoked or the service stops. Throws nothing but Faults.
   */
  open(method: GatewayMethod, invocation: StreamInvocation): Promise<MessageStream>;
  /** Opens no more streams; ends at once those that follow, and all others after the grace. */
  stopStreams(graceMs: number): void;
  /** Resolves when no call is under way any more, those included whose callers have given up, or when time is up. */
  settled(deadlineMs: number): Promise<void>;
  /** The row of a method. Throws for one that is not ours. */
  row(method: DescMethod): GatewayMethod;
}

const BEARER = /^bearer +(\S+) *$/i;
/** Of the service's own, but as it is meant to be. */
const UNLOGGED: ReadonlySet<FaultReason> = new Set(["NOT_BUILT", "STOPPING"]);
/** One for all: the stack of each would cost as much as all else of such a call. */
const MISSING_CREDENTIAL = new Fault(
  "MISSING_CREDENTIAL",
  "send the header Authorization: Bearer <project credential>",
);
const ignoreHeader = (): void => undefined;

export function createInvoker(options: InvokerOptions): Invoker {
  const handlers = new Map<DescMethod, Handler<DescMethodUnary>>();
  const streamHandlers = new Map<DescMethod, StreamHandler<DescMethodServerStreaming>>();
  const underWay = new CallsUnderWay();
  const streams = new OpenStreams();
  const rows = new Map(options.methods.map((row) => [row.rpc, row]));

  function findCaller(method: GatewayMethod, authorization: string | undefined): Caller | Promise<Caller> {
    if (authorization === undefined || authorization === "") {
      throw MISSING_CREDENTIAL;
    }
    const credential = BEARER.exec(authorization)?.[1];
    const caller = credential === undefined ? undefined : options.authenticate(credential);
    return caller instanceof Promise ? caller.then((found) => admit(method, found)) : admit(method, caller);
  }

  async function answer(method: GatewayMethod, invocation: Invocation): Promise<Message> {
    const { requestId, setHeader = ignoreHeader } = invocation;
    const found = invocation.authorized?.caller ?? findCaller(method, invocation.authorization);
    const caller = found instanceof Promise ? await found : found;
    const { message, elementErrors } = readMessage(method, invocation.read);
    const handler = handlers.get(method.rpc);
    if (handler === undefined) throw notBuilt(method);
    const response = await handler(message, { requestId, caller, setHeader, elementErrors });
    return create(method.rpc.output, response);
  }

  async function begin(
    method: GatewayMethod,
    invocation: StreamInvocation,
    cutting: AbortController,
  ): Promise<MessageStream> {
    const { requestId, setHeader = ignoreHeader } = invocation;
    const { signal } = cutting;
    const caller = invocation.authorized?.caller ?? (await findCaller(method, invocation.authorization));
    const { message, elementErrors } = readMessage(method, invocation.read);
    const handler = streamHandlers.get(method.rpc);
    if (handler === undefined) throw notBuilt(method);
    if (signal.aborted) throw faultOfCut(signal);
    const source = await handler(message, { requestId, caller, setHeader, elementErrors, signal }).catch(
      (error: unknown) => {
        // Where its waiting was ended, that is no fault of its own.
        throw signal.aborted ? faultOfCut(signal) : error;
      },
    );
    const toFault = (error: unknown) => toFaultOf(method, requestId, error);
    const toMessage = messageMaker(method, caller);
    return new MessageStream({ source, toMessage, toFault, cutting });
  }

  /** Makes messages of what a handler gives, while the caller still may have them: a credential can be revoked meanwhile. */
  function messageMaker(method: GatewayMethod, { credential }: Caller) {
    return (item: MessageItem): Message | Promise<Message> => {
      const found = options.authenticate(credential);
      const handOut = (caller: Caller | undefined) => {
        admit(method, caller);
        return create(method.rpc.output, item);
      };
      return found instanceof Promise ? answerInTime(found, options.answerTimeoutMs).then(handOut) : handOut(found);
    };
  }

  /** Bounds the work in time, and turns whatever it throws into a fault. */
  function guarded<Result>(
    method: GatewayMethod,
    { requestId, authorized }: Pick<Invocation, "requestId" | "authorized">,
    work: Promise<Result>,
  ): Promise<Result> {
    const spentMs = authorized === undefined ? 0 : performance.now() - authorized.sinceMs;
    const timeoutMs = (method.answerTimeoutMs ?? options.answerTimeoutMs) - spentMs;
    return underWay.run(work, timeoutMs, (error) => toFaultOf(method, requestId, error), databaseUnavailable);
  }

  function traced<Result>(
    { path }: GatewayMethod,
    { requestId, traceparent }: Invocation,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return options.trace === undefined ? work() : options.trace({ name: path, requestId, traceparent }, work);
  }

  /** Logs the faults that are the service's own. */
  function toFaultOf(method: GatewayMethod, requestId: string, error: unknown): Fault {
    const fault = error instanceof Fault ? error : (options.classifyError(error) ?? asFault(error));
    if (fault.status >= 500 && !UNLOGGED.has(fault.reason)) options.logFault(fault, requestId, method.path);
    return fault;
  }

  return {
    register(service, implementation) {
      for (const method of service.methods) {
        const handler: unknown = Reflect.get(implementation, method.localName);
        if (handler === undefined) continue;
        // Handlers<Service> has a handler of the method's own kind and types under its name, or none.
        if (method.methodKind === "unary") handlers.set(method, handler as Handler<DescMethodUnary>);
        else streamHandlers.set(method, handler as StreamHandler<DescMethodServerStreaming>);
      }
    },
    authorize(method, invocation) {
      const sinceMs = performance.now();
      const caller = findCaller(method, invocation.authorization);
      if (!(caller instanceof Promise)) return { caller, sinceMs };
      return guarded(method, invocation, caller).then((found) => ({ caller: found, sinceMs }));
    },
    invoke: (method, invocation) =>
      traced(method, invocation, () => guarded(method, invocation, answer(method, invocation))),
    async open(method, invocation) {
      const opening = { left: invocation.left, follows: method.follows ?? false };
      const stream = await streams.open((cutting) => {
        return traced(method, invocation, () => guarded(method, invocation, begin(method, invocation, cutting)));
      }, opening);
      underWay.track(stream.closed);
      return stream;
    },
    stopStreams: (graceMs) => streams.stop(graceMs),
    settled: (deadlineMs) => underWay.settled(deadlineMs),
    row(method) {
      const row = rows.get(method);
      if (row === undefined) throw new Error(`${method.parent.typeName}.${method.name} is not in the gateway table`);
      return row;
    },
  };
}

/** Of a stream that was cut before it began. */
function faultOfCut({ reason }: AbortSignal): Fault {
  return reason instanceof Fault ? reason : new Fault("STOPPING", "nobody waits for the answer");
}

function notBuilt({ path }: GatewayMethod): Fault {
  return new Fault("NOT_BUILT", `${path} is part of a later version`);
}
