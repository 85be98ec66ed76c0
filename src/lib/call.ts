import type {
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  Message,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { Scope } from "../../gen/gateway.js";
import type { FieldError } from "./fault.ts";

/** What stands for the id of the operator's credential, which is not stored. */
export const OPERATOR = "operator";

/** Who calls. */
export interface Caller {
  /** The project; empty for the operator, who belongs to none. */
  projectId: string;
  /** The credential's id, as the audit log shows it. */
  credentialId: string;
  scopes: ReadonlySet<Scope>;
  /** The credential itself, which consumer responses repeat. Never logged, never stored. */
  credential: string;
}

/**
 * What could not be read in elements of a list that the method judges each alone (`each_alone` in the proto files), by the
 * element that stands in its place. Paths are those within the element; empty: the element as a whole.
 */
export type ElementErrors = Map<Message, readonly FieldError[]>;

/** What a handler knows of the call that it answers. */
export interface Call {
  requestId: string;
  caller: Caller;
  /** Puts a header on the answer over JSON; the other protocols leave it out. */
  setHeader: (name: string, value: string) => void;
  elementErrors: Readonly<ElementErrors>;
}

/** What the handler of a streaming method knows besides. */
export interface StreamCall extends Call {
  /** Aborted when nobody waits for messages any more: the caller has left, or the service stops. */
  signal: AbortSignal;
}

/** A method's implementation. Throws a Fault for what the caller is to know; anything else is an internal fault. */
export type Handler<Method extends DescMethodUnary> = (
  request: MessageShape<Method["input"]>,
  call: Call,
) => Promise<MessageInitShape<Method["output"]>>;

/**
 * A streaming method's implementation, in two steps. It resolves when the call is accepted: what it throws until then is
 * answered like a fault of any other method, and it has the time of one. The messages may take as long as they like: the
 * next one is asked for when the caller has room for it. Whoever waits for something else must stop when `call.signal` is
 * aborted; then, and when the caller leaves between two messages, the iterator's `return()` is called, which in a
 * generator runs `finally`. What is thrown between messages ends the stream, and is told to callers as a fault.
 */
export type StreamHandler<Method extends DescMethodServerStreaming> = (
  request: MessageShape<Method["input"]>,
  call: StreamCall,
) => Promise<AsyncIterable<MessageInitShape<Method["output"]>>>;

/** The implementation of a service; methods that are left out answer NOT_BUILT. */
export type Handlers<Service extends DescService> = {
  [Name in keyof Service["method"]]?: Service["method"][Name] extends DescMethodUnary
    ? Handler<Service["method"][Name]>
    : Service["method"][Name] extends DescMethodServerStreaming
      ? StreamHandler<Service["method"][Name]>
      : never;
};
