import { create, type DescMethod, type DescMethodUnary, type DescService, type Message } from "@bufbuild/protobuf";
import type { GatewayMethod } from "../../gen/gateway.js";
import type { Call, Caller, ElementErrors, Handler, Handlers } from "../lib/call.ts";
import { asFault, databaseUnavailable, Fault, type FieldError, invalidRequest } from "../lib/fault.ts";
import { CallsUnderWay } from "./calls-under-way.ts";
import { checkFieldRules } from "./field-rules.ts";

/** A request as a protocol hands it in. */
export interface Invocation {
  requestId: string;
  /** The value of the Authorization header, where the caller is not known yet. */
  authorization?: string | undefined;
  /** What authorize() has said of the call. */
  authorized?: Authorized | undefined;
  /** Makes the message; called once the caller may call. `errors` are of fields that could not be read. */
  read: () => { message: Message; errors: readonly FieldError[]; elementErrors?: ElementErrors };
  /** Puts a header on the answer; absent: the protocol's answers have no headers of handlers'. */
  setHeader?: Call["setHeader"];
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
  /** How long a unary call may take, the database included, unless its row says otherwise. */
  answerTimeoutMs: number;
  /** Makes a fault of an error that a library threw; undefined: it is internal. */
  classifyError: (error: unknown) => Fault | undefined;
  /** Is told of every fault that is the service's own, with the id that the caller was shown. */
  logFault: (fault: Fault, requestId: string, path: string) => void;
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
  /** Resolves when no call is under way any more, those included whose callers have given up, or when time is up. */
  settled(deadlineMs: number): Promise<void>;
  /** The row of a method. Throws for one that is not ours. */
  row(method: DescMethod): GatewayMethod;
}

const BEARER = /^bearer +(\S+) *$/i;
const FIELD_ERRORS_MAX = 100;
/** Of protocols that read a request as a whole or not at all. */
const NONE: ElementErrors = new Map();
const ignoreHeader = (): void => undefined;

export function createInvoker(options: InvokerOptions): Invoker {
  const handlers = new Map<DescMethod, Handler<DescMethodUnary>>();
  const underWay = new CallsUnderWay();
  const rows = new Map(options.methods.map((row) => [row.rpc, row]));

  function findCaller(method: GatewayMethod, authorization: string | undefined): Caller | Promise<Caller> {
    if (authorization === undefined || authorization === "") {
      throw new Fault("MISSING_CREDENTIAL", "send the header Authorization: Bearer <project credential>");
    }
    const credential = BEARER.exec(authorization)?.[1];
    const caller = credential === undefined ? undefined : options.authenticate(credential);
    return caller instanceof Promise ? caller.then((found) => admit(method, found)) : admit(method, caller);
  }

  async function answer(method: GatewayMethod, invocation: Invocation): Promise<Message> {
    const { requestId, setHeader = ignoreHeader } = invocation;
    const found = invocation.authorized?.caller ?? findCaller(method, invocation.authorization);
    const caller = found instanceof Promise ? await found : found;
    const { message, errors, elementErrors = NONE } = invocation.read();
    const violations = mergeErrors(errors, checkFieldRules(method.rpc.input, message));
    if (violations.length > 0) throw invalidRequest(violations);
    const handler = handlers.get(method.rpc);
    if (handler === undefined) throw new Fault("NOT_BUILT", `${method.path} is part of a later version`);
    const response = await handler(message, { requestId, caller, setHeader, elementErrors });
    return create(method.rpc.output, response);
  }

  /** Bounds the work in time, and turns whatever it throws into a fault. */
  function guarded<Result>(
    method: GatewayMethod,
    { requestId, authorized }: Pick<Invocation, "requestId" | "authorized">,
    work: Promise<Result>,
  ): Promise<Result> {
    const spentMs = authorized === undefined ? 0 : performance.now() - authorized.sinceMs;
    const timeoutMs = (method.answerTimeoutMs ?? options.answerTimeoutMs) - spentMs;
    return underWay.run(work, timeoutMs, (error) => toFault(method, requestId, error), databaseUnavailable);
  }

  /** Logs the faults that are the service's own. */
  function toFault(method: GatewayMethod, requestId: string, error: unknown): Fault {
    const fault = error instanceof Fault ? error : (options.classifyError(error) ?? asFault(error));
    if (fault.status >= 500 && fault.reason !== "NOT_BUILT") options.logFault(fault, requestId, method.path);
    return fault;
  }

  return {
    register(service, implementation) {
      for (const method of service.methods) {
        // Handlers<Service> has a handler of the method's own types under its name, or none.
        const handler = Reflect.get(implementation, method.localName) as Handler<DescMethodUnary> | undefined;
        if (handler !== undefined) handlers.set(method, handler);
      }
    },
    authorize(method, invocation) {
      const sinceMs = performance.now();
      const caller = findCaller(method, invocation.authorization);
      if (!(caller instanceof Promise)) return { caller, sinceMs };
      return guarded(method, invocation, caller).then((found) => ({ caller: found, sinceMs }));
    },
    invoke: (method, invocation) => guarded(method, invocation, answer(method, invocation)),
    settled: (deadlineMs) => underWay.settled(deadlineMs),
    row(method) {
      const row = rows.get(method);
      if (row === undefined) throw new Error(`${method.parent.typeName}.${method.name} is not in the gateway table`);
      return row;
    },
  };
}

function admit(method: GatewayMethod, caller: Caller | undefined): Caller {
  if (caller === undefined) throw new Fault("WRONG_CREDENTIAL", "the credential is unknown, malformed or revoked");
  if (!mayCall(caller, method)) throw new Fault("SCOPE_MISSING", `the call needs the scope ${method.scope}`);
  return caller;
}

/** `manage` is everything in a project; the operator's credential opens the operator's methods alone. */
function mayCall({ scopes }: Caller, { scope }: GatewayMethod): boolean {
  if (scopes.has(scope)) return true;
  return scope !== "operator" && scopes.has("manage");
}

/** A field that could not be read is unset, or a placeholder, and what the rules say of it and within it says nothing. */
function mergeErrors(unreadable: readonly FieldError[], violations: readonly FieldError[]): FieldError[] {
  const said = unreadable.map(({ field }) => field);
  const isSaid = ({ field }: FieldError) =>
    said.some((path) => field === path || (field.startsWith(path) && /^[.[]/.test(field.slice(path.length))));
  return [...unreadable, ...violations.filter((violation) => !isSaid(violation))].slice(0, FIELD_ERRORS_MAX);
}
