import { setTimeout as sleep } from "node:timers/promises";
import { create, type DescMethod, type DescMethodUnary, type DescService, type Message } from "@bufbuild/protobuf";
import type { GatewayMethod } from "../../gen/gateway.js";
import { answerInTime } from "../lib/answer-in-time.ts";
import type { Caller, Handler, Handlers } from "../lib/call.ts";
import { asFault, Fault, type FieldError, invalidRequest } from "../lib/fault.ts";
import { checkFieldRules } from "./field-rules.ts";

/** A request as a protocol hands it in. */
export interface Invocation {
  requestId: string;
  /** The value of the Authorization header, where the caller is not known yet. */
  authorization?: string | undefined;
  /** What authorize() has said of the call. */
  authorized?: Authorized | undefined;
  /** Makes the message; called once the caller may call. `errors` are of fields that could not be read. */
  read: () => { message: Message; errors: readonly FieldError[] };
}

/** Who calls, and since when, on the clock of `performance.now()`: finding out is part of the time that a call may take. */
export interface Authorized {
  caller: Caller;
  sinceMs: number;
}

export interface InvokerOptions {
  methods: readonly GatewayMethod[];
  /** Finds who a credential belongs to; undefined: nobody. */
  authenticate: (credential: string) => Promise<Caller | undefined>;
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
  /** Finds who calls, and whether they may. Throws nothing but Faults. */
  authorize(method: GatewayMethod, invocation: Pick<Invocation, "requestId" | "authorization">): Promise<Authorized>;
  /** Answers a call. Throws nothing but Faults. */
  invoke(method: GatewayMethod, invocation: Invocation): Promise<Message>;
  /** Resolves when no call is under way any more, those included whose callers have given up, or when time is up. */
  settled(deadlineMs: number): Promise<void>;
  /** The row of a method. Throws for one that is not ours. */
  row(method: DescMethod): GatewayMethod;
}

const BEARER = /^bearer +(\S+) *$/i;
const FIELD_ERRORS_MAX = 100;

export function createInvoker(options: InvokerOptions): Invoker {
  const handlers = new Map<DescMethod, Handler<DescMethodUnary>>();
  const underWay = new Set<Promise<unknown>>();
  const rows = new Map(options.methods.map((row) => [row.rpc, row]));

  async function findCaller(method: GatewayMethod, authorization: string | undefined): Promise<Caller> {
    if (authorization === undefined || authorization === "") {
      throw new Fault("MISSING_CREDENTIAL", "send the header Authorization: Bearer <project credential>");
    }
    const credential = BEARER.exec(authorization)?.[1];
    const caller = credential === undefined ? undefined : await options.authenticate(credential);
    if (caller === undefined) throw new Fault("WRONG_CREDENTIAL", "the credential is unknown, malformed or revoked");
    if (!mayCall(caller, method)) throw new Fault("SCOPE_MISSING", `the call needs the scope ${method.scope}`);
    return caller;
  }

  async function answer(method: GatewayMethod, invocation: Invocation): Promise<Message> {
    const caller = invocation.authorized?.caller ?? (await findCaller(method, invocation.authorization));
    const { message, errors } = invocation.read();
    const violations = mergeErrors(errors, checkFieldRules(method.rpc.input, message));
    if (violations.length > 0) throw invalidRequest(violations);
    const handler = handlers.get(method.rpc);
    if (handler === undefined) throw new Fault("NOT_BUILT", `${method.path} is part of a later version`);
    const response = await handler(message, { requestId: invocation.requestId, caller });
    return create(method.rpc.output, response);
  }

  /** Bounds the work in time, turns whatever it throws into a fault, and logs the faults that are the service's own. */
  async function guarded<Result>(
    method: GatewayMethod,
    { requestId, authorized }: Pick<Invocation, "requestId" | "authorized">,
    work: Promise<Result>,
  ): Promise<Result> {
    const spentMs = authorized === undefined ? 0 : performance.now() - authorized.sinceMs;
    underWay.add(work);
    const forget = () => underWay.delete(work);
    work.then(forget, forget);
    try {
      return await answerInTime(work, (method.answerTimeoutMs ?? options.answerTimeoutMs) - spentMs);
    } catch (error) {
      const fault = error instanceof Fault ? error : (options.classifyError(error) ?? asFault(error));
      if (fault.status >= 500 && fault.reason !== "NOT_BUILT") options.logFault(fault, requestId, method.path);
      throw fault;
    }
  }

  return {
    register(service, implementation) {
      for (const method of service.methods) {
        // Handlers<Service> has a handler of the method's own types under its name, or none.
        const handler = Reflect.get(implementation, method.localName) as Handler<DescMethodUnary> | undefined;
        if (handler !== undefined) handlers.set(method, handler);
      }
    },
    async authorize(method, invocation) {
      const sinceMs = performance.now();
      const caller = await guarded(method, invocation, findCaller(method, invocation.authorization));
      return { caller, sinceMs };
    },
    invoke: (method, invocation) => guarded(method, invocation, answer(method, invocation)),
    async settled(deadlineMs) {
      const deadline = new AbortController();
      const timeout = sleep(deadlineMs, undefined, { signal: deadline.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(underWay), timeout]);
      deadline.abort();
    },
    row(method) {
      const row = rows.get(method);
      if (row === undefined) throw new Error(`${method.parent.typeName}.${method.name} is not in the gateway table`);
      return row;
    },
  };
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
